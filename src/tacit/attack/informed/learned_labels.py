"""What labels hold is learned from links, and links from labels: expectation and maximisation."""

from __future__ import annotations

import numpy as np

from tacit.attack.informed.base import Informed
from tacit.attack.informed.evidence import Evidence, Rule
from tacit.attack.informed.labels import Labelled, gaps, labelled
from tacit.attack.informed.tables import counted, links_of, looked_up
from tacit.base.typing import Floats
from tacit.data.microdata import Kind, Microdata

# Links and labels are learned in turn so often
ROUNDS = 8
# Largest file whose links are all written down in every round
LARGEST = 3_000
# The first guess of a table counts like this many records of each value
PRIOR = 3.0
# Values of which fewer than this many records are expected share what they learn
SMALLEST = 1e-9


class AwareLabels(Informed):
    """The intruder compares labels with the values that they hold, and gaps with gaps.

    Parameters
    ----------
    rule : {"assignment", "nearest", "likeliest"}
        Who is named: the best bijection, each original's cheapest record, or its likeliest.
    columns : list of str, optional
        The columns that the intruder compares; the quasi-identifiers unless given.

    Notes
    -----
    **Definition.** The cost is -log P(label | value). A label that is an interval holds the
    values in it, a category that kept its name itself; of other labels the probabilities are
    learned together with the links. A missing value is a label too: gaps stay, and what the
    release has more of them were values before. Of continuous columns only gaps are looked
    at.

    **Guarantee.** None on what is learned; links are exact under it.

    **Cost.** n^2 per column and round, up to 3,000 records; beyond, what labels say
    themselves.

    References
    ----------
    Dempster, Laird and Rubin (1977) for learning with links unknown.

    Examples
    --------
    >>> x = {"age": [12.0, 35.0, 71.0], "town": ["a", "b", "a"]}
    >>> z = {"age": ["< 20", "[20, 40)", ">= 40"], "town": ["a", "b", "a"]}
    >>> AwareLabels().link(x, z).correct
    3.0
    """

    method = "labels"

    def __init__(
        self,
        rule: Rule = "assignment",
        columns: list[str] | None = None,
    ) -> None:
        self.rule = rule
        self.columns = columns

    @property
    def knows(self) -> str:
        """Who the intruder is and what they know, in one phrase."""
        return self._says("and learns which values each released label holds")

    def evidence(
        self,
        original: Microdata,
        masked: Microdata,
        columns: list[str],
    ) -> Evidence:
        """Labels and gaps by themselves, without other columns to learn from."""
        none = Evidence.none(original.n, masked.n)
        return self.beside(none, original, masked, columns)

    def beside(
        self,
        rest: Evidence,
        original: Microdata,
        masked: Microdata,
        columns: list[str],
    ) -> Evidence:
        """Labels and gaps, learned from the links that other evidence makes.

        Parameters
        ----------
        rest : Evidence
            What other columns say.
        original, masked : Microdata
            Both files.
        columns : list of str
            The columns to look at.
        """
        numbers = [name for name in columns if numbers_in_both(original, masked, name)]
        found = [
            labelled(original, masked, name) for name in columns if name not in numbers
        ]
        found += gaps(original, masked, numbers)
        return learned(rest, found) if found else Evidence.none(original.n, masked.n)


def numbers_in_both(
    original: Microdata,
    masked: Microdata,
    name: str,
) -> bool:
    """Is a column continuous in both files?

    Parameters
    ----------
    original, masked : Microdata
        Both files.
    name : str
        A column of both.
    """
    kinds = original.schema[name].scale, masked.schema[name].scale
    return kinds == (Kind.continuous, Kind.continuous)


def learned(rest: Evidence, columns: list[Labelled]) -> Evidence:
    """The evidence of labelled columns, given that of the others.

    Parameters
    ----------
    rest : Evidence
        What the other columns say.
    columns : list of Labelled
        Columns of categories, labels and gaps.
    """
    tables = [column.chance for column in columns]
    n = len(rest.u)
    m = len(rest.v)
    if max(n, m) <= LARGEST and not all(column.fixed for column in columns):
        tables = _learn(_all_pairs(rest), columns)
    ours = np.stack([column.ours for column in columns], 1)
    theirs = np.stack([column.theirs for column in columns], 1)
    costs = [
        _cost(table, column) for table, column in zip(tables, columns, strict=True)
    ]
    return looked_up(ours, theirs, costs, _hint(columns, tables))


def _all_pairs(rest: Evidence) -> Floats:
    """Costs of all pairs of records; impossible ones are walls."""
    ours, theirs = rest.classes()
    cost = rest.block(ours.rows, theirs.rows)
    finite = cost[np.isfinite(cost)]
    wall = float(finite.max(initial=0.0)) + 50.0
    cost = np.where(np.isfinite(cost), cost, wall)
    return np.asarray(cost[ours.inverse][:, theirs.inverse])


def _learn(rest: Floats, columns: list[Labelled]) -> list[Floats]:
    """Tables that fit the links which they and the rest imply."""
    tables = [column.chance for column in columns]
    for _ in range(ROUNDS):
        cost = rest.copy()
        for column, table in zip(columns, tables, strict=True):
            cost += _cost(table, column)[column.ours][:, column.theirs]
        links = links_of(cost)
        tables = [_updated(column, links) for column in columns]
    return tables


def _updated(column: Labelled, links: Floats) -> Floats:
    """Shares of expected links, the first guess counting like PRIOR records."""
    if column.fixed:
        return column.chance
    count = counted(links, column.ours, column.theirs, column.chance.shape)
    weight = count + PRIOR * column.chance
    return np.asarray(weight / weight.sum(axis=1, keepdims=True))


def _cost(table: Floats, column: Labelled) -> Floats:
    """-log P(label | value) + log P(label): a rare label tells more than a frequent one."""
    size = table.shape[1]
    share = np.bincount(column.theirs, minlength=size) / max(len(column.theirs), 1)
    return np.asarray(
        np.log(np.maximum(share, SMALLEST)) - np.log(np.maximum(table, SMALLEST))
    )


def _hint(
    columns: list[Labelled],
    tables: list[Floats],
) -> tuple[Floats, Floats]:
    """Square roots of probabilities: near where a value has the label."""
    left, right = [], []
    for column, table in zip(columns, tables, strict=True):
        left.append(np.sqrt(table)[column.ours])
        right.append(np.eye(table.shape[1])[column.theirs])
    return np.hstack(left), np.hstack(right)
