"""Operation counts of the kernels, guarded."""
