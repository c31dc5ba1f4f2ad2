"""Filters: protectors on a stream, one file per method."""
