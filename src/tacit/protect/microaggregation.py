"""Microaggregation: records are replaced by the average of a group of at least k."""

from __future__ import annotations

from collections.abc import Mapping
from functools import partial
from typing import Annotated, Any, Literal, TypeGuard, cast

import numpy as np
from annotated_types import Ge, Gt

from tacit.base.errors import ParameterError
from tacit.base.facts import Strength
from tacit.base.typing import Floats, Ints
from tacit.data.io.on_disk import OnDisk
from tacit.data.microdata import Kind, Microdata, Role
from tacit.protect import by_address
from tacit.protect.base import Passes, Protector
from tacit.protect.file_parts import has_units
from tacit.protect.grouping import aggregates
from tacit.protect.grouping import record_groups as partitions
from tacit.protect.grouping.aggregates import group_means
from tacit.protect.grouping.along_line import (
    Average,
    Line,
    averages_along,
    mean_of_groups,
    median_of_groups,
)
from tacit.protect.grouping.by_units import (
    RowUnits,
    counted_by,
    groups_of_units,
    levels_of,
)
from tacit.protect.grouping.column_blocks import blocks, parse
from tacit.protect.grouping.gap_classes import BLANK, gap_classes, too_few_values
from tacit.protect.grouping.individual_from_disk import averaged_on_disk
from tacit.protect.grouping.thin_averages import thick_groups
from tacit.protect.grouping.value_order import ValueOrderedTable, sampling_weights

__all__ = ["Microaggregation", "group_means"]

Partition = Literal["mdav", "vmdav", "mu-approx", "individual", "zscores", "pca"]
Size = Annotated[int, Ge(1)]
Groups = list[tuple[list[str], Ints]]
"""Blocks of columns and, for each, the group of every record in value order."""
ALONG_A_LINE = ("individual", "zscores", "pca")
"""Partitions that sort all records along one line."""


