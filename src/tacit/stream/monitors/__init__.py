"""Monitors: risk, loss and flow of a stream, kept live."""
