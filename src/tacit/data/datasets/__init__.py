"""Data to work with: generators, loaders of reference files, and the worked examples of the papers.

    from tacit import datasets
    table = datasets.make_census(1080, seed=0)        # census-like incomes, from a copula
    table, note = datasets.load("census")             # the CASC reference file, or a generated stand-in with
    a note stream = datasets.RandomRBF(seed=1)               # generators of streams

Names are imported on first use, so that ``import tacit`` stays light.
"""

from __future__ import annotations

from importlib import import_module
from typing import Any

#: public name -> module that holds it; a new data set is one new file and one line here
_WHERE = {
    "make_census": "census",
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
        raise AttributeError(f"tacit.datasets has no {name!r}; it has {', '.join(__all__)}")
    if not _WHERE[name]:
        return import_module(f"{__name__}.{name}")
    return getattr(import_module(f"{__name__}.{_WHERE[name]}"), name)


def __dir__() -> list[str]:
    return __all__
