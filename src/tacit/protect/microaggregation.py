"""Microaggregation: records are replaced by the average of a group of at least k."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Annotated, Any, Literal

import numpy as np
from annotated_types import Ge, Gt
from numpy.typing import NDArray

from tacit.errors import InputError, ParameterError
from tacit.microdata import FloatArray, Kind, Microdata
from tacit.protect import aggregates, partitions
from tacit.protect.aggregates import group_means
from tacit.protect.base import Protector
from tacit.protect.blocks import blocks, parse

__all__ = ["Microaggregation", "group_means"]

Partition = Literal["mdav", "vmdav", "mu-approx", "individual", "zscores", "pca"]
Size = Annotated[int, Ge(1)]
Labels = NDArray[np.int64]
Groups = list[tuple[list[str], Labels]]


class Microaggregation(Protector):
    """Replace each record by the average of its group of at least k records.

    Definition: the columns are cut into blocks (``groups``); in each block the records are partitioned, and each
    value becomes the mean (continuous), the lower median (ordinal) or the mode (nominal) of its group. If a column has
    the role ``weight`` these are weighted, sum w x / sum w, so that weighted totals stay what they were.
    Source: Domingo-Ferrer and Mateo-Sanz (2002); 000, section 3.1.3; 001, section 4.
    Guarantee: in each block every combination of masked values occurs at least k times. With several blocks this
    holds for each block and not for all columns together. Missing values sit at the column mean while groups are
    formed and are replaced by their group's average, so that they cannot single out a record.
    Cost: ``individual``, ``zscores`` and ``pca`` n log n; ``mu-approx`` a kd-tree; ``mdav`` and ``vmdav`` up to n^2.
    Known attacks: nearest record on the averages; ``individual`` protects little, since values hardly move.

    Parameters: ``k``: smallest group, one number or one a block. ``partition``: mdav (exact), vmdav (groups of
    k..2k-1), mu-approx, individual (each column on its own), zscores or pca (neighbours on a projection).
    ``groups``: None for all columns together, a number of columns at a time, lists of columns, or a name of the
    papers (Mic2 .. Mic6, MicAll, MicIR, MicZ, MicPCP, Mic553-2.8.5). ``aggregate``: ``auto`` as above, or
    ``median`` for continuous columns too. ``scale``: divide columns by their standard deviation before distances
    are taken (``std``) or not (``none``). ``univariate``: on one dimension, the ``optimal`` groups (shortest path)
    or runs of k (``fixed``). ``gamma``: how readily a V-MDAV group grows. ``weighted``: use the file's sampling
    weights, if it has any.

    Fitted: ``labels_`` (group of each record; one column a block when there are several), ``sse_``, ``sst_`` (on
    columns of population sd 1) and ``sse_ratio_``.

    >>> import numpy as np
    >>> x = np.array([[8, 9], [6, 7], [10, 3], [7, 1.0]])
    >>> Microaggregation(k=2).fit_transform(x).tolist()
    [[7.0, 8.0], [7.0, 8.0], [8.5, 2.0], [8.5, 2.0]]
    """

    def __init__(
        self,
        k: Size | list[Size] = 3,
        partition: Partition = "mdav",
        groups: Annotated[int, Ge(1)] | str | list[list[str]] | None = None,
        aggregate: Literal["auto", "median"] = "auto",
        scale: Literal["std", "none"] = "std",
        univariate: Literal["optimal", "fixed"] = "optimal",
        gamma: Annotated[float, Gt(0)] = 0.2,
        weighted: bool = True,
        columns: list[str] | None = None,
    ) -> None:
        self.k = k
        self.partition = partition
        self.groups = groups
        self.aggregate = aggregate
        self.scale = scale
        self.univariate = univariate
        self.gamma = gamma
        self.weighted = weighted
        self.columns = columns

    @classmethod
    def named(cls, name: str, k: int = 3, **parameters: Any) -> Microaggregation:
        """The method that a paper calls ``name``, for example ``Mic553-2.8.5`` or ``MicPCP``.

        >>> Microaggregation.named("MicPCP", k=5).partition
        'pca'
        """
        found = parse(name)
        if found.partition is not None:
            return cls(k=list(found.ks) if found.ks else k, partition=found.partition, **parameters)  # type: ignore[arg-type]
        return cls(k=k, groups=name, **parameters)

    def _fit(self, data: Microdata, columns: list[str], rng: np.random.Generator) -> None:
        table = self._table(data, columns)
        self._keep(table, self._partition(table))

    def _apply(self, data: Microdata, columns: list[str], rng: np.random.Generator) -> Microdata:
        table = self._table(data, columns)
        return self._average(data, table, self._partition(table))

    def _fit_apply(self, data: Microdata, columns: list[str], rng: np.random.Generator) -> Microdata:
        table = self._table(data, columns)
        groups = self._partition(table)
        self._keep(table, groups)
        return self._average(data, table, groups)

    def _table(self, data: Microdata, columns: list[str]) -> _Table:
        names = data.schema.names(role="weight") if self.weighted else []
        return _Table.of(data, columns, _weights(data, names[0]) if names else None)

    def _partition(self, table: _Table) -> Groups:
        """The blocks of columns and, for each, the group of every record in value order."""
        method: str = self.partition
        if isinstance(self.groups, str) and parse(self.groups).partition is not None:
            method = str(parse(self.groups).partition)
        k: Any = self.k
        parts = blocks(list(table.place), self.groups, k if isinstance(k, list) else int(k))
        if method == "individual":
            parts = [([name], size) for names, size in parts for name in names]
        n = len(table.order)
        out: Groups = []
        for names, size in parts:
            if n < size:
                raise ParameterError(
                    f"k={size} is larger than the number of records ({n}): no group of k can be formed"
                )
            out.append((names, self._groups(table, names, size, method)))
        return out

    def _groups(self, table: _Table, names: list[str], k: int, method: str) -> Labels:
        optimal = self.univariate == "optimal"
        if method == "individual" and table.kinds[names[0]] is not Kind.nominal:
            score = aggregates.standardise(table.numbers(names))[:, 0]
            return partitions.along(score, k, optimal=optimal)
        points = table.points(names, scale=self.scale == "std")
        if method == "vmdav":
            return partitions.vmdav(points, k, self.gamma)
        if method == "mu-approx":
            return partitions.mu_approx(points, k)
        if method in ("zscores", "pca"):
            score = partitions.zscores(points) if method == "zscores" else partitions.first_component(points)
            return partitions.along(score, k, optimal=optimal)
        return np.asarray(partitions.mdav(points, k))

    def _average(self, data: Microdata, table: _Table, groups: Groups) -> Microdata:
        names = [name for block, _ in groups for name in block]
        masked = np.empty((data.n, len(names)))
        for block, labels in groups:
            for name in block:
                column = table.numbers([name])
                if table.kinds[name] is Kind.nominal:
                    value = aggregates.group_modes(column[:, 0], labels, table.sizes[name], table.weights)
                elif table.kinds[name] is Kind.ordinal or self.aggregate == "median":
                    value = aggregates.group_medians(column, labels, table.weights)[:, 0]
                else:
                    value = group_means(column, labels, table.weights)[:, 0]
                masked[table.order, names.index(name)] = value[labels]
        return data.with_numbers(names, masked)

    def _keep(self, table: _Table, groups: Groups) -> None:
        labels_ = np.empty((len(table.order), len(groups)), dtype=np.int64)
        sse = sst = 0.0
        for j, (names, labels) in enumerate(groups):
            labels_[table.order, j] = labels
            points = table.points(names)
            sse += float(((points - group_means(points, labels)[labels]) ** 2).sum())
            sst += float(((points - points.mean(axis=0)) ** 2).sum())
        self.labels_ = labels_ if len(groups) > 1 else labels_[:, 0]
        self.blocks_ = [names for names, _ in groups]
        self.sse_, self.sst_ = sse, sst
        self.sse_ratio_ = sse / sst if sst > 0 else 0.0


def _weights(data: Microdata, name: str) -> FloatArray:
    weights = data.column(name)
    wrong = np.flatnonzero(~(weights >= 0))
    if wrong.size:
        raise InputError(
            f"column '{name}', row {wrong[0] + 1}: a sampling weight must be a number of 0 or more; correct it, give "
            "the column another role, or do without weights (weighted=false)"
        )
    return weights


@dataclass(frozen=True)
class _Table:
    """The columns to protect with the records in value order: sums then do not depend on the order of the rows."""

    values: FloatArray
    order: NDArray[np.intp]
    place: dict[str, int]
    kinds: dict[str, Kind]
    sizes: dict[str, int]
    weights: FloatArray | None

    @classmethod
    def of(cls, data: Microdata, columns: list[str], weights: FloatArray | None = None) -> _Table:
        values = data.numbers(columns)
        order = np.argsort(values[:, 0], kind="stable")
        first = values[order, 0]
        if np.isnan(first).any() or (first[1:] == first[:-1]).any():
            order = np.lexsort((*([] if weights is None else [weights]), *values.T[::-1]))
        kinds = {name: data.schema[name].kind for name in columns}
        sizes = {n: 0 if kind is Kind.continuous else len(data.categories(n)) for n, kind in kinds.items()}
        place = {name: j for j, name in enumerate(columns)}
        return cls(values[order], order, place, kinds, sizes, None if weights is None else weights[order])

    def numbers(self, names: list[str]) -> FloatArray:
        return self.values[:, [self.place[name] for name in names]]

    def points(self, names: list[str], *, scale: bool = True) -> FloatArray:
        kinds = [self.kinds[name] for name in names]
        return aggregates.coordinates(self.numbers(names), kinds, [self.sizes[n] for n in names], scale=scale)
