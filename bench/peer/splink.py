"""In splink's environment: unsupervised Fellegi-Sunter weights on levels of difference, best match of
each original.
"""

import json
import logging
import sys
import time

import pandas as pd

sys.path.pop(0)  # this file's folder would hide the package of the same name
import splink.comparison_level_library as cll
from splink import DuckDBAPI, Linker, SettingsCreator
from splink.comparison_library import CustomComparison

logging.disable(logging.CRITICAL)
task = json.loads(sys.argv[1])
original, masked = pd.read_csv(task["original"]), pd.read_csv(task["masked"])
original.insert(0, "unique_id", range(len(original)))
masked.insert(0, "unique_id", range(len(masked)))
columns = [c for c in original.columns if c != "unique_id"]


def comparison(column):
    sd = float(original[column].std()) or 1.0
    levels = [cll.NullLevel(column)]
    for share in (0.1, 0.3, 0.6):
        levels.append(cll.CustomLevel(f"abs({column}_l - {column}_r) <= {share * sd}", f"within {share} sd"))
    return CustomComparison(output_column_name=column, comparison_levels=[*levels, cll.ElseLevel()])


start = time.perf_counter()
settings = SettingsCreator(
    link_type="link_only",
    comparisons=[comparison(c) for c in columns],
    blocking_rules_to_generate_predictions=["1=1"],
    probability_two_random_records_match=1 / len(original),
)
database = DuckDBAPI()
tables = [database.register(t, table_name=n) for n, t in (("a_original", original), ("b_masked", masked))]
linker = Linker(tables, settings)
linker.training.estimate_u_using_random_sampling(max_pairs=1e6)
linker.training.estimate_parameters_using_expectation_maximisation("1=1", fix_probability_two_random_records_match=True)
found = linker.inference.predict(threshold_match_weight=-20).as_pandas_dataframe()
best = found.sort_values("match_weight").groupby("unique_id_l").tail(1)
seconds = time.perf_counter() - start
print(json.dumps({"seconds": seconds, "correct": int((best.unique_id_l == best.unique_id_r).sum())}))
