"""An attack on one block, and what the attacks on a machine and on a cluster share."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from inspect import signature
from typing import Literal

import numpy as np
import pyarrow as pa

from tacit.attack import registry
from tacit.attack.base import Attacker
from tacit.base.errors import ParameterError
from tacit.base.typing import Floats, Ints
from tacit.data.microdata import Microdata
from tacit.scale.column_codes import check_columns, complete_column, is_numeric

LinkedBlock = tuple[Ints, Floats, int]
"""Of the originals of a block: the record named (-1: none), the probability that it is its own,
and how many originals have their own record in another block."""


@dataclass(frozen=True)
class LinkBlock:
    """Any attacker on one block, on columns scaled beforehand.

    Rows are record numbers; a record's own record has the same number.
    """

    attacker: str
    parameters: Mapping[str, object]

    def __call__(
        self,
        row: Ints,
        x: Floats,
        masked_row: Ints,
        y: Floats,
    ) -> LinkedBlock:
        """Link the originals ``x`` (numbers ``row``) to the masked records ``y``."""
        # where the original's own record is among the masked ones (-1: in another block)
        at = np.searchsorted(masked_row, row)
        here = at < len(masked_row)
        here[here] = masked_row[at[here]] == row[here]
        truth = np.where(here, at, -1)
        apart = int((~here).sum())
        if not len(masked_row) or not len(row):
            nobody = np.full(len(row), -1, np.int64)
            return nobody, np.zeros(len(row)), apart
        original, masked = Microdata.of(x), Microdata.of(y)
        linkage = self.make().link(original, masked, truth=truth)
        # places within the block become record numbers
        number = masked_row[np.maximum(linkage.match, 0)]
        match = np.where(linkage.match >= 0, number, -1)
        return match.astype(np.int64), linkage.success, apart

    def make(self) -> Attacker:
        """The attacker; columns come scaled, so it scales none, where it would."""
        kind = registry[self.attacker]
        scaled = {"scale": "none"} if "scale" in signature(kind).parameters else {}
        attacker: Attacker = kind(**{**scaled, **self.parameters})
        return attacker

    def knows(self, leaf: int | Literal["auto"]) -> str:
        """What the intruder knows, blocks included."""
        return (
            f"{self.make().knows}; looks only in the block of the original "
            f"(at most about {leaf} records)"
        )


def numeric_columns(
    original: pa.Schema,
    masked: pa.Schema,
    columns: Sequence[str] | None,
    *,
    any_kind: bool = False,
) -> list[str]:
    """The columns to compare: those named, or every number that both files have.

    Those named must be numbers, unless ``any_kind``.
    """
    shared = [
        field.name
        for field in original
        if is_numeric(field.type) and field.name in masked.names
    ]
    names = list(columns or shared)
    check_columns(original, names, "the original")
    check_columns(masked, names, "the masked file")
    for name in names:
        types = (original.field(name).type, masked.field(name).type)
        if not any_kind and not all(is_numeric(kind) for kind in types):
            raise ParameterError(
                f"column '{name}' is not numeric in both files; "
                "blocks of linkage compare numbers"
            )
    return names


def complete_numbers(
    table: pa.Table,
    names: Sequence[str],
) -> Floats:
    """The columns as float64 (rows, d); missing values are refused."""
    return np.column_stack([complete_column(table, name) for name in names])
