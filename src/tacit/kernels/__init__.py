"""numba code only: arrays in, arrays out, no frames, no I/O, nothing of ours imported."""
