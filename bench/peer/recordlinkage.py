"""In recordlinkage's environment: all pairs, one numeric comparison a column, the best pair of each
original.
"""

import json
import sys
import time

import pandas as pd

sys.path.pop(0)  # this file's folder would hide the package of the same name
import recordlinkage

task = json.loads(sys.argv[1])
original, masked = pd.read_csv(task["original"]), pd.read_csv(task["masked"])
spread = original.std()
start = time.perf_counter()
index = recordlinkage.Index()
index.full()
pairs = index.index(original, masked)
compare = recordlinkage.Compare()
for column in original.columns:
    compare.numeric(column, column, method="gauss", scale=float(spread[column]) or 1.0, label=column)
score = compare.compute(pairs, original, masked).sum(axis=1)
best = score.groupby(level=0).idxmax()
seconds = time.perf_counter() - start
print(json.dumps({"seconds": seconds, "correct": int(sum(a == b for a, b in best))}))
