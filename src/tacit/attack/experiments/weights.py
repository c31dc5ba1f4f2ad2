"""001 (Abril, Navarro-Arribas and Torra 2012): learned weights on Census, Tables 2 to 9.

As published: mask the 1,080 records, draw 400 at random, compare the first seven variables, learn the weights on those
400 (training) and, for Table 9, apply them to 500 others. Means of ten draws. `units`: were groups formed on raw
units or on standardised columns? The document does not say; its figures come out on raw units.
"""

from __future__ import annotations

from typing import Any, Literal

import numpy as np

from tacit.attack.weights import Learned, learn_weights
from tacit.datasets.casc import load
from tacit.datasets.census import PAPER_ORDER
from tacit.errors import ParameterError
from tacit.microdata import Microdata
from tacit.protect import registry

Units = Literal["raw", "std"]
COMPARED = PAPER_ORDER[:7]
NON_UNIFORM = ("Mic553-2.8.5", "Mic553-8.2.5", "Mic553-5.3.5", "Mic2236-8.3.10.5")


def census(data: str | None = None) -> tuple[Microdata, str]:
    """The Census file in the papers' order of columns, and a note when a stand-in replaces it."""
    table, note = load("census", data)
    floats = {name: np.asarray(table.column(name), dtype=float) for name in PAPER_ORDER}
    return Microdata.of(floats, continuous=list(PAPER_ORDER), quasi=list(PAPER_ORDER)), note


def masked_by(original: Microdata, method: str, value: float | str, seed: int, units: Units = "raw") -> Any:
    """`rank_swapping` p, `noise` percent, `mic2`..`mic6` k, `micall` k, or `blocks` and the name of a file."""
    scale = "none" if units == "raw" else "std"
    if method == "rank_swapping":
        return registry["rank_swapping"](p=float(value), random_state=seed).fit_transform(original)
    if method == "noise":
        return registry["noise"](percent=float(value), random_state=seed).fit_transform(original)
    if method == "noise_by_column":  # Table 5: variable k gets k percent
        out = original
        for k, name in enumerate(PAPER_ORDER, start=1):
            out = registry["noise"](percent=float(k), columns=[name], random_state=seed + k).fit_transform(out)
        return out
    kind = registry["microaggregation"]
    if method == "blocks":
        return kind.named(str(value), scale=scale).fit_transform(original)
    if method.startswith("mic"):
        name = "MicAll" if method == "micall" else f"Mic{method[3:]}"
        return kind.named(name, k=int(value), scale=scale).fit_transform(original)
    raise ParameterError(f"experiment '{method}' is not known; use rank_swapping, noise, noise_by_column, mic2, blocks")


def one_draw(
    method: str,
    value: float | str,
    seed: int,
    *,
    units: Units = "raw",
    train: int = 400,
    test: int = 0,
    data: str | None = None,
) -> Learned:
    """One execution: its own masking (where the method is random), its own 400 records, its own weights."""
    original, _ = census(data)
    masked = masked_by(original, method, value, seed, units)
    order = np.random.default_rng(seed).permutation(original.n)
    return learn_weights(
        original,
        masked,
        columns=list(COMPARED),
        train=order[:train],
        test=order[train : train + test] if test else None,
        seed=seed,
    )


def table(
    method: str, value: float | str, *, units: Units = "raw", draws: int = 10, test: int = 0, data: str | None = None
) -> dict[str, Any]:
    """One row of Tables 2, 3, 4, 7 (and 9 with test=500): percentages, mean and sd over draws."""
    runs = [one_draw(method, value, seed, units=units, test=test, data=data) for seed in range(draws)]
    equal = np.array([100 * r.equal / r.records for r in runs])
    learned = np.array([100 * r.rate for r in runs])
    row: dict[str, Any] = {
        "method": method,
        "value": value,
        "units": units,
        "standard": float(equal.mean()),
        "standard_sd": float(equal.std(ddof=1)) if draws > 1 else 0.0,
        "learned": float(learned.mean()),
        "learned_sd": float(learned.std(ddof=1)) if draws > 1 else 0.0,
        "weights": {n: float(np.mean([r.weights[n] for r in runs])) for n in COMPARED},
        "single": {n: float(np.mean([100 * r.single[n] / r.records for r in runs])) for n in COMPARED},
    }
    if test:
        row["tested_standard"] = float(np.mean([100 * (r.tested_equal or 0.0) / r.test_records for r in runs]))
        row["tested"] = float(np.mean([100 * (r.tested or 0.0) / r.test_records for r in runs]))
    return row


def non_uniform(units: Units = "raw", *, draws: int = 10, data: str | None = None) -> list[dict[str, Any]]:
    """Tables 7, 8 and 9 together: the four files of unequal k, with held-out percentages and weights."""
    return [table("blocks", name, units=units, draws=draws, test=500, data=data) for name in NON_UNIFORM]
