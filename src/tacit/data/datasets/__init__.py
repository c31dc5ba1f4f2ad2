"""Data to work with: generators, reference files, and the worked examples of the papers.

    from tacit import datasets
    table = datasets.make_census(1080, seed=0)   # census-like incomes, from a copula
    table = datasets.make_panel(500, years=6)    # persons with several years
    table = datasets.make_households(500)        # persons in households
    table = datasets.make_hospital(1000)         # patients with several stays
    table = datasets.make_adult(30162)           # the nine keys of the Adult file
    table, note = datasets.load("census")        # the CASC file, or a stand-in with a note
    stream = datasets.RandomRBF(seed=1)          # generators of streams

Names are imported on first use, so that ``import tacit`` stays light.
"""

from __future__ import annotations

from importlib import import_module
from typing import Any

#: public name -> module that holds it; a new data set is one new file and one line here
_WHERE = {
    "make_census": "census",
    "make_panel": "panel_survey",
    "make_households": "household_survey",
    "make_hospital": "hospital",
    "make_adult": "adult",
    "adult_hierarchies": "adult",
    "load": "casc",
    "reference": "casc",
    "Reference": "casc",
    "REFERENCES": "casc",
    "examples": "",
    "RandomRBF": "rbf",
    "Waveform": "waveform",
}

__all__ = sorted(_WHERE)


def __getattr__(name: str) -> Any:
    if name not in _WHERE:
        known = ", ".join(__all__)
        raise AttributeError(f"tacit.data.datasets has no {name!r}; it has {known}")
    # the examples are a module and not a name inside one
    if not _WHERE[name]:
        return import_module(f"{__name__}.{name}")
    module = import_module(f"{__name__}.{_WHERE[name]}")
    return getattr(module, name)


def __dir__() -> list[str]:
    return __all__
