"""Frequencies of key combinations in the sample and, by weights, in the population; k-anonymity."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any, Literal

import numpy as np

from tacit.errors import ColumnError, InputError
from tacit.measure import Measure
from tacit.microdata import Kind, Microdata, Role
from tacit.pair import read_as
from tacit.risk.counting import count
from tacit.risk.keys import FloatArray, IntArray, classes, column_codes

Missing = Literal["any", "category"]


@dataclass(frozen=True)
class Frequencies:
    """For each record: ``sample``, how many records share its key; ``population``, the sum of their weights."""

    sample: IntArray
    population: FloatArray
    keys: tuple[str, ...]
    classes: int
    """Number of different keys."""
    labels: IntArray = field(repr=False)
    """The class of each record."""

    def violations(self, k: int) -> int:
        """Records whose key fewer than k records share (frequency < k)."""
        return int((self.sample < k).sum())

    @property
    def uniques(self) -> int:
        """Records alone with their key."""
        return self.violations(2)

    def to_dict(self) -> dict[str, Any]:
        """Summary in plain types."""
        return {
            "keys": list(self.keys),
            "records": len(self.sample),
            "classes": self.classes,
            "violations": {str(k): self.violations(k) for k in (2, 3, 5, 10)},
            "smallest": int(self.sample.min(initial=0)) if len(self.sample) else 0,
        }

    def __repr__(self) -> str:
        bad = ", ".join(f"{self.violations(k)} below {k}" for k in (2, 3, 5))
        return f"Frequencies({len(self.sample)} records, {self.classes} keys; records: {bad})"


def keyed(data: Any, keys: Sequence[str] | None) -> tuple[Microdata, list[str]]:
    """The data, and the key columns: those named, or else the quasi-identifiers."""
    data = Microdata.of(data)
    names = data.quasi if keys is None else list(keys)
    if not names:
        raise ColumnError("there are no key columns; name some (keys=[...], or --quasi)")
    for name in names:
        data.schema[name]
    return data, names


def key_codes(data: Microdata, names: Sequence[str]) -> IntArray:
    """The key columns as codes, -1 where missing; equal values have equal codes, and some codes may be left out."""
    out = np.empty((data.n, len(names)), np.int64, order="F")
    for j, name in enumerate(names):
        whole = _whole_numbers(data, name)
        out[:, j] = column_codes(data.column(name), dense=False) if whole is None else whole
    return out


def _whole_numbers(data: Microdata, name: str) -> IntArray | None:
    """Whole numbers in a short range are codes as they are: no need to look at their values one by one."""
    values = data.table.column(name)
    if not str(values.type).startswith("int") or values.null_count or not data.n:
        return None
    numbers = values.to_numpy().astype(np.int64, copy=False)
    low, high = int(numbers.min()), int(numbers.max())
    return np.asarray(numbers - low) if high - low < max(4 * data.n, 4096) else None


NO_KEYS = "no quasi-identifier is nominal or ordinal; numbers are judged by linkage (name keys to count them anyway)"


def categorical(original: Any, masked: Any, keys: Sequence[str] | None) -> tuple[Microdata, list[str]]:
    """The release, its columns read as the original's, and the keys: those named, or else the nominal and ordinal
    quasi-identifiers (perhaps none).
    """
    data = read_as(original, masked)
    if keys is not None:
        return keyed(data, keys)
    return data, [name for name in data.quasi if data.schema[name].kind is not Kind.continuous]


def weights_of(data: Microdata, weight: str | None) -> FloatArray | None:
    """Sampling weights: the column named, or the one whose role is weight; None if there is none.

    Roles count in Microdata only: of a plain frame the weight must be named, since a guess could be the wrong one.
    """
    if weight is None:
        named = data.schema.names(role=Role.weight)
        if not named:
            return None
        weight = named[0]
    if data.schema[weight].kind is not Kind.continuous:  # few different weights look like codes
        data = data.with_schema(data.schema.set(continuous=[weight]))
    values = data.column(weight)
    bad = ~(values > 0)
    if bad.any():
        row = int(np.argmax(bad)) + 1
        raise InputError(f"column '{weight}', row {row}: a sampling weight must be a number above 0")
    return values


def frequencies(
    data: Any, keys: Sequence[str] | None = None, weight: str | None = None, *, missing: Missing = "any"
) -> Frequencies:
    """Sample frequency f and population frequency F of every record's key.

    f_i = number of records that agree with record i on every key; F_i = sum of their weights (f_i without weights).
    Range: 1 to n. There is no 0: every record agrees with itself. Higher is safer.
    ``missing="any"``: a missing value agrees with every value, as a suppressed cell does for an intruder (k-anonymity
    by suppression holds only then); ``"category"``: missing is a value of its own.
    Source: Samarati 2001 (k-anonymity); Franconi and Polettini 2004 (weights).

    >>> f = frequencies({"age": [30, 30, 40], "w": [2.0, 3.0, 4.0]}, keys=["age"], weight="w")
    >>> f.sample.tolist(), f.population.tolist(), f.violations(2)
    ([2, 2, 1], [5.0, 5.0, 4.0], 1)
    """
    guess = isinstance(data, Microdata)
    data, names = keyed(data, keys)
    coded = key_codes(data, names)
    grouped = classes(coded)
    weights = weights_of(data, weight) if guess or weight is not None else None
    f, F = count(coded, weights, any_matches=missing == "any", grouped=grouped)
    return Frequencies(f, F, tuple(names), grouped[1], grouped[0])


def k_anonymity(
    original: Any, masked: Any, *, k: int = 3, keys: Sequence[str] | None = None, missing: Missing = "any"
) -> Measure:
    """Share of released records whose key fewer than k records share: #{i: f_i < k} / n, on the masked file.

    Range [0, 1]. 0: the release is k-anonymous on its quasi-identifiers. Higher: more records stand in a group
    that is too small. Keys: those named, or the nominal and ordinal quasi-identifiers; where there are none, all
    quasi-identifiers (groups of identical masked records). Per column: how much the share falls when an intruder does
    not know that column. Source: Samarati 2001.
    """
    data, names = categorical(original, masked, keys)
    exact = bool(names)
    data, names = keyed(data, names or None)
    coded = key_codes(data, names)
    grouped = classes(coded)
    f, _ = count(coded, None, any_matches=missing == "any", grouped=grouped)
    low = f < k
    share = float(low.mean()) if len(f) else 0.0
    column: dict[str, float] = {}
    if len(names) > 1 and low.any():
        for j, name in enumerate(names):
            rest, _ = count(np.delete(coded, j, axis=1), None, any_matches=missing == "any")
            column[name] = share - float((rest < k).mean())
    return Measure(
        "k_anonymity",
        share,
        (0.0, 1.0),
        f"every record shares its key with at least {k - 1} others",
        f"a larger share of records in groups of fewer than {k}",
        {
            "k": k,
            "keys": names,
            "categorical keys": exact,
            "records below k": int(low.sum()),
            "uniques": int((f < 2).sum()),
            "classes": grouped[1],
            "smallest group": int(f.min()) if len(f) else 0,
        },
        low.astype(np.float64),
        column or None,
    )
