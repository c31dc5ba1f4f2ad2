"""Martinez Rodriguez (2015), Tables 7.3 to 7.9 and A.1 to A.16: filters for data streams.

The 100,000 records of the thesis (`moa_streams`). Risk: the published estimator (nearest of the
last b originals, raw units, ties shared). Loss: the sum of squared differences. The class column
takes no part. Our filters draw by seed; the published ones are run with the numbers that they drew
(`moa_filters`). With --quick our filters get a tenth of the records, drawn anew for each seed, and
the loss is scaled up.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from tacit import stream
from tacit.base.typing import Floats
from tacit.reproduce import faults, moa_filters
from tacit.reproduce.experiments.stream import (
    DEFAULT_WINDOW,
    RECORDS,
    measure,
    records,
)
from tacit.reproduce.moa_streams import published_stream
from tacit.reproduce.model import Context, Experiment, Figure, Outcome, Params, Target
from tacit.stream.base import Filter

_SOURCE = "Martinez Rodriguez (2015)"


def _records(params: Params, seed: int, context: Context) -> Floats:
    """The published records; a quick run takes other, fewer ones, whose seed says how they vary.

    The published private filter scales its noise by the range seen so far: a shorter stream would
    be another experiment.
    """
    if context.quick and params["filter"] != "dp":
        return records(params["generator"], RECORDS // 10, seed + 1)
    return published_stream(params["generator"], RECORDS)


def _endless(params: Params) -> Floats:
    """The published records and as many more as fill the window of the last one."""
    more = max(int(params["b"]), int(params.get("k", 0)))
    return published_stream(params["generator"], RECORDS + more)


def _outcome(original: Floats, masked: Floats, window: int) -> Outcome:
    risk, loss = measure(original, masked, window)
    return Outcome({"risk": risk, "loss": loss})


def _filter(params: Params, window: int, columns: int, seed: int) -> Filter:
    """The filter of the cell as tacit builds it."""
    kind = params["filter"]
    chosen: Filter
    if kind == "noise":
        amount = float(params["a"])
        chosen = stream.Noise(percent=100 * amount, replace=0.0, random_state=seed)
    elif kind == "microaggregation":
        k = int(params["k"])
        # k = b cannot give groups of k to every record of a stream that ends: ours takes
        # the least window that can
        chosen = stream.Microaggregation(
            k=k,
            window=max(window, 2 * k),
            scale="none",
        )
    elif kind == "rank_swapping":
        chosen = stream.RankSwapping(
            p=float(params["p"]),
            window=window,
            random_state=seed,
        )
    else:
        # bounds are public: RandomRBF lives around the unit cube, Waveform around 0 to 6
        low, high = (-1.0, 2.0) if params["generator"] == "rbf" else (-4.0, 10.0)
        chosen = stream.DPMicroaggregation(
            epsilon=float(params["epsilon"]),
            k=int(params["k"]),
            window=window,
            bounds=[(low, high)] * columns,
            sampler="fast",
            random_state=seed,
            test_seed=True,
        )
    return chosen


def _sound(params: Params, seed: int, context: Context) -> Outcome:
    """Risk and loss of the filter of the cell."""
    if seed and not context.quick and params["filter"] == "microaggregation":
        # nothing is drawn on the published records: one run says it all
        return Outcome({})
    original = _records(params, seed, context)
    window = int(params.get("b", DEFAULT_WINDOW))
    masked = _filter(params, window, original.shape[1], seed).apply(original)
    return _outcome(original[: len(masked)], masked, window)


def _arrival(params: Params) -> tuple[Floats, Floats]:
    """The faults of the microaggregation filter.

    Groups are formed by arrival, and the raw record is what leaves.
    """
    original = _endless(params)
    return faults.arrival_groups(original, int(params["k"])), original


def _downwards(params: Params) -> tuple[Floats, Floats]:
    """The faults of the rank-swapping filter.

    p ranks and not percent, downwards only, the smallest left raw.
    """
    original = _endless(params)
    masked = moa_filters.swap_downwards(original, int(params["p"]), int(params["b"]))
    return original, masked


def _by_corner(params: Params) -> tuple[Floats, Floats]:
    """The faults of the differential-privacy filter."""
    original = _endless(params)
    k, window, epsilon = int(params["k"]), int(params["b"]), float(params["epsilon"])
    masked, _ = faults.private_microaggregation(
        original, k, window, epsilon, moa_filters.JavaNoise()
    )
    return original, masked


@dataclass(frozen=True)
class _Published:
    """The published program on the published records: (kept by the intruder, emitted)."""

    program: Callable[[Params], tuple[Floats, Floats]]

    def __call__(self, params: Params, seed: int, context: Context) -> Outcome:
        """Its draws are those of one fixed seed, so that one run says it all."""
        if seed:
            return Outcome({})
        kept, emitted = self.program(params)
        return _outcome(kept[:RECORDS], emitted[:RECORDS], int(params["b"]))


def _some(params: Params) -> bool:
    """Quick: the ends of each table."""
    if params["filter"] == "noise":
        return True
    if params["filter"] == "rank_swapping":
        return params["b"] == "100" and params["p"] in {"25", "80"}
    if params["filter"] == "dp":
        ks = {"3", "50"} if params["epsilon"] == "100" else {"3"}
        return params["b"] in {"100", "250"} and params["k"] in ks
    return params["b"] in {"100", "250"} and params["k"] in {"3", "50"}


_NEEDS = (
    "tacit.stream:Noise",
    "tacit.data.datasets.rbf:RandomRBF",
    "tacit.kernels.stream.risk:window_risk",
)
_SOUND = Experiment("stream-filter", _sound, _NEEDS)
_FAULTS = {
    "microaggregation": (
        Experiment("stream-arrival", _Published(_arrival), _NEEDS),
        "literature.md#groups-in-order-of-arrival",
    ),
    "rank swapping": (
        Experiment("stream-downwards", _Published(_downwards), _NEEDS),
        "literature.md#percent-that-is-not-percent",
    ),
    "differential privacy": (
        Experiment("stream-corner", _Published(_by_corner), _NEEDS),
        "literature.md#differential-privacy-that-is-not",
    ),
}
_GENERATORS = {"rbf": "RandomRBF", "waveform": "Waveform"}


def _target(table: str, kind: str, generator: str, more: str = "") -> Target:
    """One table: a filter on a generator."""
    fault, explained = _FAULTS.get(kind, (None, ""))
    # the parameter on the horizontal axis of the figure
    x = {"noise": "a", "rank swapping": "p"}.get(kind, "k")
    return Target(
        f"stream-{table}",
        f"{_SOURCE}, Table {table}",
        f"{kind}{more}, {_GENERATORS[generator]}",
        _SOUND,
        better={"risk": "lower", "loss": "lower"},
        # the noise filter draws on fixed records: three runs do not show how risks of
        # three digits spread; swapped and grouped figures are met by the published draws
        seeds=10 if kind == "noise" else 3,
        quick_seeds=3,
        quick=_some,
        fault=fault,
        explained=explained,
        figure=Figure(x, ("risk",), "disclosure risk", log_x=x == "k"),
    )


# The epsilons of Tables A.7 to A.16, five for each generator.
_BUDGETS = ("0.01", "0.1", "1", "10", "100")

TARGETS = (
    _target("7.3", "noise", "rbf"),
    _target("7.4", "noise", "waveform"),
    _target("7.5", "microaggregation", "rbf", ", window 100"),
    _target("7.6", "microaggregation", "waveform", ", window 100"),
    _target("7.7", "rank swapping", "rbf", ", window 100"),
    _target("7.8", "rank swapping", "waveform", ", window 100"),
    _target("7.9", "differential privacy", "rbf", ", window 250"),
    _target("A.1", "noise", "rbf"),
    _target("A.2", "noise", "waveform"),
    _target("A.3", "microaggregation", "rbf"),
    _target("A.4", "microaggregation", "waveform"),
    _target("A.5", "rank swapping", "rbf"),
    _target("A.6", "rank swapping", "waveform"),
    *(
        _target(
            f"A.{first + i}", "differential privacy", generator, f", epsilon {budget}"
        )
        for first, generator in ((7, "rbf"), (12, "waveform"))
        for i, budget in enumerate(_BUDGETS)
    ),
)
