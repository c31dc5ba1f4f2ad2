"""Rodriguez Fernandez (2013), Tables 4.2 to 4.4 and 5.1 to 5.5: linkage of noisy files."""

from __future__ import annotations

from itertools import pairwise

import numpy as np

from tacit.reproduce.experiments.noise_linkage import (
    RULES,
    both,
    cluster,
    clusters,
    votes,
)
from tacit.reproduce.model import (
    Claim,
    Experiment,
    Figure,
    Params,
    Target,
    Values,
    params,
)

_SOURCE = "Rodriguez Fernandez (2013)"


def _small_or_first(params: Params) -> bool:
    """Quick: the small file, and one cell of the next."""
    first = params["data"] == "LC" and params["sigma"] == "25"
    return params["data"] == "C" or first


def _large(params: Params) -> bool:
    """Stand-ins are not judged, so one seed is enough."""
    return params["data"] != "C"


def _clusters_fail(values: Values) -> tuple[bool, str]:
    """In every cell: less than half of what the same number of blocks by ranks links."""
    share = {
        cell: float(np.mean(v["clusters_rate"]) / np.mean(v["ranks_rate"]))
        for cell, v in values.items()
    }
    worst = max(share, key=lambda cell: share[cell])
    percent = f"{100 * share[worst]:.0f} %"
    figure = f"clusters link at most {percent} of what ranks link ({worst})"
    # fail: less than half
    return share[worst] < 0.5, figure


def _votes_beat_nearest(values: Values) -> tuple[bool, str]:
    """The finding of Tables 5.2 and 5.3, at sigma 15 and 25."""
    gains = {
        cell: float(np.mean(v["gain_percent_best"]))
        for cell, v in values.items()
        if not cell.endswith("sigma=5")
    }
    # the weakest cell decides
    low = min(gains, key=lambda cell: gains[cell])
    figure = f"gain over nearest record at least {gains[low]:.1f} % ({low})"
    return gains[low] > 0, figure


def _more_links(values: Values) -> tuple[bool, str]:
    gains = {cell: float(np.mean(v["gain"])) for cell, v in values.items()}
    low = min(gains, key=lambda cell: gains[cell])
    return gains[low] >= 0, f"smallest gain {gains[low]:.1f} links ({low})"


def _grows_with_noise(values: Values) -> tuple[bool, str]:
    """Within each file, a larger sigma never has the smaller gain."""
    by_data: dict[str, list[tuple[float, float]]] = {}
    for cell, v in values.items():
        given = params(cell)
        gain = float(np.mean(v["gain_percent"]))
        by_data.setdefault(given["data"], []).append((float(given["sigma"]), gain))
    ordered = {
        data: [gain for _, gain in sorted(points)] for data, points in by_data.items()
    }
    holds = all(
        before <= after
        for gains in ordered.values()
        for before, after in pairwise(gains)
    )
    written = [
        f"{data}: " + ", ".join(f"{gain:.1f} %" for gain in gains)
        for data, gains in ordered.items()
    ]
    return holds, "; ".join(written)


# What must be there for a target to run; without it the target is "not available".
_NEEDS = ("tacit.protect:Noise", "tacit.attack:Nearest", "tacit.attack:Assignment")
_BOTH = Experiment("noise-linkage", both, _NEEDS, long=_large)
_VOTES = Experiment("blocks-votes", votes, ("tacit.attack:Blocks",), long=_large)
_CLUSTERS = Experiment(
    "blocks-clusters", clusters, ("tacit.attack:Blocks",), long=_large
)
_CLUSTER = Experiment(
    "cluster-assignment",
    cluster,
    ("tacit.protect:Noise", "tacit.attack:Assignment"),
)
# Tables 4.2 and 4.3 side by side.
_FIGURE = Figure("sigma", ("nearest", "assignment"), "correct links")

# More links are better for the intruder, who is measured here.
TARGETS = (
    Target(
        "assignment-4.2",
        f"{_SOURCE}, Table 4.2",
        "nearest record on noise-added files",
        _BOTH,
        better={"nearest": "higher", "nearest_seconds": "hardware"},
        quick=_small_or_first,
        once=_large,
        figure=_FIGURE,
    ),
    Target(
        "assignment-4.3",
        f"{_SOURCE}, Table 4.3",
        "optimal assignment on noise-added files",
        _BOTH,
        better={"assignment": "higher", "assignment_seconds": "hardware"},
        quick=_small_or_first,
        once=_large,
        figure=_FIGURE,
    ),
    Target(
        "assignment-4.4",
        f"{_SOURCE}, Table 4.4",
        "optimal assignment against nearest record",
        _BOTH,
        better={"gain": "higher", "gain_percent": "higher"},
        quick=_small_or_first,
        once=_large,
        claims=(
            Claim(
                "optimal assignment never finds fewer links than nearest record",
                _more_links,
            ),
            Claim("its relative gain grows with the noise", _grows_with_noise),
        ),
    ),
    # the tables of blocks are of stand-ins only, which are not judged: one seed each
    Target(
        "assignment-5.1",
        f"{_SOURCE}, Table 5.1",
        "blocks by kd-tree and k-means, rebalanced",
        _CLUSTERS,
        better={"clusters": "higher"},
        seeds=1,
        quick_seeds=1,
        quick=_small_or_first,
        explained="literature.md#blocks-matched-by-centroid",
        claims=(
            Claim("blocks by clusters fail where blocks by ranks work", _clusters_fail),
        ),
    ),
    Target(
        "assignment-5.2",
        f"{_SOURCE}, Table 5.2",
        "blocks by one attribute with votes",
        _VOTES,
        better={f"votes_{rule}": "higher" for rule in RULES},
        seeds=1,
        quick_seeds=1,
        quick=_small_or_first,
    ),
    Target(
        "assignment-5.3",
        f"{_SOURCE}, Table 5.3",
        "blocks with votes against nearest record",
        _VOTES,
        claims=(
            Claim(
                "votes link more than nearest record at sigma 15 and 25",
                _votes_beat_nearest,
            ),
        ),
        seeds=1,
        quick_seeds=1,
        quick=_small_or_first,
    ),
    # times are shown beside the published ones and never judged
    Target(
        "assignment-5.4",
        f"{_SOURCE}, Table 5.4",
        "seconds of one block",
        _VOTES,
        better={f"block_{what}_seconds": "hardware" for what in ("min", "max", "mean")},
        seeds=1,
        quick_seeds=1,
        quick=_small_or_first,
    ),
    Target(
        "assignment-5.5",
        f"{_SOURCE}, Table 5.5",
        "optimal assignment on a cluster",
        _CLUSTER,
        better={"cluster_assignment": "higher", "cluster_seconds": "hardware"},
        explained="literature.md#a-cluster-run-that-is-not-optimal",
    ),
)
