"""Data and what is known about it: microdata, schema, frames, files in and out, data sets."""
