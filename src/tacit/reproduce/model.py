"""The words of ``tacit reproduce``: target, cell, experiment, claim, figure.

A *target* is one table or figure of a paper. Its *cells* are parameter settings ("data=C
sigma=25"). An *experiment* computes, for one cell and one seed, a value for each *measure*
("nearest", "risk"). The published values are data (``published/*.csv``); nothing here types in a
verdict.
"""

from __future__ import annotations

import importlib
import os
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Literal

Params = dict[str, str]
# The direction of an improvement; seconds depend on the machine and are not judged.
Better = Literal["higher", "lower", "none", "hardware"]


@dataclass(frozen=True)
class Context:
    """What an experiment may know besides its cell and seed."""

    quick: bool = False
    data: str | None = None

    def directory(self) -> str | None:
        """Where reference files lie: as given, else as the environment says."""
        return self.data or os.environ.get("TACIT_DATA")


@dataclass
class Outcome:
    """One run of an experiment.

    ``stand_in`` names the data that replace a file we do not have.
    """

    values: dict[str, float]
    stand_in: str = ""


@dataclass(frozen=True)
class Experiment:
    """A function (params, seed, context) -> Outcome, and what it needs ("module:Name").

    ``long`` says which cells take tens of seconds: these are started first, so that no worker is
    left alone with one at the end.
    """

    name: str
    run: Callable[[Params, int, Context], Outcome]
    needs: tuple[str, ...] = ()
    long: Callable[[Params], bool] = lambda params: False

    def missing(self) -> str | None:
        """The first part that is not there yet, or None."""
        for need in self.needs:
            module, _, attribute = need.partition(":")
            # an optional package that is not installed is a missing part, not an error
            try:
                part = importlib.import_module(module)
            except ImportError as error:
                return f"{need} ({error})"
            if attribute and not hasattr(part, attribute):
                return need
        return None


# cell -> measure -> values over seeds
Values = dict[str, dict[str, list[float]]]


@dataclass(frozen=True)
class Claim:
    """A sentence of the paper that holds or not; ``check`` says (holds, figure)."""

    text: str
    check: Callable[[Values], tuple[bool, str]]


@dataclass(frozen=True)
class Figure:
    """How to draw a target: measures over one parameter.

    There is one line for each value of the other parameters.
    """

    x: str
    measures: tuple[str, ...]
    y: str
    log_x: bool = False
    log_y: bool = False
    scatter_against: str = ""


@dataclass(frozen=True)
class Target:
    """One table or figure, and how to recompute it.

    Parameters
    ----------
    better : dict
        For each measure, which direction is an improvement (an attack that finds more, a loss
        that is smaller); "hardware" for seconds, which are shown and never judged.
    quick : callable
        The cells of a quick run.
    once : callable
        Cells that are run with one seed only (large stand-ins, whose values are not judged).
    cells : tuple of str
        The cells of a figure; those of a table are the published ones.
    fault : Experiment, optional
        The published program's error re-enacted. When it yields the published value and the
        sound computation does not, the verdict is *artefact*.
    explained : str
        The place in docs/literature.md that explains an artefact.
    refute : callable, optional
        Shows by computation that a published value is impossible: (cell, measure, text) ->
        sentence or None.
    label : callable, optional
        Our word for a cell whose published value is a word (which method won), from the
        values over seeds.
    """

    name: str
    source: str
    title: str
    experiment: Experiment
    better: dict[str, Better] = field(default_factory=dict)
    seeds: int = 10
    quick_seeds: int = 5
    quick: Callable[[Params], bool] = lambda params: True
    once: Callable[[Params], bool] = lambda params: False
    cells: tuple[str, ...] = ()
    fault: Experiment | None = None
    explained: str = ""
    refute: Callable[[str, str, str], str | None] | None = None
    label: Callable[[dict[str, list[float]]], str] | None = None
    claims: tuple[Claim, ...] = ()
    figure: Figure | None = None
    note: str = ""


def params(cell: str) -> Params:
    """'data=C sigma=25' -> {'data': 'C', 'sigma': '25'}

    >>> params("data=C sigma=25")
    {'data': 'C', 'sigma': '25'}
    """
    return dict(part.split("=", 1) for part in cell.split())
