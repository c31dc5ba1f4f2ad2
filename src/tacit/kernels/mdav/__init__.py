"""Microaggregation: MDAV and its relatives, exactly and fast."""
