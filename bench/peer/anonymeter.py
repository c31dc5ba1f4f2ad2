"""In anonymeter's environment: linkability and singling-out on an original and a masked file."""

import json
import sys
import time
import warnings

import pandas as pd

sys.path.pop(0)  # this file's folder would hide the package of the same name
from anonymeter.evaluators import LinkabilityEvaluator, SinglingOutEvaluator

warnings.filterwarnings("ignore")
task = json.loads(sys.argv[1])
original, masked = pd.read_csv(task["original"]), pd.read_csv(task["masked"])
columns = list(original.columns)
half = len(columns) // 2
attacks = len(original)
start = time.perf_counter()
link = LinkabilityEvaluator(original, masked, (columns[:half], columns[half:]), n_attacks=attacks, n_neighbors=1)
link.evaluate(n_jobs=1)
linkability = time.perf_counter() - start
start = time.perf_counter()
single = SinglingOutEvaluator(original, masked, n_attacks=200, n_cols=3, seed=0)
single.evaluate(mode="multivariate")
print(
    json.dumps(
        {
            "linkability_seconds": linkability,
            "linkability": link.risk().value,
            "singling_out_seconds": time.perf_counter() - start,
            "singling_out": single.risk().value,
        }
    )
)
