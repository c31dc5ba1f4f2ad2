"""What is to be done to a file: method, columns, tree. Checked once, before anything is read."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict, dataclass, replace
from typing import Any, Literal

import pyarrow as pa

from tacit.errors import ColumnError, ParameterError
from tacit.large.coding import check_columns, is_numeric
from tacit.large.fit import Fitted
from tacit.large.treat import Mdav, Method, Treatment
from tacit.partition.orthtree import OrthTree


@dataclass(frozen=True)
class Work:
    """A method with its parameters, the columns that it masks and those that the tree cuts."""

    method: str
    parameters: dict[str, Any]
    columns: tuple[str, ...]
    split_on: tuple[str, ...]
    categorical: tuple[str, ...]
    leaf: int | Literal["auto"]
    seed: int

    @property
    def k(self) -> int:
        k = self.parameters.get("k", 3)
        return int(max(k)) if isinstance(k, list) else int(k)

    @property
    def tree(self) -> OrthTree:
        return OrthTree(leaf=self.leaf, least=max(self.k, 2))

    @property
    def fast(self) -> bool:
        """Microaggregation of numbers by MDAV, scaled by the whole file: the kernel, and the loss, apply."""
        return self.method == "microaggregation" and set(self.parameters) <= {"k"} and not self._texts

    @property
    def _texts(self) -> set[str]:
        return set(self.columns) & set(self.categorical)

    @property
    def also(self) -> tuple[str, ...]:
        """Columns whose scale is needed although the tree does not cut them."""
        return self.columns if self.fast else ()

    def to_dict(self) -> dict[str, Any]:
        return asdict(self)


def guess(sample: pa.Table, columns: tuple[str, ...], drop: Sequence[str] | None) -> tuple[tuple[str, ...], list[str]]:
    """Columns to mask and to drop where the user named none: the continuous quasi-identifiers and the identifiers, as
    ``tacit schema`` sees them in the first records."""
    from tacit.microdata import Kind, Role, Schema

    if columns and drop is not None:
        return columns, list(drop)
    schema = Schema.infer(sample)
    columns = columns or tuple(schema.names(role=Role.quasi, kind=Kind.continuous))
    dropped = schema.names(role=Role.identifier) if drop is None else drop
    return columns, [name for name in dropped if name not in columns]


def check(work: Work, schema: pa.Schema, source: str) -> Work:
    """Fill in defaults and refuse what cannot be done."""
    from tacit.parameters import check as check_parameters
    from tacit.protect import registry

    check_parameters(registry[work.method], work.parameters)
    numeric = [field.name for field in schema if is_numeric(field.type) and field.name not in work.categorical]
    columns = work.columns or tuple(numeric)
    split_on = work.split_on or columns
    check_columns(schema, columns, source)
    check_columns(schema, split_on, source)
    for name in work.categorical:
        if name not in schema.names:
            raise ColumnError(f"{source}: there is no column '{name}'")
    texts = tuple(c for c in {*columns, *split_on} if c in work.categorical or not is_numeric(schema.field(c).type))
    work = replace(work, columns=columns, split_on=split_on, categorical=tuple(sorted(texts)))
    if work.k < 1:
        raise ParameterError(f"k={work.k} must be at least 1")
    return work


def treatment_of(work: Work, fitted: Fitted, sample: pa.Table) -> Treatment:
    """The treatment of a block; ``sample``: first records, from which kinds of columns are read where it matters."""
    if work.fast:
        if fitted.n < work.k:
            raise ParameterError(f"k={work.k} is larger than the number of records ({fitted.n})")
        scale, fill = (tuple(held[name] for name in work.columns) for held in (fitted.scale, fitted.fill))
        return Mdav(work.columns, work.k, scale, fill)
    from tacit.microdata import Schema

    schema = Schema.infer(sample.select(list(work.columns))).set(quasi=list(work.columns))
    continuous = [name for name in work.columns if name not in work.categorical]
    schema = schema.set(continuous=continuous, nominal=[n for n in work.columns if n in work.categorical])
    return Method(work.columns, work.method, work.parameters, schema, work.seed)
