"""What is to be done to a file: method, columns, tree. Checked once, before anything is read."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, replace
from typing import Literal

import pyarrow as pa

from tacit.base import seeds
from tacit.base.errors import ColumnError, ParameterError
from tacit.base.parameters import check as check_parameters
from tacit.data.column import ALL_DIGITS
from tacit.data.schema import Kind, Role, Schema
from tacit.protect import registry
from tacit.protect.grouping.gap_classes import too_few_values
from tacit.scale.block_fit import Fitted
from tacit.scale.column_codes import check_columns, is_numeric
from tacit.scale.partition.orthtree import OrthTree
from tacit.scale.treatment import Mdav, Method, Treatment, smallest_group


@dataclass(frozen=True)
class Request:
    """A method with its parameters, the columns that it masks and those that the tree cuts."""

    method: str
    parameters: dict[str, object]
    columns: tuple[str, ...]
    split_on: tuple[str, ...]
    categorical: tuple[str, ...]
    leaf: int | Literal["auto"]
    seed: int | None

    @property
    def k(self) -> int:
        """Records that every block must have."""
        return smallest_group(self.parameters)

    @property
    def tree(self) -> OrthTree:
        """The tree that cuts the file."""
        # a block of one record has no spread, which some methods need
        return OrthTree(leaf=self.leaf, least=max(self.k, 2))

    @property
    def fast(self) -> bool:
        """Microaggregation of numbers by MDAV, scaled by the whole file.

        Then the kernel runs on the block, and the loss has a meaning.
        """
        texts = set(self.columns) & set(self.categorical)
        only_k = set(self.parameters) <= {"k", "gaps"}
        return self.method == "microaggregation" and only_k and not texts

    @property
    def also(self) -> tuple[str, ...]:
        """Columns whose scale or mean is needed although the tree does not cut them."""
        if self.method != "microaggregation":
            return ()
        return tuple(name for name in self.columns if name not in self.categorical)

    def to_dict(self) -> dict[str, object]:
        """Plain types, by which a checkpoint tells one run from another."""
        return asdict(self)


def keyed(
    request: Request,
    key: int,
) -> Request:
    """The request with the key that its blocks draw from: the seed given by hand, or this one."""
    return replace(request, seed=key) if request.seed is None else request


def refuse_seed(request: Request) -> None:
    """A differentially private method takes a seed only with ``test_seed``."""
    if getattr(registry[request.method], "unseeded", False):
        test_seed = bool(request.parameters.get("test_seed", False))
        seeds.refuse(request.seed, test_seed, request.method)


def guess(
    sample: pa.Table,
    columns: tuple[str, ...],
    drop: Sequence[str] | None,
) -> tuple[tuple[str, ...], list[str]]:
    """Columns to mask and to drop where the user named none.

    They are the continuous quasi-identifiers and the identifiers, as ``tacit schema`` sees
    them in the first records.
    """
    if columns and drop is not None:
        return columns, list(drop)
    schema = Schema.infer(sample)
    columns = columns or tuple(schema.names(role=Role.quasi, scale=Kind.continuous))
    dropped = schema.names(role=Role.identifier) if drop is None else drop
    return columns, [name for name in dropped if name not in columns]


def check_method(
    method: str,
    parameters: Mapping[str, object],
) -> None:
    """Refuse what would not mean the same in blocks as on the file.

    Nothing has been read, started or written yet.
    """
    protector = registry[method]
    check_parameters(protector, parameters)
    if protector.scales:
        why = protector(**parameters).needs_whole_file()
    else:
        why = protector.whole_file
    if why is not None:
        others = [name for name in registry if name != method and registry[name].scales]
        raise ParameterError(
            f"{method} does not mean the same in blocks as on the whole file: {why}; "
            "run tacit protect, which takes the whole file whatever its size (--memory), "
            f"or take a method that works in blocks ({', '.join(others)})"
        )


def check(
    request: Request,
    schema: pa.Schema,
    source: str,
) -> Request:
    """Fill in defaults and refuse what cannot be done."""
    numeric = [
        field.name
        for field in schema
        if is_numeric(field.type) and field.name not in request.categorical
    ]
    columns = request.columns or tuple(numeric)
    split_on = request.split_on or columns
    check_columns(schema, columns, source)
    check_columns(schema, split_on, source)
    for name in request.categorical:
        if name not in schema.names:
            raise ColumnError(f"{source}: there is no column '{name}'")
    # text is categorical whether the user said so or not
    texts = {
        name
        for name in {*columns, *split_on}
        if name in request.categorical or not is_numeric(schema.field(name).type)
    }
    masks_categories = Kind.nominal in registry[request.method].kinds
    unfit = [name for name in columns if name in texts and not masks_categories]
    if unfit:
        raise ColumnError(
            f"{request.method} masks numbers, but '{unfit[0]}' is not numeric; "
            "leave it out"
        )
    if request.k < 1:
        raise ParameterError(f"k={request.k} must be at least 1")
    categorical = tuple(sorted(texts))
    return replace(request, columns=columns, split_on=split_on, categorical=categorical)


def treatment_of(
    request: Request,
    fitted: Fitted,
    sample: pa.Table,
) -> Treatment:
    """The treatment of a block.

    ``sample`` holds first records, from which kinds of columns are read where it matters.
    """
    columns = request.columns
    if request.also and request.parameters.get("gaps") != "fill":
        for name in request.also:
            if 0 < fitted.present[name] < request.k:
                why = too_few_values([name], fitted.present[name], request.k)
                raise ParameterError(why)
    if request.fast:
        if fitted.n < request.k:
            raise ParameterError(
                f"k={request.k} is larger than the number of records ({fitted.n})"
            )
        scale = tuple(fitted.scale[name] for name in columns)
        fill = tuple(fitted.fill[name] for name in columns)
        gaps = str(request.parameters.get("gaps", "keep"))
        return Mdav(columns, request.k, scale, fill, gaps)
    # the request, and not a guess from the sample, says what is text
    nominal = [name for name in columns if name in request.categorical]
    continuous = [name for name in columns if name not in request.categorical]
    inferred = Schema.infer(sample.select(list(columns)))
    schema = inferred.set(quasi=list(columns))
    schema = schema.set(continuous=continuous, nominal=nominal)
    # a block must not round to the decimals that its own values happen to have
    schema = Schema(tuple(replace(column, decimals=ALL_DIGITS) for column in schema))
    key = seeds.draw() if request.seed is None else request.seed
    means = {name: fitted.fill[name] for name in request.also}
    return Method(columns, request.method, request.parameters, schema, key, means)
