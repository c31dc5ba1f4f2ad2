"""Muralidhar and Domingo-Ferrer (003): Mahalanobis linkage of IPSO, and the table of winners under noise."""

from __future__ import annotations

import numpy as np

from tacit.reproduce.model import Claim, Context, Experiment, Outcome, Params, Target, Values

_SOURCE = "003 (Mahalanobis revisited)"
_STAND_IN = "the settings of the simulation are not printed; ours are in tacit.attack.experiments.mahalanobis"


def _ipso(params: Params, seed: int, context: Context) -> Outcome:
    from tacit.attack.experiments.mahalanobis import ipso_links
    from tacit.datasets.casc import missing

    absent = missing("eia", context.directory()) or "the roles of the EIA columns are not printed"
    found = ipso_links(params["variant"], seed, n=1500 if context.quick else 4092)
    return Outcome(found, f"{absent}; a drawn file of firms stands for it")


def _cell(params: Params, seed: int, context: Context) -> Outcome:
    from tacit.attack.experiments.mahalanobis import cell

    n = 1200 if context.quick else 3000
    return Outcome(cell(params["correlation"], params["level"], params["noise"], seed, n))


def _winner(values: dict[str, list[float]]) -> str:
    """Computed from the paired differences over seeds."""
    from tacit.attack.experiments.mahalanobis import winner

    runs = [{"euclidean": e, "mahalanobis": m} for e, m in zip(values["euclidean"], values["mahalanobis"], strict=True)]
    return winner(runs)


def _mean(values: Values, variant: str, measure: str) -> float:
    return float(np.mean(values[f"variant={variant}"][measure]))


def _alike(values: Values) -> tuple[bool, str]:
    found = [_mean(values, v, "aware") for v in "ABC"]
    return max(found) < 1.1 * min(found), "aware: " + ", ".join(f"{v:.0f}" for v in found)


def _naive_fails_on_c(values: Values) -> tuple[bool, str]:
    naive, aware = _mean(values, "C", "naive"), _mean(values, "C", "aware")
    return naive < 0.6 * aware, f"IPSO-C: naive {naive:.0f}, aware {aware:.0f}"


def _euclidean_fails(values: Values) -> tuple[bool, str]:
    ratios = [_mean(values, v, "euclidean") / _mean(values, v, "aware") for v in "ABC"]
    return max(ratios) < 0.2, f"Euclidean over aware: at most {max(ratios):.2f}"


def _aware_is_best(values: Values) -> tuple[bool, str]:
    """In no cell does either plain distance find clearly more than the attacker who knows the masking."""
    gaps = {
        c: float(np.mean(v["aware"])) - max(float(np.mean(v["euclidean"])), float(np.mean(v["mahalanobis"])))
        for c, v in values.items()
    }
    low = min(gaps, key=lambda c: gaps[c])
    return gaps[low] > -1.0, f"aware less the better plain distance: at least {gaps[low]:.2f} points ({low})"


_ROOM = "tacit.attack.experiments.mahalanobis"

TARGETS = (
    Target(
        "mahalanobis-ipso",
        f"{_SOURCE}, record linkage results",
        "correct links of IPSO-A, -B, -C, 4,092 records",
        Experiment("mahalanobis-ipso", _ipso, (f"{_ROOM}:ipso_links", "tacit.protect:IPSO")),
        better={"aware": "higher", "naive": "higher", "euclidean": "higher"},
        seeds=3,
        quick_seeds=2,
        claims=(
            Claim("the attacker who knows the masking links A, B and C alike", _alike),
            Claim("the naive distance fails on IPSO-C", _naive_fails_on_c),
            Claim("Euclidean distance fails on all three", _euclidean_fails),
        ),
        explained="literature.md#mahalanobis-without-the-masking",
    ),
    Target(
        "mahalanobis-simulation",
        f"{_SOURCE}, simulation",
        "which distance wins, by correlation, level and kind of noise",
        Experiment("mahalanobis-simulation", _cell, (f"{_ROOM}:cell",)),
        seeds=10,
        quick_seeds=3,
        label=_winner,
        claims=(Claim("knowing the masking is never worse than either distance", _aware_is_best),),
        note=_STAND_IN + ".",
    ),
)
