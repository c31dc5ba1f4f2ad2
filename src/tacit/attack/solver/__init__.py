"""Exact nearest neighbours and certified assignments: what every linkage is solved with."""
