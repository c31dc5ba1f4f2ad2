"""In pycanon's environment: k-anonymity, l-diversity and t-closeness of one file."""

import json
import sys
import time

import pandas as pd

sys.path.pop(0)  # this file's folder would hide the package of the same name
from pycanon import anonymity

task = json.loads(sys.argv[1])
frame = pd.read_csv(task["file"])
keys, sensitive = task["keys"], task["sensitive"]
measures = {
    "k": lambda: anonymity.k_anonymity(frame, keys),
    "l": lambda: anonymity.l_diversity(frame, keys, [sensitive]),
    "t": lambda: anonymity.t_closeness(frame, keys, [sensitive]),
}
out = {}
for name, measure in measures.items():
    seconds = []
    for _ in range(2):
        start = time.perf_counter()
        out[name] = float(measure())
        seconds.append(time.perf_counter() - start)
    out[f"{name}_seconds"] = min(seconds)
print(json.dumps(out))
