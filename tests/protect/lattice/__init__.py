"""Tests of the lattice search, beside a plain search over all nodes."""
