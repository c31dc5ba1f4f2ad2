"""Blocks of a file that is read in passes: the same tree for a table, a Parquet file and a cluster."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Protocol, TypeVar

import numpy as np
import pyarrow as pa

from tacit.errors import InputError, ParameterError
from tacit.large.coding import Coding, check_columns, is_numeric, order_categories
from tacit.large.passes import Leaves, Levels, Moments, Pass, Survey
from tacit.partition.grid import Floats, Grid, mean_from_total, sd_from_moments
from tacit.partition.orthtree import Growth, OrthSplitter, OrthTree

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
    """How the records of a file are put into blocks; of its numeric columns the scale, the mean (``fill``) and the
    number of values present."""

    coding: Coding
    splitter: OrthSplitter
    scale: dict[str, float]
    fill: dict[str, float]
    present: dict[str, int]

    @property
    def n(self) -> int:
        return self.splitter.grid.n

    def assign(self, table: pa.Table | pa.RecordBatch) -> np.ndarray[tuple[int], np.dtype[np.int64]]:
        return self.splitter.assign(self.coding.numbers(table))


def fit(
    source: Readable,
    split_on: Sequence[str],
    tree: OrthTree,
    *,
    also: Sequence[str] = (),
    categorical: Sequence[str] = (),
) -> Fitted:
    """Grow the tree on the columns ``split_on``; ``also``: further numeric columns whose scale is wanted."""
    check_columns(source.schema, split_on, source.name)
    texts = tuple(c for c in split_on if c in categorical or not is_numeric(source.schema.field(c).type))
    numeric = tuple(dict.fromkeys(c for c in [*split_on, *also] if c not in texts))
    for name in also:
        if not is_numeric(source.schema.field(name).type):
            raise ParameterError(f"column '{name}' is not numeric")
    survey = source.learn(Survey(numeric, texts))
    if survey.n == 0:
        raise InputError(f"{source.name}: the file has no records")
    for name in numeric:
        if not survey.present[name]:
            raise InputError(f"{source.name}: column '{name}' has no value at all; leave it out")
    low, high = survey.box()
    measured = source.learn(Moments(numeric, texts, low, high))
    count = [survey.present[name] for name in numeric]
    sd = sd_from_moments(count, low, high, measured.total, measured.squares)
    mean = mean_from_total(count, low, high, measured.total)
    fill = dict(zip(numeric, mean.tolist(), strict=True))
    places = {name: order_categories(survey.categories[name], measured.sums.get(name, {})) for name in texts}
    coding = Coding(tuple(split_on), places, fill)
    growth = Growth.start(_grid(survey, coding, dict(zip(numeric, sd, strict=True))), tree)
    while growth.frontier.size:
        level = source.learn(Levels(coding, growth))
        growth.count([(level.names, level.count)])
    leaves = source.learn(Leaves(coding, growth))
    scale = dict(zip(numeric, sd.tolist(), strict=True))
    return Fitted(coding, growth.finish(leaves.count, leaves.total), scale, fill, dict(survey.present))


def _grid(survey: Survey, coding: Coding, sd: dict[str, float]) -> Grid:
    low, high, spread = (np.zeros(len(coding.names)) for _ in range(3))
    for j, name in enumerate(coding.names):
        if name in coding.places:
            high[j], spread[j] = max(len(coding.places[name]) - 1, 0), 1.0
        else:
            low[j], high[j], spread[j] = survey.low[name], survey.high[name], sd[name]
    return Grid(survey.n, low + 0.0, high + 0.0, _positive(spread))


def _positive(values: Floats) -> Floats:
    return np.where(values > 0, values, 1.0)