class Microaggregation(Protector):
    """Replace each record by the average of its group of at least k records.

    Parameters
    ----------
    k : int or list of int
        Smallest group, one number or one per block of columns.
    partition : {'mdav', 'vmdav', 'mu-approx', 'individual', 'zscores', 'pca'}
        How groups are formed: exact MDAV, V-MDAV (groups of k .. 2k-1), mu-Approx, each column
        on its own, or neighbours on a projection (zscores, pca).
    groups : int, str or list of list of str, optional
        Columns that are averaged together: all unless given, a number of columns at a time,
        lists of columns, or a name of the papers (Mic2 .. Mic6, MicAll, MicIR, MicZ, MicPCP,
        Mic553-2.8.5).
    aggregate : {'auto', 'median'}
        Average of continuous columns: the mean, or the median as for ordinal ones.
    scale : {'std', 'none'}
        Divide columns by their standard deviation before distances are taken, or not.
    univariate : {'optimal', 'fixed'}
        On one dimension, the optimal groups (shortest path) or runs of k.
    gamma : float
        How readily a V-MDAV group grows.
    weighted : bool
        Use the file's sampling weights, if it has any.
    columns : list of str, optional
        Columns to mask; the quasi-identifiers unless given.
    by : list of str, optional
        Columns whose strata are masked apart: within a region, within a year.
    gaps : {'keep', 'fill'}
        A missing value stays missing, or becomes the average of its group.

    Attributes
    ----------
    labels_ : array
        Group of each record; one column per block when there are several. Records without any
        value in a block are a group of their own.
    blocks_ : list
        The columns of each block.
    groups_ : list of dict
        How many groups each block has, and the smallest and largest of them.
    sse_, sst_, sse_ratio_ : float
        Squared error within groups, in all, and their ratio, on columns of population sd 1.

    Notes
    -----
    **Definition.** The columns are cut into blocks (``groups``); in each block the records are
    partitioned, and each value becomes the mean (continuous), the lower median (ordinal) or
    the mode (nominal) of its group. If a column has the role ``weight`` these are weighted,
    sum w x / sum w, so that weighted totals stay what they were.

    **Guarantee.** Every released value is an average over at least k records, and in each block
    every combination of masked values occurs at least k times. With several blocks this holds
    for each block and not for all columns together.

    *Gaps.* A gap stays a gap, and a missing code that code (``gaps='keep'``). Groups are formed
    among records with the same gaps in the block, where there are k of them; the others are
    grouped together, each column is averaged over the values that are there, and where fewer
    than k of a group have one, groups share an average. Records whose gaps fewer than k records
    share can be told by *which* of their cells are blank (the manifest counts them, the attacker
    ``gap_pattern`` measures it); a combination of values and blanks of theirs may be rarer than
    k. A column with values of fewer than k records is refused. With ``gaps='fill'`` missing
    values sit at the column mean while groups are formed and become their group's average: no
    record can be told by its gaps, values are made up, and an average may be that of fewer than
    k values.

    *Units.* Where the file has persons with several
    rows, or households, these are k *persons*: households are grouped by their own columns,
    persons inside such a group by theirs, and rows so that k persons are in each; columns of a
    household (person) are the same in all its rows.

    **Cost.** ``individual``, ``zscores`` and ``pca`` n log n; ``mu-approx`` a kd-tree;
    ``mdav`` and ``vmdav`` up to n^2. Of a file larger than memory ``individual`` holds a piece of a
    sorted column; the others hold their columns, since any record may be near any other.

    **Known attacks.** Nearest record on the averages; ``individual`` protects little, since
    values hardly move.

    References
    ----------
    Domingo-Ferrer and Mateo-Sanz (2002); Rodriguez Fernandez (2013), section 3.1.3; Abril,
    Navarro-Arribas and Torra (2012), section 4.

    Examples
    --------
    >>> import numpy as np
    >>> x = np.array([[8, 9], [6, 7], [10, 3], [7, 1.0]])
    >>> Microaggregation(k=2).fit_transform(x).tolist()
    [[7.0, 8.0], [7.0, 8.0], [8.5, 2.0], [8.5, 2.0]]
    """

    title = "Microaggregation"
    family = "grouping"
    purpose = "make every record equal to k - 1 others"
    goal = "hide in a crowd"
    plain = {"k": "people in each group"}
    strength = Strength("k", 2, float("inf"), whole=True)
    attacker = "informed.microaggregation:AwareMicroaggregation"
    keeps_levels = True
    # a group formed inside a block has k records of the file, too
    scales = "blocks"

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
        by: list[str] | None = None,
        gaps: Literal["keep", "fill"] = "keep",
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
        self.by = by
        self.gaps = gaps

    @property
    def keeps_gaps(self) -> bool:  # type: ignore[override]  # here a parameter decides
        """Does a missing value stay missing?"""
        return self.gaps == "keep"

    @classmethod
    def named(
        cls,
        name: str,
        k: int = 3,
        **parameters: Any,
    ) -> Microaggregation:
        """The method that a paper calls ``name``, for example ``Mic553-2.8.5`` or ``MicPCP``.

        >>> Microaggregation.named("MicPCP", k=5).partition
        'pca'
        """
        parsed = parse(name)
        if parsed.partition is None:
            return cls(k=k, groups=name, **parameters)
        sizes = list(parsed.ks) if parsed.ks else k
        partition = cast(Partition, parsed.partition)
        return cls(k=sizes, partition=partition, **parameters)

    def needs_whole_file(self) -> str | None:
        """Near records are near inside a block, too; a sorted line is the file's."""
        if self.by:
            return super().needs_whole_file()
        method = self._method()
        if method in ALONG_A_LINE:
            return (
                f"partition '{method}' sorts all records of the file along one line, "
                "and every block would have a line of its own; "
                "mdav, vmdav and mu-approx form their groups inside blocks"
            )
        return None

    def _method(self) -> str:
        """The partition: that of the paper's name in ``groups``, or else the one asked for."""
        if isinstance(self.groups, str):
            return parse(self.groups).partition or self.partition
        return self.partition

    def _fit(
        self,
        data: Microdata,
        columns: list[str],
        rng: np.random.Generator,
    ) -> None:
        if self._from_disk(data):
            # the groups are those of the release, and labels of all records are not held
            self.blocks_ = [names for names, _ in self._blocks(columns)]
            return
        table = self._table(data, columns)
        self._keep(table, self._partition(data, table))

    def _apply(
        self,
        data: Microdata,
        columns: list[str],
        rng: np.random.Generator,
    ) -> Microdata:
        if self._from_disk(data):
            return self._averaged_on_disk(data, columns)
        table = self._table(data, columns)
        return self._average(data, table, self._partition(data, table))

    def _fit_apply(
        self,
        data: Microdata,
        columns: list[str],
        rng: np.random.Generator,
    ) -> Microdata:
        if self._from_disk(data):
            self._fit(data, columns, rng)
            return self._averaged_on_disk(data, columns)
        # forming groups is the work; it is not done twice
        table = self._table(data, columns)
        groups = self._partition(data, table)
        self._keep(table, groups)
        return self._average(data, table, groups)

    # -- along one line ----------------------------------------------------------------

    def passes_of(self, data: Microdata) -> Passes:
        """Individual ranking sorts each column on the disk; distances need all records at hand."""
        columns = [data.schema[name] for name in self._targets(data)]
        lines = all(one.scale is not Kind.nominal for one in columns)
        return "sorts" if lines and self._along_lines(data) else "together"

    def _along_lines(self, data: Microdata) -> bool:
        """Each column of a file of several blocks is grouped along its own line."""
        alone = self._method() == "individual" and not self.by
        return alone and data.n > by_address.BLOCK and not has_units(data)

    def _from_disk(self, data: Microdata) -> TypeGuard[OnDisk]:
        return isinstance(data, OnDisk) and self.passes_of(data) == "sorts"

    def _averaged_on_disk(self, data: OnDisk, columns: list[str]) -> OnDisk:
        """The file with every column averaged along its line, a piece at a time."""
        lines = [(name, k) for (name,), k in self._blocks(columns)]
        too_large = [k for _, k in lines if data.n < k]
        if too_large:
            raise ParameterError(self._too_few(data.n, 1, "record", too_large[0]))
        names = data.schema.names(role=Role.weight) if self.weighted else []
        kinds = {name: data.schema[name].scale for name in columns}
        average = {name: self._average_of(kind) for name, kind in kinds.items()}
        optimal = self.univariate == "optimal"
        fill = not self.keeps_gaps
        return averaged_on_disk(
            data, lines, names[:1], average, optimal=optimal, fill=fill
        )

    def _average_of(self, kind: Kind) -> Average:
        """The average of a column that has an order."""
        median = kind is Kind.ordinal or self.aggregate == "median"
        return median_of_groups if median else mean_of_groups

    # -- groups ------------------------------------------------------------------------

    def _table(
        self,
        data: Microdata,
        columns: list[str],
    ) -> ValueOrderedTable:
        """The columns to protect, with the file's weights if they are to be used."""
        names = data.schema.names(role="weight") if self.weighted else []
        weights = sampling_weights(data, names[0]) if names else None
        return ValueOrderedTable.of(data, columns, weights)

    def _partition(self, data: Microdata, table: ValueOrderedTable) -> Groups:
        """The blocks of columns and, for each, the group of every record in value order."""
        method = self._method()
        parts = self._blocks(list(table.place))
        found = RowUnits.of(data, self.by or [], table.order)
        out: Groups = []
        for names, size in parts:
            group = partial(self._groups, k=size, method=method)
            if self._along_lines(data) and table.kinds[names[0]] is not Kind.nominal:
                if data.n < size:
                    raise ParameterError(self._too_few(data.n, 1, "record", size))
                values = table.numbers(names)[:, 0]
                line = Line.of(values, fill=not self.keeps_gaps)
                if 0 < len(line.order) < size:
                    why = too_few_values(names, len(line.order), size)
                    raise ParameterError(why)
                optimal = self.univariate == "optimal"
                out.append((names, line.groups(size, optimal=optimal)))
            elif found is None:
                parent = np.zeros(len(table.order), dtype=np.int64)
                if self.keeps_gaps and data.n >= size:
                    parent = gap_classes(table.numbers(names), size, names)
                labels = group(table, names, parent, "record")
                out.append((names, labels))
            else:
                out += groups_of_units(table, names, found, size, group)
        return out

    def _blocks(self, columns: list[str]) -> list[tuple[list[str], int]]:
        """Columns that are averaged together, and the size of their groups."""
        # int, because a numpy integer is no int to the check of types
        k = self.k if isinstance(self.k, list) else int(self.k)
        parts = blocks(columns, self.groups, k)
        # each column is a block of its own, with the k of the block that it was in
        if self._method() == "individual":
            return [([name], size) for names, size in parts for name in names]
        return parts

    def blocks_of(self, data: Microdata) -> list[list[str]]:
        """The columns of a file that would be averaged together; no group is formed.

        Parameters
        ----------
        data : Microdata
            The file; columns of households, of persons and of rows are averaged apart.
        """
        parts = [names for names, _ in self._blocks(self._targets(data))]
        found = RowUnits.of(data, self.by or [], np.arange(data.n))
        if found is None:
            return parts
        return [level for names in parts for level in levels_of(names, found)]

    def _groups(
        self,
        table: ValueOrderedTable,
        names: list[str],
        parent: Ints,
        word: str,
        *,
        k: int,
        method: str,
    ) -> Ints:
        """The group of every record, in value order, inside the groups of ``parent``."""
        # nominal values have no order: they are grouped by their distances, even one by one
        line = method == "individual" and table.kinds[names[0]] is not Kind.nominal
        if line:
            points = aggregates.standardise(table.numbers(names))
        else:
            points = table.points(names, scale=self.scale == "std")
        labels = np.empty(len(parent), dtype=np.int64)
        there = np.flatnonzero(parent != BLANK)
        order = there[np.argsort(parent[there], kind="stable")]
        size = np.bincount(parent[there])
        if size.size and size.min() < k:
            why = self._too_few(int(size.min()), size.size, word, k)
            raise ParameterError(why)
        groups = 0
        # without a record there is no class
        for rows in np.split(order, np.cumsum(size)[:-1]) if size.size else []:
            cut = self._cut(points[rows], k, method, line=line)
            labels[rows] = cut + groups
            groups = int(labels[rows].max()) + 1
        labels[parent == BLANK] = groups
        return labels

    def _too_few(self, size: int, parents: int, word: str, k: int) -> str:
        """Why no group of k can be formed."""
        too_large = f"k={k} is larger than the number of {word}s ({size})"
        if parents == 1:
            return f"{too_large}: no group of k can be formed"
        return (
            f"{too_large} of one group of households or persons in its stratum: no group of k "
            f"can be formed; leave a column out of by=[{', '.join(self.by or [])}], or lower k"
        )

    def _cut(self, points: Floats, k: int, method: str, *, line: bool) -> Ints:
        """Groups of at least k of these points."""
        optimal = self.univariate == "optimal"
        if line:
            return partitions.along(points[:, 0], k, optimal=optimal)
        if method == "vmdav":
            return partitions.vmdav(points, k, self.gamma)
        if method == "mu-approx":
            return partitions.mu_approx(points, k)
        if method == "zscores":
            return partitions.along(partitions.zscores(points), k, optimal=optimal)
        if method == "pca":
            score = partitions.first_component(points)
            return partitions.along(score, k, optimal=optimal)
        return np.asarray(partitions.mdav(points, k))

    def _average(
        self,
        data: Microdata,
        table: ValueOrderedTable,
        groups: Groups,
    ) -> Microdata:
        """The file with every value replaced by its group's average."""
        names = [name for block, _ in groups for name in block]
        masked = np.empty((data.n, len(names)))
        found = RowUnits.of(data, self.by or [], table.order)
        fill = not self.keeps_gaps
        # the k of each block, which a block cut into levels keeps
        blocks_ = self._blocks(list(table.place))
        smallest = {name: k for block, k in blocks_ for name in block}
        for block, labels in groups:
            for name in block:
                kind, place = table.kinds[name], names.index(name)
                values = table.numbers([name])[:, 0]
                if self._along_lines(data) and kind is not Kind.nominal:
                    how = table.weights, self._average_of(kind)
                    means = averages_along(values, labels, *how, fill=fill)
                    masked[table.order, place] = means
                    continue
                average = self._averages(table, name, labels)
                if fill or not np.isnan(values).any():
                    masked[table.order, place] = average[labels]
                    continue
                unit = None, None, "record"
                counted = unit if found is None else counted_by(block, found)
                of_column = thick_groups(
                    name, values, labels, average, smallest[name], *counted
                )
                average = self._averages(table, name, of_column)
                masked[table.order, place] = np.where(
                    np.isnan(values), np.nan, average[of_column]
                )
        return data.with_numbers(names, masked)

    def _averages(
        self,
        table: ValueOrderedTable,
        name: str,
        labels: Ints,
    ) -> Floats:
        """The average of each group in one column: mode, lower median or mean."""
        column = table.numbers([name])
        kind = table.kinds[name]
        if kind is Kind.nominal:
            size = table.sizes[name]
            return aggregates.group_modes(column[:, 0], labels, size, table.weights)
        if kind is Kind.ordinal or self.aggregate == "median":
            return aggregates.group_medians(column, labels, table.weights)[:, 0]
        return group_means(column, labels, table.weights)[:, 0]

    def _keep(
        self,
        table: ValueOrderedTable,
        groups: Groups,
    ) -> None:
        """The groups in file order, and how much they lose."""
        labels_ = np.empty((len(table.order), len(groups)), dtype=np.int64)
        sse = sst = 0.0
        for j, (names, labels) in enumerate(groups):
            labels_[table.order, j] = labels
            # always on standardised columns, so that figures of different settings compare
            points = table.points(names)
            within = points - group_means(points, labels)[labels]
            overall = points - points.mean(axis=0)
            sse += float((within**2).sum())
            sst += float((overall**2).sum())
        # one block is the usual case: plain labels instead of a table of one column
        self.labels_ = labels_ if len(groups) > 1 else labels_[:, 0]
        self.blocks_ = [names for names, _ in groups]
        self.groups_ = [self._sizes(table, *block) for block in groups]
        self.sse_, self.sst_ = sse, sst
        self.sse_ratio_ = sse / sst if sst > 0 else 0.0

    def _sizes(
        self, table: ValueOrderedTable, names: list[str], labels: Ints
    ) -> dict[str, object]:
        """How many groups a block of columns has, and how large they are."""
        blank = np.isnan(table.numbers(names)).all(axis=1)
        # records without a value are no group, unless they get one
        size = np.bincount(labels[~blank] if self.keeps_gaps else labels)
        size = size[size > 0]
        return {
            "columns": names,
            "groups": size.size,
            "smallest": int(size.min(initial=len(labels))),
            "largest": int(size.max(initial=0)),
        }

    def outcome(self) -> dict[str, object] | None:
        """The groups of each block of columns, and the share of their variance that is lost."""
        if not hasattr(self, "groups_"):
            return None
        return {"groups": self.groups_, "lost": self.sse_ratio_}

    @classmethod
    def told(cls, outcome: Mapping[str, Any]) -> str:
        """As ``Protector.told``."""
        blocks = outcome.get("groups")
        if not blocks:
            return ""
        smallest = min(block["smallest"] for block in blocks)
        largest = max(block["largest"] for block in blocks)
        number = sum(block["groups"] for block in blocks)
        where = f" in {len(blocks)} blocks of columns" if len(blocks) > 1 else ""
        return (
            f"{number:,} groups of {smallest:,} to {largest:,} records{where}; "
            f"{100 * outcome['lost']:.3g} % of the variance is lost"
        )
