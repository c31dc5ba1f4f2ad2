"""Learned weights: which columns an intruder who knows some links would learn to trust."""

from __future__ import annotations

from typing import Annotated

import numpy as np
from annotated_types import Ge

from tacit.attack import learn_weights
from tacit.base import facts
from tacit.base.errors import TacitError
from tacit.base.measure import Measure
from tacit.base.seeds import FIXED
from tacit.base.typing import Ints
from tacit.data.pair import Pair

# Records that the intruder is thought to know: with 13 columns learning takes about 0.2 s.
SAMPLE = 150
# Fewer records are linked by chance so often that weights say nothing.
LEAST = 20
MILLION = 1_000_000


@facts.measure("Weights that an intruder would learn", passes="sample")
def learned_weights(
    original: object,
    masked: object,
    *,
    records: Annotated[int, Ge(1)] = SAMPLE,
    seed: Annotated[int, Ge(0)] = FIXED,
) -> Measure:
    """Share of a sample of records that a distance with learned weights links correctly.

    The intruder knows the true links of the sample, learns the weight of each column that
    links most of them, and links the sample among itself. Range [0, 1]. 0: no record of the
    sample is linked. Higher: more are. By column: the weights, which sum to 1; a heavy column
    leads to people and is the first to protect more strongly.

    Parameters
    ----------
    original, masked
        Both files, row by row the same people.
    records : int
        Size of the sample; a file with fewer records is used whole.
    seed : int
        Chooses the sample and the lines of the search; the same for every assessment.

    Notes
    -----
    **Definition.** The largest expected number of correct links over weights w of the distance
    sum_k w_k d_k(a, b), divided by the sample's size. **Sample.** Records are put in the order
    of their values and drawn with the fixed seed, so that the order of rows plays no part. The
    sample is smaller than the file, so the share is higher than in the whole file: it compares
    columns, not releases, and has no threshold. **Details.** ``equal weights``: the share with
    equal weights; ``alone``: the share that each column links by itself.

    References
    ----------
    Abril, Navarro-Arribas and Torra (2012), section 4.
    """
    name = "learned_weights"
    pair = Pair.of(original, masked)
    if not pair.aligned:
        return Measure.absent(name, "the files have different numbers of records")
    if pair.original.n < LEAST:
        return Measure.absent(name, f"fewer than {LEAST} records to learn from")
    if not pair.columns:
        return Measure.absent(name, "the files have no quasi-identifier in common")
    rows = _sample(pair, records, seed)
    try:
        learned = learn_weights(
            pair.original.few(rows, pair.columns),
            pair.masked.few(rows, pair.columns),
            columns=pair.columns,
            seed=seed,
        )
    except TacitError as error:
        return Measure.absent(name, str(error))
    alone = {
        column: links / learned.records for column, links in learned.single.items()
    }
    return Measure(
        name,
        learned.rate,
        (0.0, 1.0),
        "no record of the sample is linked by learned weights",
        "learned weights link more records of the sample",
        {
            "records": learned.records,
            "equal weights": learned.equal / learned.records,
            "alone": alone,
        },
        per_column=dict(learned.weights),
    )


def _sample(
    pair: Pair,
    records: int,
    seed: int,
) -> Ints:
    """So many rows, the same ones whatever the order of rows."""
    n, rng = pair.original.n, np.random.default_rng(seed)
    if n > MILLION:
        # an order of all records would take as much memory as a column
        chosen = rng.choice(n, records, replace=False)
    else:
        chosen = rng.permutation(n)[:records]
    return pair.canonical_at(np.sort(chosen))
