"""Tests of the kernels, beside plain twins."""
