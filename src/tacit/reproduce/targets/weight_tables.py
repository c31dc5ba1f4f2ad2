"""Abril, Navarro-Arribas and Torra (2012), Tables 2 to 9 and Figures 1 to 5: learned weights of the
distance.
"""

from __future__ import annotations

import numpy as np

from tacit.reproduce.model import Claim, Experiment, Figure, Params, Target, Values
from tacit.reproduce.targets.weights_runs import (
    TRAIN,
    key_columns,
    moves,
    training,
    training_raw,
    undetermined,
    unseen,
    unseen_raw,
)

_SOURCE = "001 (learned weights)"


def _never_worse(values: Values) -> tuple[bool, str]:
    gains = {c: float(np.mean(v["learned"]) - np.mean(v["standard"])) for c, v in values.items()}
    low = min(gains, key=lambda c: gains[c])
    high = max(gains, key=lambda c: gains[c])
    return gains[low] >= 0, f"gains from {gains[low]:.2f} ({low}) to {gains[high]:.2f} points ({high})"


def _small_gain(values: Values) -> tuple[bool, str]:
    gain = max(float(np.mean(v["improvement"])) for v in values.values())
    return gain <= 8, f"largest mean gain {gain:.2f} points"


def _first_links_most(values: Values) -> tuple[bool, str]:
    means = {c: float(np.mean(v["single"])) for c, v in values.items()}
    return max(means, key=lambda c: means[c]) == "column=V1", ", ".join(f"{m:.1f} %" for m in means.values())


def _within_p(values: Values) -> tuple[bool, str]:
    worst = max(max(v["largest_move_percent"]) - float(c.split("=")[1]) for c, v in values.items())
    return worst <= 1e-9, f"largest move less p: {worst:.2f} points"


def _middle_gains_most(values: Values) -> tuple[bool, str]:
    """Mean gain where between a tenth and nine tenths are linked, against the rest."""
    middle: list[float] = []
    ends: list[float] = []
    for v in values.values():
        for unlinked, gain in zip(v["unlinked"], v["improvement"], strict=True):
            (middle if 0.1 * TRAIN < unlinked < 0.9 * TRAIN else ends).append(gain)
    if not middle or not ends:
        return False, "no file in the middle or none at the ends"
    return float(np.mean(middle)) > float(
        np.mean(ends)
    ), f"{np.mean(middle):.2f} in the middle, {np.mean(ends):.2f} at the ends"


_NEEDS = ("tacit.attack.weights_search:search_weights", "tacit.protect:RankSwapping", "tacit.protect:Microaggregation")
_TRAINING = Experiment("weights-training", training, _NEEDS)
_RAW = Experiment("weights-training-raw", training_raw, _NEEDS)
_KEYS = Experiment("weights-key-columns", key_columns, _NEEDS)
_LINK = "literature.md#distance-on-raw-units"
_HIGHER = {"standard": "higher", "learned": "higher"}
_FILES = tuple(
    [f"method=rank_swapping p={p}" for p in range(1, 7)]
    + [f"method=noise p={p}" for p in (4, 8, 12, 16)]
    + [
        f"method={m} k={k}"
        for m in ("Mic2", "Mic3", "Mic4", "Mic5", "Mic6", "MicZ", "MicPCP", "MicAll", "MicIR")
        for k in (3, 10, 20)
    ]
)
_PAIR = tuple(f"method={m} k={k}" for m in ("MicAll", "Mic3") for k in (3, 5, 10, 15, 20))


def _ends(params: Params) -> bool:
    """Quick: the two ends of a table."""
    return params.get("p") in {"1", "6", "16"} or params.get("k") in {"3", "20"} or "file" in params


def _few(params: Params) -> bool:
    """Quick figures: three methods at the ends."""
    return _ends(params) and params["method"] in {"Mic3", "MicAll", "noise"}


