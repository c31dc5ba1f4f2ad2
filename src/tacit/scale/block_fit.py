"""Blocks of a file that is read in passes: the same tree for a table, a file and a cluster."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Protocol, TypeVar

import numpy as np
import pyarrow as pa

from tacit.base.errors import InputError, ParameterError
from tacit.base.typing import Ints
from tacit.scale.column_codes import Coding, check_columns, is_numeric, order_categories
from tacit.scale.partition.orth_splitter import OrthSplitter
from tacit.scale.partition.orthtree import Growth, OrthTree
from tacit.scale.partition.ranges import Grid, mean_from_total, sd_from_moments
from tacit.scale.passes import Leaves, Levels, Moments, Pass, Survey

P = TypeVar("P", bound=Pass)


class Readable(Protocol):
    """A file on one machine or on many."""

    name: str
    schema: pa.Schema

    def learn(self, state: P) -> P:
        """Read the file once into ``state``."""
        ...


@dataclass(frozen=True)
class Fitted:
    """How the records of a file are put into blocks.

    Of its numeric columns also the scale, the mean (``fill``) and the number of values present.
    """

    coding: Coding
    splitter: OrthSplitter
    scale: dict[str, float]
    fill: dict[str, float]
    present: dict[str, int]

    @property
    def n(self) -> int:
        """Records of the file."""
        return self.splitter.grid.n

    def assign(self, table: pa.Table | pa.RecordBatch) -> Ints:
        """The block of each record."""
        return self.splitter.assign(self.coding.numbers(table))


def fit(
    source: Readable,
    split_on: Sequence[str],
    tree: OrthTree,
    *,
    also: Sequence[str] = (),
    categorical: Sequence[str] = (),
) -> Fitted:
    """Grow the tree on the columns ``split_on``.

    ``also``: further numeric columns whose scale is wanted.
    """
    check_columns(source.schema, split_on, source.name)
    texts = tuple(
        name
        for name in split_on
        if name in categorical or not is_numeric(source.schema.field(name).type)
    )
    wanted = [name for name in [*split_on, *also] if name not in texts]
    numeric = tuple(dict.fromkeys(wanted))
    for name in also:
        if not is_numeric(source.schema.field(name).type):
            raise ParameterError(f"column '{name}' is not numeric")
    # first reading: ranges and categories
    survey = source.learn(Survey(numeric, texts))
    _refuse_empty(source.name, survey)
    # second reading: means and standard deviations, from exact sums of codes in the ranges
    low, high = survey.box()
    moments = source.learn(Moments(numeric, texts, low, high))
    count = [survey.present[name] for name in numeric]
    sd = sd_from_moments(count, low, high, moments.total, moments.squares)
    mean = mean_from_total(count, low, high, moments.total)
    scale = dict(zip(numeric, sd.tolist(), strict=True))
    fill = dict(zip(numeric, mean.tolist(), strict=True))
    places = {
        name: order_categories(survey.categories[name], moments.sums.get(name, {}))
        for name in texts
    }
    coding = Coding(tuple(split_on), places, fill)
    # further readings: some levels of the tree each, until no node is too large
    growth = Growth.start(_grid(survey, coding, scale), tree)
    while growth.frontier.size:
        level = source.learn(Levels(coding, growth))
        growth.count([(level.names, level.count)])
    # last reading: where the leaves are, so that small ones join their neighbours
    leaves = source.learn(Leaves(coding, growth))
    splitter = growth.finish(leaves.count, leaves.total)
    return Fitted(coding, splitter, scale, fill, dict(survey.present))


def _refuse_empty(
    source: str,
    survey: Survey,
) -> None:
    if survey.n == 0:
        raise InputError(f"{source}: the file has no records")
    for name in survey.numeric:
        if not survey.present[name]:
            raise InputError(
                f"{source}: column '{name}' has no value at all; leave it out"
            )


def _grid(
    survey: Survey,
    coding: Coding,
    sd: Mapping[str, float],
) -> Grid:
    """The box that the tree halves: ranges of numbers, and places of categories."""
    d = len(coding.names)
    low = np.zeros(d)
    high = np.zeros(d)
    spread = np.ones(d)
    for j, name in enumerate(coding.names):
        if name in coding.places:
            high[j] = max(len(coding.places[name]) - 1, 0)
        else:
            low[j], high[j] = survey.low[name], survey.high[name]
            # a column of a single value has no spread: 1 leaves it as it is
            spread[j] = sd[name] if sd[name] > 0 else 1.0
    # adding 0.0 turns -0.0 into 0.0, so that bounds have one form only
    return Grid(survey.n, low + 0.0, high + 0.0, spread)
