"""Rodriguez Fernandez (2013), section 2.3.2 and Tables 3.1 to 3.5: four records, by hand."""

from __future__ import annotations

import numpy as np
from scipy.optimize import linear_sum_assignment

from tacit.attack import Nearest
from tacit.base.typing import Floats
from tacit.data.datasets import examples as paper
from tacit.protect import Microaggregation, Noise, RankSwapping
from tacit.reproduce.model import Context, Experiment, Outcome, Params, Target

# The example's quasi-identifiers are its first two attributes.
_QUASI = paper.RECORDS[:, :2]


def _matching(params: Params, seed: int, context: Context) -> Outcome:
    """The optimum, and its columns counted from 0 as one number (B, C, D, A is 1230)."""
    rows, columns = linear_sum_assignment(paper.MATCHING_WEIGHTS, maximize=True)
    value = float(paper.MATCHING_WEIGHTS[rows, columns].sum())
    code = "".join(str(column) for column in columns[np.argsort(rows)])
    return Outcome({"value": value, "columns": float(code)})


def _row(values: Floats, params: Params) -> Outcome:
    a1, a2 = values[int(params["record"]) - 1]
    return Outcome({"a1": float(a1), "a2": float(a2)})


def _noise(params: Params, seed: int, context: Context) -> Outcome:
    noise = Noise(percent=25, random_state=seed)
    return _row(noise.fit_transform(_QUASI), params)


def _moves(swapped: Floats) -> dict[str, float]:
    """The largest number of ranks by which a value moved, in each column."""
    out = {}
    for j, name in enumerate(("a1", "a2")):
        before, after = (np.argsort(np.argsort(v[:, j])) for v in (_QUASI, swapped))
        out[f"largest_move_{name}"] = float(np.abs(before - after).max())
    return out


def _swap(params: Params, seed: int, context: Context) -> Outcome:
    # p is a percentage of the records here: 2 of 4 ranks are 50 %
    swapping = RankSwapping(p=50, random_state=seed)
    return Outcome(_moves(swapping.fit_transform(_QUASI)))


def _swap_again(params: Params, seed: int, context: Context) -> Outcome:
    """The fault: a value that was swapped is swapped again.

    It can move farther than p ranks.
    """
    # ranks of 4 records, p = 2, as the example does it
    rng = np.random.default_rng(seed)
    swapped = _QUASI.copy()
    for j in range(2):
        order = np.argsort(_QUASI[:, j])
        ranked = np.sort(_QUASI[:, j])
        for i in range(len(ranked) - 1):
            other = min(i + int(rng.integers(1, 3)), len(ranked) - 1)
            ranked[[i, other]] = ranked[[other, i]]
        swapped[order, j] = ranked
    return Outcome(_moves(swapped))


def _microaggregate(params: Params, seed: int, context: Context) -> Outcome:
    return _row(Microaggregation(k=2).fit_transform(_QUASI), params)


def _univariate(params: Params, seed: int, context: Context) -> Outcome:
    grouping = Microaggregation(k=2, partition="individual")
    return _row(grouping.fit_transform(_QUASI), params)


def _nearest(params: Params, seed: int, context: Context) -> Outcome:
    """The distances of one record to the published masked ones, and the nearest."""
    i = int(params["record"]) - 1
    # columns are divided by the larger maximum of both files
    unit = np.maximum(_QUASI.max(axis=0), paper.NOISE_25.max(axis=0))
    differences = (_QUASI[i] - paper.NOISE_25) / unit
    distances = np.sqrt((differences**2).sum(axis=1))
    link = Nearest(scale="max").link(_QUASI, paper.NOISE_25)
    values = {f"d{j}": float(d) for j, d in enumerate(distances, 1)}
    return Outcome(values | {"nearest": float(link.match[i]) + 1})


def _no_scaling(cell: str, measure: str, text: str) -> str | None:
    """No choice of one scale per column yields the printed distances.

    The best least-squares scales leave errors.
    """
    if measure == "nearest":
        return None
    masked = np.column_stack([paper.NOISE_25, paper.RECORDS[:, 2]])
    squares = ((paper.RECORDS[:, None] - masked[None]) ** 2).reshape(-1, 3)
    # squared distances are linear in the squared scales
    weights = np.linalg.lstsq(squares, paper.DISTANCES.ravel() ** 2, rcond=None)[0]
    fitted = np.sqrt(np.maximum(squares @ weights, 0))
    error = float(np.abs(fitted - paper.DISTANCES.ravel()).max())
    # the distances are printed to three digits
    if error <= 0.002:
        return None
    return (
        "no scaling of the columns gives the printed distances "
        f"(best fit errs by {error:.2f})"
    )


# Where the docs explain what the examples get wrong.
_EXAMPLE = "literature.md#worked-examples-that-do-not-follow-their-own-definition"
_SOURCE = "Rodriguez Fernandez (2013)"

# A published draw is one of many: 200 seeds give the interval in which it should lie.
TARGETS = (
    Target(
        "assignment-2.3",
        f"{_SOURCE}, section 2.3.2",
        "4 x 4 maximum-weight matching",
        Experiment("example-matching", _matching),
        seeds=1,
        quick_seeds=1,
    ),
    Target(
        "assignment-3.1",
        f"{_SOURCE}, Table 3.1",
        "noise addition, sigma = 25, one published draw",
        Experiment("example-noise", _noise, ("tacit.protect.noise:Noise",)),
        seeds=200,
        quick_seeds=50,
    ),
    Target(
        "assignment-3.2",
        f"{_SOURCE}, Table 3.2",
        "rank swapping, p = 2 ranks, one published draw",
        Experiment("example-swap", _swap, ("tacit.protect:RankSwapping",)),
        seeds=200,
        quick_seeds=50,
        fault=Experiment("example-swap-again", _swap_again),
        explained=_EXAMPLE,
    ),
    Target(
        "assignment-3.3",
        f"{_SOURCE}, Table 3.3",
        "microaggregation of both attributes, k = 2",
        Experiment(
            "example-microaggregation",
            _microaggregate,
            ("tacit.protect:Microaggregation",),
        ),
        seeds=1,
        quick_seeds=1,
    ),
    Target(
        "assignment-3.4",
        f"{_SOURCE}, Table 3.4",
        "microaggregation of each attribute, k = 2",
        Experiment(
            "example-univariate", _univariate, ("tacit.protect:Microaggregation",)
        ),
        seeds=1,
        quick_seeds=1,
    ),
    Target(
        "assignment-3.5",
        f"{_SOURCE}, Table 3.5",
        "distances and nearest records of Table 3.1",
        Experiment("example-nearest", _nearest, ("tacit.attack:Nearest",)),
        seeds=1,
        quick_seeds=1,
        refute=_no_scaling,
        explained=_EXAMPLE,
    ),
)
