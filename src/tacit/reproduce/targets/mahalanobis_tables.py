"""Muralidhar and Domingo-Ferrer: Mahalanobis linkage of IPSO, and who wins under noise."""

from __future__ import annotations

import numpy as np

from tacit.data.datasets.casc import missing
from tacit.data.microdata import Microdata
from tacit.reproduce.experiments.eia_roles import eia
from tacit.reproduce.experiments.mahalanobis import (
    FIRMS,
    firms,
    ipso_links,
    without_noise,
)
from tacit.reproduce.experiments.simulation_settings import (
    aware_rate,
    rates,
    simulated,
    word,
)
from tacit.reproduce.model import (
    Claim,
    Context,
    Experiment,
    Outcome,
    Params,
    Target,
    Values,
)

_SOURCE = "Muralidhar and Domingo-Ferrer"
_ROOM = "tacit.reproduce.experiments.mahalanobis"


def _file(seed: int, context: Context) -> tuple[Microdata, str]:
    """EIA, or a drawn file with a note that it stands for it."""
    absent = missing("eia", context.directory())
    if absent is None:
        return eia(context.directory()), ""
    drawn = firms(1500 if context.quick else FIRMS, seed)
    return drawn, f"{absent}; a drawn file of firms stands for it"


def _ipso(params: Params, seed: int, context: Context) -> Outcome:
    data, note = _file(seed, context)
    return Outcome(ipso_links(data, params["variant"], seed), note)


def _ipso_without_noise(params: Params, seed: int, context: Context) -> Outcome:
    data, note = _file(seed, context)
    variant = params["variant"]
    # the slides say so of A and B only
    links = without_noise(data, variant, seed) if variant != "C" else {}
    return Outcome(links, note)


def _cell(params: Params, seed: int, context: Context) -> Outcome:
    cell = (params["correlation"], params["level"], params["noise"])
    x, z = simulated(cell, seed)
    euclidean, mahalanobis = rates(x, z)
    values = {
        "euclidean": euclidean,
        "mahalanobis": mahalanobis,
        "aware": aware_rate(x, z, cell),
    }
    return Outcome(values)


def _winner(values: dict[str, list[float]]) -> str:
    """By the means over seeds."""
    return word(
        float(np.mean(values["euclidean"])), float(np.mean(values["mahalanobis"]))
    )


def _mean(values: Values, variant: str, measure: str) -> float:
    return float(np.mean(values[f"variant={variant}"][measure]))


def _alike(values: Values) -> tuple[bool, str]:
    links = [_mean(values, variant, "aware") for variant in "ABC"]
    # alike: within a tenth
    alike = max(links) < 1.1 * min(links)
    return alike, "aware: " + ", ".join(f"{correct:.0f}" for correct in links)


def _naive_fails_on_c(values: Values) -> tuple[bool, str]:
    naive, aware = _mean(values, "C", "naive"), _mean(values, "C", "aware")
    # the slides print 773 links against 3,206
    return naive < 0.6 * aware, f"IPSO-C: naive {naive:.0f}, aware {aware:.0f}"


def _euclidean_fails(values: Values) -> tuple[bool, str]:
    ratios = [_mean(values, v, "euclidean") / _mean(values, v, "aware") for v in "ABC"]
    return max(ratios) < 0.2, f"Euclidean over aware: at most {max(ratios):.2f}"


def _aware_is_best(values: Values) -> tuple[bool, str]:
    """In no cell does a plain distance find clearly more than who knows the masking."""
    gaps = {}
    for name, v in values.items():
        plain = max(float(np.mean(v[d])) for d in ("euclidean", "mahalanobis"))
        gaps[name] = float(np.mean(v["aware"])) - plain
    low = min(gaps, key=lambda name: gaps[name])
    least = f"at least {gaps[low]:.2f} points ({low})"
    # a point of slack for the sampling error of the means
    return gaps[low] > -1.0, f"aware less the better plain distance: {least}"


TARGETS = (
    Target(
        "mahalanobis-ipso",
        f"{_SOURCE}, record linkage results",
        "correct links of IPSO-A, -B, -C, 4,092 records",
        Experiment(
            "mahalanobis-ipso", _ipso, (f"{_ROOM}:ipso_links", "tacit.protect:IPSO")
        ),
        better={"aware": "higher", "naive": "higher", "euclidean": "higher"},
        seeds=10,
        quick_seeds=5,
        claims=(
            Claim("the attacker who knows the masking links A, B and C alike", _alike),
            Claim("the naive distance fails on IPSO-C", _naive_fails_on_c),
            Claim("Euclidean distance fails on all three", _euclidean_fails),
        ),
        fault=Experiment("mahalanobis-without-noise", _ipso_without_noise),
        explained="literature.md#mahalanobis-without-the-masking",
    ),
    Target(
        "mahalanobis-simulation",
        f"{_SOURCE}, simulation",
        "which distance wins, by correlation, level and kind of noise",
        Experiment("mahalanobis-simulation", _cell),
        seeds=10,
        quick_seeds=3,
        label=_winner,
        claims=(
            Claim(
                "knowing the masking is never worse than either distance",
                _aware_is_best,
            ),
        ),
        note="The settings of the simulation are not printed; those of "
        "tacit.reproduce.experiments.simulation_settings were searched to fit.",
    ),
)
