"""Kernels of stream filters and monitors: one record at a time, or a whole array."""
