"""Experiments of the papers, as functions that return plain figures; `reproduce` runs them."""
