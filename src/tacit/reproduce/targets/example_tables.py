"""The worked examples of Rodriguez Fernandez (2013), section 2.3.2 and Tables 3.1 to 3.5: four records,
by hand.
"""

from __future__ import annotations

import numpy as np

from tacit.datasets import examples as paper
from tacit.reproduce.model import Context, Experiment, Outcome, Params, Target

_QUASI = paper.RECORDS[:, :2]


def _matching(params: Params, seed: int, context: Context) -> Outcome:
    from scipy.optimize import linear_sum_assignment

    rows, columns = linear_sum_assignment(paper.MATCHING_WEIGHTS, maximize=True)
    code = float("".join(str(c) for c in columns[np.argsort(rows)]))
    return Outcome({"value": float(paper.MATCHING_WEIGHTS[rows, columns].sum()), "columns": code})


def _row(values: np.ndarray, params: Params) -> Outcome:
    a1, a2 = values[int(params["record"]) - 1]
    return Outcome({"a1": float(a1), "a2": float(a2)})


def _noise(params: Params, seed: int, context: Context) -> Outcome:
    from tacit.protect import Noise

    return _row(Noise(percent=25, random_state=seed).fit_transform(_QUASI), params)


def _moves(swapped: np.ndarray) -> dict[str, float]:
    """The largest number of ranks by which a value moved, in each column."""
    out = {}
    for j, name in enumerate(("a1", "a2")):
        before, after = (np.argsort(np.argsort(v[:, j])) for v in (_QUASI, swapped))
        out[f"largest_move_{name}"] = float(np.abs(before - after).max())
    return out


def _swap(params: Params, seed: int, context: Context) -> Outcome:
    from tacit.protect import RankSwapping

    # p is a percentage of the records here: 2 of 4 ranks are 50 %
    return Outcome(_moves(RankSwapping(p=50, random_state=seed).fit_transform(_QUASI)))


def _swap_again(params: Params, seed: int, context: Context) -> Outcome:
    """The fault: a value that was swapped is swapped again, so it can move farther than p ranks."""
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
    from tacit.protect import Microaggregation

    return _row(Microaggregation(k=2).fit_transform(_QUASI), params)


def _univariate(params: Params, seed: int, context: Context) -> Outcome:
    from tacit.protect import Microaggregation

    return _row(Microaggregation(k=2, partition="individual").fit_transform(_QUASI), params)


def _nearest(params: Params, seed: int, context: Context) -> Outcome:
    from tacit.attack import Nearest

    i = int(params["record"]) - 1
    unit = np.maximum(_QUASI.max(axis=0), paper.NOISE_25.max(axis=0))
    distances = np.sqrt((((_QUASI[i] - paper.NOISE_25) / unit) ** 2).sum(axis=1))
    link = Nearest(scale="max").link(_QUASI, paper.NOISE_25)
    values = {f"d{j}": float(d) for j, d in enumerate(distances, 1)}
    return Outcome(values | {"nearest": float(link.match[i]) + 1})


def _no_scaling(cell: str, measure: str, text: str) -> str | None:
    """No choice of one scale a column yields the printed distances: the best least-squares scales leave
    errors.
    """
    if measure == "nearest":
        return None
    masked = np.column_stack([paper.NOISE_25, paper.RECORDS[:, 2]])
    squares = ((paper.RECORDS[:, None] - masked[None]) ** 2).reshape(-1, 3)
    weights = np.linalg.lstsq(squares, paper.DISTANCES.ravel() ** 2, rcond=None)[0]
    fitted = np.sqrt(np.maximum(squares @ weights, 0))
    error = float(np.abs(fitted - paper.DISTANCES.ravel()).max())
    if error <= 0.002:
        return None
    return f"no scaling of the columns gives the printed distances (best fit errs by {error:.2f})"


_EXAMPLE = "literature.md#worked-examples-that-do-not-follow-their-own-definition"
_SOURCE = "000 (optimal assignment)"

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
        Experiment("example-microaggregation", _microaggregate, ("tacit.protect:Microaggregation",)),
        seeds=1,
        quick_seeds=1,
    ),
    Target(
        "assignment-3.4",
        f"{_SOURCE}, Table 3.4",
        "microaggregation of each attribute, k = 2",
        Experiment("example-univariate", _univariate, ("tacit.protect:Microaggregation",)),
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
