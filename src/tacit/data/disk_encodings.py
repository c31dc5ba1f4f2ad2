"""What columns of a file on the disk encode, in passes over two of them.

The answers are those of ``Encodings``. Almost every pair ends at the records of a first look, which
is all that is held. What is left is told by exact counts:

- *determines*: the records that disagree with the commonest partner of their value add up over
  classes of values (a hash of the value says which), and the count ends where it is too large.
- *same values*, *other units*, *same order*: in passes over both columns.

Values are compared by 64 bits: those of a number, or of a hash of a text (BLAKE2b), which differ
for different texts but for one pair in 10^19.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from hashlib import blake2b

import numpy as np
import pyarrow as pa

from tacit.base.typing import Floats, Ints
from tacit.data import encodings
from tacit.data.buffers import whole_of
from tacit.data.category_codes import floats
from tacit.data.encodings import CHANCE, DENSE, FEWEST, SLIPS, Encodings
from tacit.data.io.disk_table import DiskTable
from tacit.data.io.on_disk import ColumnInTurn, OnDisk
from tacit.data.microdata import Microdata
from tacit.data.out_of_core import pieces
from tacit.data.out_of_core.key_counts import (
    KeyCounts,
    bits_of,
    count_keys,
    group_rows,
    target_of,
)
from tacit.data.out_of_core.pieces import spans
from tacit.data.out_of_core.sorting import sorted_numbers
from tacit.data.same_values import FEWEST as FEWEST_OF_LINE
from tacit.data.same_values import (
    MOSTLY,
    NEAR,
    Values,
    line_between,
    share_equal,
    values_of_array,
)


def encodings_of(data: Microdata) -> Encodings:
    """What finds encodings in a file, wherever it is."""
    return DiskEncodings(data) if isinstance(data, OnDisk) else Encodings(data)


@dataclass(frozen=True)
class ValueBits:
    """Columns as 64 bits that are equal where the values are; -1 where missing."""

    table: DiskTable
    names: tuple[str, ...]

    @property
    def n(self) -> int:
        """Records of the file."""
        return self.table.num_rows

    @property
    def width(self) -> int:
        """How many columns there are."""
        return len(self.names)

    def read(self, first: int, stop: int) -> Ints:
        """The bits of a span of rows."""
        span = next(self.table.in_turn(stop - first, self.names, first, stop))
        return np.column_stack([_bits(span.column(name)) for name in self.names])


class DiskEncodings(Encodings):
    """Finds what columns of a file on the disk encode, with the answers of ``Encodings``."""

    data: OnDisk

    def __init__(self, data: OnDisk) -> None:
        super().__init__(data)
        self._seen: dict[str, Values] = {}
        self._counts: dict[str, KeyCounts] = {}
        self._constant: dict[str, bool] = {}

    def _numbers_rows(self, column: str) -> bool:
        if self._some(column).dtype.kind != "f" or self.data.n < FEWEST:
            return False
        source = ColumnInTurn(self.data.disk, column)
        low, high = np.inf, -np.inf
        for some in source():
            numbers = floats(some)
            if np.isnan(numbers).any() or (numbers != np.rint(numbers)).any():
                return False
            low, high = min(low, numbers.min()), max(high, numbers.max())
        if high - low + 1 > DENSE * self.data.n:
            return False
        # as many numbers as records need as long a range
        return high - low + 1 >= self.data.n and source.count_distinct() == self.data.n

    def _relation(self, column: str, other: str) -> str:
        if self._says_nothing(column, other):
            return ""
        z, x = self._some(column), self._some(other)
        same_type = z.dtype.kind == x.dtype.kind
        if same_type and self._equal_in(column, other, x, z):
            return "it has the same values as"
        if self._same_order_in(column, other, x, z):
            return "it has the order of"
        if same_type and z.dtype.kind == "f" and self._line_in(column, other, x, z):
            return "it has, in other units, the values of"
        return ""

    def _says_nothing(self, column: str, other: str) -> bool:
        if column == other or self.data.n < FEWEST:
            return True
        return self._is_constant(column) or self._is_constant(other)

    def _is_constant(self, name: str) -> bool:
        if name not in self._constant:
            some = self._some(name)
            constant = len(np.unique(some)) < 2
            if constant and len(some) < self.data.n:
                constant = self._counted(name).keys < 2
            self._constant[name] = constant
        return self._constant[name]

    def _some(self, name: str) -> Values:
        """The records of the first look."""
        if name not in self._seen:
            found, row, wanted = [], 0, self._first
            for some in ColumnInTurn(self.data.disk, name)():
                low, high = np.searchsorted(wanted, [row, row + len(some)])
                if low < high:
                    found.append(some.take(pa.array(wanted[low:high] - row)))
                row += len(some)
            chunks = [chunk for some in found for chunk in some.chunks]
            self._seen[name] = values_of_array(pa.chunked_array(chunks))
        return self._seen[name]

    def _counted(self, *names: str) -> KeyCounts:
        key = "\0".join(names)
        if key not in self._counts:
            bits = ValueBits(self.data.disk, names)
            self._counts[key] = count_keys(bits, self.data.disk.folder)
        return self._counts[key]

    def _equal_in(self, column: str, other: str, x: Values, z: Values) -> bool:
        some = share_equal(x, z)
        if some < MOSTLY / 2 and len(x) < self.data.n:
            return False
        # of the records that differ from the commonest value, in either column
        same = np.zeros(2)
        rare = np.zeros(2)
        common = [self._commonest(other), self._commonest(column)]
        source = ValueBits(self.data.disk, (other, column))
        for first, stop in spans(self.data.n):
            bits = source.read(first, stop)
            equal = bits[:, 0] == bits[:, 1]
            for side in (0, 1):
                counts = bits[:, side] != common[side]
                rare[side] += counts.sum()
                same[side] += (equal & counts).sum()
        return bool((same >= MOSTLY * rare).all() and rare.all())

    def _commonest(self, name: str) -> int | None:
        """The bits of the commonest value; None: gaps are, and differ from everything."""
        best, most, lowest = None, 0, np.inf
        number = self._some(name).dtype.kind == "f"
        for keys, size in self._counted(name).in_turn():
            value = np.ascontiguousarray(keys[:, 0])
            # of equally common ones the smallest, as in memory
            place = value.view(np.float64) if number else value.astype(np.float64)
            place = np.where(value == -1, np.inf, place)
            at = np.lexsort((place, -size))[0]
            if size[at] > most or (size[at] == most and place[at] < lowest):
                best, most, lowest = int(value[at]), int(size[at]), float(place[at])
        return None if best == -1 and number else best

    def _same_order_in(self, column: str, other: str, x: Values, z: Values) -> bool:
        steps = z[np.argsort(x, kind="stable")]
        if len(np.unique(x)) < len(x) or len(np.unique(z)) < len(z):
            return False
        if not ((steps[1:] > steps[:-1]).all() or (steps[1:] < steps[:-1]).all()):
            return False
        n = self.data.n
        if self._counted(column).keys < n or self._counted(other).keys < n:
            return False
        if "f" not in (x.dtype.kind, z.dtype.kind) or x.dtype.kind != z.dtype.kind:
            # texts that all differ have an order that is told with them in hand
            return super()._same_order(self.codes(column)[0], self.codes(other)[0])
        disk = self.data.disk
        ranks = []
        for name in (column, other):
            ordered = sorted_numbers(ColumnInTurn(disk, name), disk.folder)
            ranks.append(ordered.ranks(disk.folder, "first"))
            ordered.remove()
        up = down = True
        for first, stop in spans(n):
            a, b = (one.read(first, stop) for one in ranks)
            up = up and bool((a == b).all())
            down = down and bool((n - 1 - a == b).all())
        for one in ranks:
            one.remove()
        return up or down

    def _line_in(self, column: str, other: str, x: Floats, z: Floats) -> bool:
        if line_between(x, z) is None:
            return False
        pairs = _Pairs(self.data.disk, other, column)
        return _on_one_line(pairs)

    def _determining(self, column: str, other: str) -> str:
        if self._says_nothing(column, other):
            return ""
        n, first = self.data.n, self._first
        a, b = _codes(self._some(column)), _codes(self._some(other))
        some = encodings._slips(a, b, int(b.max()) + 1)
        # what is left out here is left out in memory, too: there the bound is lower still
        if some > 5 * SLIPS * len(first):
            return ""
        if self._slips_in(column, other, SLIPS * n) > SLIPS * n:
            return ""
        trials = n - self._counted(column).keys
        sizes = self._counted(other).sizes.items()
        agree = sum(number * (size / n) ** 2 for size, number in sizes)
        if trials < 1 or trials * math.log(agree) > CHANCE:
            return ""
        if some > 5 * SLIPS * (1 - agree) * len(first):
            return ""
        bound = SLIPS * (1 - agree) * trials
        few = self._slips_in(column, other, bound) <= bound
        return "it determines" if few else ""

    def _slips_in(self, column: str, other: str, bound: float) -> int:
        """Records that disagree with most of their value; counted until they are too many."""
        bits = ValueBits(self.data.disk, (column, other))
        classes = max(1, math.ceil(self.data.n / pieces.PIECE))
        slips = 0
        for number in range(classes):
            chosen = []
            for first, stop in spans(self.data.n):
                keys = bits.read(first, stop)
                chosen.append(keys[target_of(keys[:, :1], classes) == number])
            keys = np.concatenate(chosen)
            if len(keys):
                a, _ = group_rows(keys[:, :1])
                b, found = group_rows(keys[:, 1:])
                slips += encodings._slips(a, b, len(found))
            if slips > bound:
                break
        return slips


def _codes(values: Values) -> Ints:
    _, code = np.unique(values, return_inverse=True)
    return np.asarray(code.ravel(), dtype=np.int64)


def _bits(values: pa.ChunkedArray) -> Ints:
    """A column as 64 bits; see ``ValueBits``."""
    if pa.types.is_dictionary(values.type):
        values = values.cast(values.type.value_type)
    if pa.types.is_boolean(values.type):
        values = values.cast(pa.int8())
    if pa.types.is_integer(values.type) or pa.types.is_floating(values.type):
        return bits_of(floats(values))
    coded = values.cast(pa.string()).combine_chunks().dictionary_encode()
    words = [_hash(text) for text in coded.dictionary.to_pylist()]
    table = np.array([*words, -1], dtype=np.int64)
    places = whole_of(pa.chunked_array([coded.indices.fill_null(len(words))]))
    return np.asarray(table[places])


def _hash(text: str) -> int:
    digest = blake2b(text.encode(), digest_size=8).digest()
    return int.from_bytes(digest, "little", signed=True)


@dataclass(frozen=True)
class _Pairs:
    """Two columns of numbers, the records in which both are there."""

    table: DiskTable
    x: str
    z: str

    def in_turn(self) -> list[tuple[int, int]]:
        return spans(self.table.num_rows)

    def read(self, first: int, stop: int) -> tuple[Floats, Floats]:
        x = ColumnInTurn(self.table, self.x).read(first, stop)
        z = ColumnInTurn(self.table, self.z).read(first, stop)
        there = ~(np.isnan(x) | np.isnan(z))
        return x[there], z[there]


def _on_one_line(pairs: _Pairs) -> bool:
    """As ``line_between`` of all records, in three passes."""
    number, sums = 0, np.zeros(2)
    distinct = np.empty(0)
    for span in pairs.in_turn():
        x, z = pairs.read(*span)
        number += len(x)
        sums += x.sum(), z.sum()
        if len(distinct) < FEWEST_OF_LINE:
            distinct = np.unique(np.append(distinct, x))
    if number < FEWEST_OF_LINE or len(distinct) < FEWEST_OF_LINE:
        return False
    mean_x, mean_z = sums / number
    size = together = spread = 0.0
    for span in pairs.in_turn():
        x, z = pairs.read(*span)
        dx, dz = x - mean_x, z - mean_z
        size += float((dx * dx).sum())
        together += float((dx * dz).sum())
        spread = max(spread, float(np.abs(dz).max(initial=0.0)))
    slope = together / size if size else 0.0
    if slope == 0.0 or spread == 0.0:
        return False
    off = 0.0
    for span in pairs.in_turn():
        x, z = pairs.read(*span)
        left_over = np.abs((z - mean_z) - slope * (x - mean_x))
        off = max(off, float(left_over.max(initial=0.0)))
    return off <= NEAR * spread
