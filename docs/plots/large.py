"""Draw docs/img/partition.svg: python docs/plots/large.py, from the root of the repository.

The 2^d-tree of 500 records, L = 50, blocks of at least 10 (as in Domingo-Ferrer 2008).
"""

import numpy as np

from tacit.report.charts.partition import draw
from tacit.scale.partition import OrthTree

rng = np.random.default_rng(21)
centres = rng.uniform(0, 100, size=(6, 2))
records = centres[rng.integers(0, 6, 500)] + rng.normal(scale=9, size=(500, 2))
draw(records, OrthTree(leaf=50, least=10), "docs/img/partition.svg")
