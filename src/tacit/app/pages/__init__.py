"""The pages: one file for each step of the work."""
