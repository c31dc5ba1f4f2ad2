"""splink: unsupervised Fellegi-Sunter weights on levels of difference, all pairs, best match of
each original.
"""

import logging

import pandas as pd
import splink.comparison_level_library as cll
from splink import DuckDBAPI, Linker, SettingsCreator
from splink.comparison_library import CustomComparison

from bench.peer import answer, task

logging.disable(logging.CRITICAL)
asked = task()
sides = [pd.read_csv(asked[side])[asked["columns"]] for side in ("original", "masked")]
tables = {
    name: side.assign(unique_id=range(len(side)))
    for name, side in zip(("a", "b"), sides, strict=True)
}


def comparison(column):
    sd = float(sides[0][column].std(ddof=0)) or 1.0
    within = [
        cll.CustomLevel(
            f"abs({column}_l - {column}_r) <= {share * sd}", f"within {share} sd"
        )
        for share in asked["tolerances"]
    ]
    return CustomComparison(
        [cll.NullLevel(column), *within, cll.ElseLevel()], output_column_name=column
    )


def em():
    settings = SettingsCreator(
        link_type="link_only",
        comparisons=[comparison(c) for c in asked["columns"]],
        blocking_rules_to_generate_predictions=["1=1"],
        probability_two_random_records_match=1 / len(sides[0]),
    )
    database = DuckDBAPI()
    linker = Linker(
        [database.register(table, table_name=name) for name, table in tables.items()],
        settings,
    )
    linker.training.estimate_u_using_random_sampling(max_pairs=1e6)
    linker.training.estimate_parameters_using_expectation_maximisation(
        "1=1", fix_probability_two_random_records_match=True
    )
    found = linker.inference.predict(threshold_match_weight=-20).as_pandas_dataframe()
    best = found.groupby("unique_id_l").match_weight.transform("max")
    tied = found[
        found.match_weight >= best - 1e-9
    ]  # one of several equally good pairs is drawn
    share = 1 / tied.groupby("unique_id_l").match_weight.transform("size")
    return float(share[tied.unique_id_l == tied.unique_id_r].sum())


answer(em=em)
