"""Experiments of the papers on informed intruders, as functions that return plain figures; `reproduce` runs them."""
