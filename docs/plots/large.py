"""Draws docs/img/partition.svg: the 2^d-tree of 500 records, L = 50, blocks of at least 10 (as Figures 2.1 to 2.3)."""

import numpy as np

from tacit.partition import OrthTree, draw

rng = np.random.default_rng(21)
centres = rng.uniform(0, 100, size=(6, 2))
records = centres[rng.integers(0, 6, 500)] + rng.normal(scale=9, size=(500, 2))
draw(records, OrthTree(leaf=50, least=10), "docs/img/partition.svg")