def _table(number: int, title: str) -> Target:
    return Target(
        f"weights-{number}",
        f"{_SOURCE}, Table {number}",
        title,
        _TRAINING,
        better=dict(_HIGHER),  # type: ignore[arg-type]
        seeds=10,
        quick_seeds=2,
        quick=_ends,
        claims=(
            Claim("learned weights never link fewer records", _never_worse),
            Claim("the gain is small", _small_gain),
        ),
        figure=Figure("k" if number == 3 else "p", ("standard", "learned"), "re-identified, %"),
    )


def _scatter(number: int, title: str, cells: tuple[str, ...], measure: str, claim: Claim | None) -> Target:
    return Target(
        f"weights-fig{number}",
        f"{_SOURCE}, Figure {number}",
        title,
        _TRAINING,
        seeds=3,
        quick_seeds=1,
        cells=cells,
        quick=_few,
        claims=(claim,) if claim else (Claim("learned weights never link fewer records", _never_worse),),
        figure=Figure("", (measure,), measure, log_y=measure.endswith("seconds"), scatter_against="unlinked"),
    )


_MIDDLE = Claim("the gain is largest where about half of the records are linked", _middle_gains_most)

TARGETS = (
    _table(2, "rank swapping, 400 records, V1 to V7"),
    _table(3, "microaggregation of two variables at a time"),
    _table(4, "additive noise"),
    Target(
        "weights-5",
        f"{_SOURCE}, Table 5",
        "weights when V1 has 1 % of noise, V2 2 %, ...",
        _KEYS,
        seeds=5,
        quick_seeds=2,
        refute=lambda cell, measure, text: undetermined(),
        explained="literature.md#weights-that-nothing-determines",
    ),
    Target(
        "weights-6",
        f"{_SOURCE}, Table 6",
        "re-identification by one column alone",
        _KEYS,
        better={"single": "higher"},
        seeds=5,
        quick_seeds=2,
        claims=(Claim("the least protected column links most", _first_links_most),),
    ),
    Target(
        "weights-7",
        f"{_SOURCE}, Table 7",
        "files whose columns are protected unevenly",
        _TRAINING,
        better=dict(_HIGHER),  # type: ignore[arg-type]
        seeds=10,
        quick_seeds=2,
        fault=_RAW,
        explained=_LINK,
        claims=(Claim("learned weights never link fewer records", _never_worse),),
    ),
    Target(
        "weights-8",
        f"{_SOURCE}, Table 8",
        "weights of the unevenly protected files",
        _TRAINING,
        seeds=10,
        quick_seeds=2,
        fault=_RAW,
        explained=_LINK,
        note="Optimal weights are not unique: whole regions of weights link the same records.",
    ),
    Target(
        "weights-9",
        f"{_SOURCE}, Table 9",
        "learned on 400 records, tested on 500 others",
        Experiment("weights-unseen", unseen, _NEEDS),
        better=dict(_HIGHER),  # type: ignore[arg-type]
        seeds=10,
        quick_seeds=2,
        fault=Experiment("weights-unseen-raw", unseen_raw, _NEEDS),
        explained=_LINK,
    ),
    Target(
        "weights-fig1",
        f"{_SOURCE}, Figure 1",
        "how rank swapping moves V1",
        Experiment("weights-moves", moves, _NEEDS),
        seeds=3,
        quick_seeds=1,
        cells=tuple(f"p={p}" for p in (1, 5, 10, 15, 20)),
        claims=(Claim("no value moves by more than p percent of the ranks", _within_p),),
        figure=Figure("p", ("correlation",), "correlation with the original"),
    ),
    _scatter(2, "gain over unlinked records, all methods", _FILES, "improvement", _MIDDLE),
    _scatter(3, "gain over unlinked records, MicAll and Mic3", _PAIR, "improvement", None),
    _scatter(4, "time over unlinked records, all methods", _FILES, "learn_seconds", None),
    _scatter(5, "time over unlinked records, MicAll and Mic3", _PAIR, "learn_seconds", None),
)
