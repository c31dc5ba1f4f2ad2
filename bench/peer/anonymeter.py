"""anonymeter: linkability (as many attacks as records) and singling-out (200 attacks) of a masked
file.
"""

import warnings

import pandas as pd
from anonymeter.evaluators import LinkabilityEvaluator, SinglingOutEvaluator

from bench.peer import answer, task

warnings.filterwarnings("ignore")
asked = task()
original, masked = pd.read_csv(asked["original"]), pd.read_csv(asked["masked"])
columns = list(original.columns)
halves = columns[: len(columns) // 2], columns[len(columns) // 2 :]


def linkability():
    evaluator = LinkabilityEvaluator(
        original, masked, halves, n_attacks=len(original), n_neighbors=1
    )
    return evaluator.evaluate(n_jobs=1).risk().value


def singling_out():
    evaluator = SinglingOutEvaluator(original, masked, n_attacks=200, n_cols=3, seed=0)
    return evaluator.evaluate(mode="multivariate").risk().value


answer(linkability=linkability, singling_out=singling_out)
