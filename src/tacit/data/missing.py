"""Missing codes: values that a file uses to say that, and why, there is no value.

They are gaps for everything that computes, and are written back as the codes that they were.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from typing import Any, TypeAlias

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from tacit.base.typing import Bools, Floats

Code: TypeAlias = int | float | str
"""A missing code as the file holds it: 99, or ``-``, or ``.a`` in Stata."""

# a code such as 007 is no number, and stays text
_LEADING_ZERO = r"^\s*[+-]?0\d"
# whole numbers that fit 64 bits whatever their digits are
_WHOLE = r"^\s*[+-]?\d{1,18}\s*$"
# decimals that a column of numbers is taken to be written with, at most
_MOST_DECIMALS = 6


@dataclass(frozen=True)
class Closing:
    """What all records of a column say of how it is written."""

    kept: bool
    """Some gap was a code before."""
    suppressed: bool
    """Some gap was a value before."""
    fits: bool
    """What stood there before can be held by the type of what stands there now."""


@dataclass(frozen=True)
class Missing:
    """The missing codes of one column.

    Parameters
    ----------
    codes : tuple
        Single codes.
    ranges : tuple of (low, high)
        Ranges of codes, both ends included.
    suppressed : code, optional
        The code that is written for cells that a method suppressed; a code like the others
        when it is read. Without it they become empty.

    Examples
    --------
    >>> codes = Missing.from_entry({"missing": [9, "-", [97, 99]]})
    >>> [codes.holds(value) for value in (8, 9, 98, "-", "99")]
    [False, True, True, True, True]
    """

    codes: tuple[Code, ...] = ()
    ranges: tuple[tuple[float, float], ...] = ()
    suppressed: Code | None = None
    step: float | None = field(default=None, compare=False, repr=False)
    """The step of the column's values (``step_of``), where some of them do not show it."""

    def __bool__(self) -> bool:
        return bool(self.codes or self.ranges) or self.suppressed is not None

    @classmethod
    def from_entry(cls, entry: Mapping[str, Any]) -> Missing:
        """From ``missing`` and ``suppressed`` of a schema file; ValueError: what is wrong."""
        listed = entry.get("missing", ())
        # one code needs no list around it
        if isinstance(listed, Code) and not isinstance(listed, bool):
            listed = [listed]
        if not isinstance(listed, list | tuple):
            raise ValueError(f"missing = {listed!r} must be a list of codes and ranges")
        codes: list[Code] = []
        ranges: list[tuple[float, float]] = []
        for item in listed:
            if isinstance(item, list | tuple):
                ranges.append(_range(item))
            else:
                codes.append(_code(item))
        suppressed = entry.get("suppressed")
        if suppressed is not None:
            suppressed = _code(suppressed)
        return cls(tuple(codes), tuple(ranges), suppressed)

    def to_entry(self) -> dict[str, Any]:
        """As in a schema file; nothing where there are no codes."""
        entry: dict[str, Any] = {}
        if self.codes or self.ranges:
            entry["missing"] = [*self.codes, *(list(ends) for ends in self.ranges)]
        if self.suppressed is not None:
            entry["suppressed"] = self.suppressed
        return entry

    def holds(self, value: object) -> bool:
        """Is this value a code? Text that is a number is that number."""
        # True equals 1, and is no code for that
        if value is None or isinstance(value, bool):
            return False
        if isinstance(value, int | float):
            low_high = any(low <= value <= high for low, high in self.ranges)
            return low_high or float(value) in self._numbers
        text = str(value).strip()
        if text in self._texts:
            return True
        number = _number(text)
        # a file of text may write 99 as 99.0
        return number is not None and self.holds(number)

    def found(self, values: pa.ChunkedArray) -> pa.ChunkedArray | pa.Array:
        """Where a column holds codes (never null)."""
        kind = values.type
        if pa.types.is_integer(kind) or pa.types.is_floating(kind):
            # codes are written 99 or 99.0: as floats they are the same
            numbers = values.cast(pa.float64(), safe=False)
            single = pa.array(self._numbers, pa.float64())
            is_code = pc.is_in(numbers, value_set=single)
            for low, high in self.ranges:
                above = pc.greater_equal(numbers, low)
                below = pc.less_equal(numbers, high)
                inside = pc.and_(above, below)
                is_code = pc.or_(is_code, pc.fill_null(inside, False))
            return is_code
        # few values are distinct: each is judged once
        distinct = pc.unique(values)
        codes = [value for value in distinct.to_pylist() if self.holds(value)]
        plain = values
        if pa.types.is_dictionary(kind):
            plain = values.cast(kind.value_type)
        return pc.is_in(plain, value_set=pa.array(codes, plain.type))

    def reasons(self, written: pa.ChunkedArray, gaps: Bools) -> list[str | None]:
        """The code of each gap as text, empty where none stands, None where there is a value.

        A code that is a number reads the same whether a file writes 99 or 99.0.
        """
        # few values are distinct: each is read once
        plain: dict[object, str] = {}
        out: list[str | None] = []
        for value, gap in zip(written.to_pylist(), gaps.tolist(), strict=True):
            if not gap:
                out.append(None)
                continue
            if value not in plain:
                plain[value] = _as_read(value) if self.holds(value) else ""
            out.append(plain[value])
        return out

    def opened(
        self,
        values: pa.ChunkedArray,
        *,
        decimal: str = ".",
        as_text: bool = False,
    ) -> pa.ChunkedArray:
        """The column with gaps in place of codes.

        Text that holds only numbers besides its codes becomes numbers, unless ``as_text``.
        """
        opened = self.blanked(values)
        if not _is_text(opened.type) or as_text:
            return opened
        return as_numbers(opened, number_type([opened], decimal), decimal)

    def blanked(self, values: pa.ChunkedArray) -> pa.ChunkedArray:
        """The column with gaps in place of codes, of its own type."""
        plain = values
        if pa.types.is_dictionary(values.type):
            plain = values.cast(values.type.value_type)
        gap = pa.scalar(None, plain.type)
        opened = pc.if_else(self.found(values), gap, plain)
        return opened if isinstance(opened, pa.ChunkedArray) else _chunked(opened)

    def closed(
        self,
        now: pa.ChunkedArray,
        before: pa.ChunkedArray,
        *,
        decimal: str = ".",
    ) -> pa.ChunkedArray:
        """The column as it is written.

        A gap that was a code before is that code again; a gap that was a value before was
        suppressed.
        """
        how = self.closing([(now, before)])
        return self.closed_so(now, before, how, decimal=decimal)

    def closing(
        self, columns: Iterable[tuple[pa.ChunkedArray, pa.ChunkedArray]]
    ) -> Closing:
        """What some records after the other, as they are and as they were, say of all."""
        any_kept = any_suppressed = False
        fits = True
        for now, before in columns:
            before, kept, suppressed = self._came_from(now, before)
            any_kept = any_kept or bool(pc.any(kept).as_py())
            any_suppressed = any_suppressed or bool(pc.any(suppressed).as_py())
            fits = fits and _fits(before, now.type)
        return Closing(any_kept, any_suppressed, fits)

    def _came_from(
        self, now: pa.ChunkedArray, before: pa.ChunkedArray
    ) -> tuple[pa.ChunkedArray, pa.ChunkedArray, pa.ChunkedArray]:
        """The column before, gaps that were codes, and gaps that were values."""
        if pa.types.is_dictionary(before.type):
            before = before.cast(before.type.value_type)
        gap = pc.is_null(now, nan_is_null=True)
        code = self.found(before)
        was_gap = pc.is_null(before, nan_is_null=True)
        value = pc.invert(pc.or_(code, was_gap))
        return before, pc.and_(gap, code), pc.and_(gap, value)

    def closed_so(
        self,
        now: pa.ChunkedArray,
        before: pa.ChunkedArray,
        how: Closing,
        *,
        decimal: str = ".",
    ) -> pa.ChunkedArray:
        """As ``closed``, of some records of a column whose others are known."""
        before, kept, suppressed = self._came_from(now, before)
        mark = self.suppressed
        # a common type is only needed where a code comes back
        if how.kept:
            now, before = _common(now, before, decimal, fits=how.fits)
            now = pc.if_else(kept, before, now)
        if mark is not None and how.suppressed:
            # a mark such as x makes a column of numbers text
            is_text = isinstance(mark, str) and _number(mark) is None
            if is_text and not _is_text(now.type):
                now = _as_text(now, decimal)
            shown = str(mark) if _is_text(now.type) else mark
            written = pa.scalar(shown).cast(now.type)
            now = pc.if_else(suppressed, written, now)
        return now if isinstance(now, pa.ChunkedArray) else _chunked(now)

    def avoided(self, numbers: Floats, known: Floats) -> Floats:
        """Masked numbers that are no codes: one that fell on a code goes to the nearest value.

        The next value is one step away, where the step is that of the ``known`` values (1 for
        whole numbers); equal numbers stay equal.
        """
        step = step_of([known]) if self.step is None else self.step
        out = np.array(numbers, dtype=np.float64)
        spans = [(code, code) for code in self._numbers] + list(self.ranges)
        # spans that touch are one, or a number would go from one into the next
        for low, high in _merged(spans, step):
            inside = (out >= low) & (out <= high)
            # the nearer end, so that the number moves as little as it can
            down = inside & (out - low <= high - out)
            out[down] = np.nextafter(low, -np.inf) if step == 0 else low - step
            up = inside & ~down
            out[up] = np.nextafter(high, np.inf) if step == 0 else high + step
        return out

    @property
    def _all(self) -> tuple[Code, ...]:
        return self.codes if self.suppressed is None else (*self.codes, self.suppressed)

    @property
    def _texts(self) -> set[str]:
        return {code.strip() for code in self._all if isinstance(code, str)}

    @property
    def _numbers(self) -> list[float]:
        numbers = (
            _number(code) if isinstance(code, str) else float(code)
            for code in self._all
        )
        return [number for number in numbers if number is not None]


def _code(item: object) -> Code:
    if isinstance(item, bool) or not isinstance(item, int | float | str):
        raise ValueError(f"the missing code {item!r} is neither a number nor text")
    if isinstance(item, float) and not np.isfinite(item):
        raise ValueError(f"the missing code {item!r} is not a finite number")
    return item


def _range(item: list[Any] | tuple[Any, ...]) -> tuple[float, float]:
    two = len(item) == 2
    if not two or not all(
        isinstance(end, int | float) and not isinstance(end, bool) for end in item
    ):
        raise ValueError(
            f"the range of missing codes {list(item)!r} must be two numbers, [low, high]"
        )
    low, high = item
    # also false for NaN
    if not low <= high:
        raise ValueError(
            f"the range of missing codes {list(item)!r} must begin with the lower number"
        )
    return low, high


def _as_read(code: object) -> str:
    text = str(code).strip()
    number = _number(text)
    return text if number is None else f"{number:g}"


def _number(text: str) -> float | None:
    try:
        number = float(text)
    except ValueError:
        return None
    # Python reads nan and inf as numbers; in a file they are words
    return number if np.isfinite(number) else None


def _is_text(kind: pa.DataType) -> bool:
    return bool(pa.types.is_string(kind) or pa.types.is_large_string(kind))


def number_type(columns: Iterable[pa.ChunkedArray], decimal: str) -> pa.DataType | None:
    """The type of text that holds only numbers, some records after the other; None: other text."""
    known, whole, readable = False, True, True
    for values in columns:
        # nothing says that a column of gaps holds numbers
        if values.null_count == len(values):
            continue
        known = True
        if pc.any(pc.match_substring_regex(values, _LEADING_ZERO)).as_py():
            return None
        whole = whole and pc.all(pc.match_substring_regex(values, _WHOLE)).as_py()
        try:
            as_numbers(values, pa.float64(), decimal)
        except pa.ArrowInvalid:
            readable = False
    if known and whole:
        return pa.int64()
    return pa.float64() if known and readable else None


def as_numbers(
    values: pa.ChunkedArray, kind: pa.DataType | None, decimal: str
) -> pa.ChunkedArray:
    """Text as numbers of this type; None: as it is."""
    if kind is None:
        return values
    trimmed = pc.utf8_trim_whitespace(values)
    if pa.types.is_integer(kind):
        # Arrow reads no plus sign
        return pc.replace_substring(trimmed, "+", "").cast(kind)
    return pc.replace_substring(trimmed, decimal, ".").cast(kind)


def _as_text(values: pa.ChunkedArray, decimal: str) -> pa.ChunkedArray:
    """Numbers as the file writes them."""
    text = values.cast(pa.string())
    if pa.types.is_floating(values.type) and decimal != ".":
        text = pc.replace_substring(text, ".", decimal)
    return text


def _common(
    now: pa.ChunkedArray,
    before: pa.ChunkedArray,
    decimal: str,
    *,
    fits: bool,
) -> tuple[pa.ChunkedArray, pa.ChunkedArray]:
    """Both columns in one type that can hold the values of both."""
    if now.type == before.type:
        return now, before
    if fits and not _is_text(now.type) and not _is_text(before.type):
        # numbers stay numbers where the codes fit among them
        return now, before.cast(now.type)
    return (
        now if _is_text(now.type) else _as_text(now, decimal),
        before if _is_text(before.type) else _as_text(before, decimal),
    )


def _fits(before: pa.ChunkedArray, kind: pa.DataType) -> bool:
    """Can all values be held by this type?"""
    if before.type == kind or _is_text(before.type) or _is_text(kind):
        return True
    try:
        before.cast(kind)
    except (pa.ArrowInvalid, pa.ArrowNotImplementedError):
        return False
    return True


def _chunked(array: pa.Array) -> pa.ChunkedArray:
    return pa.chunked_array([array])


def step_of(columns: Iterable[Floats]) -> float:
    """The smallest decimal step that all known values are written with; 0: none.

    Values come some after the other.

    >>> step_of([np.array([1.0, np.nan]), np.array([0.25])])
    0.01
    """
    some, left = False, list(range(_MOST_DECIMALS + 1))
    for values in columns:
        # gaps have no decimals
        known = values[np.isfinite(values)]
        some = some or bool(known.size)
        left = [d for d in left if np.array_equal(np.round(known, d), known)]
    return float(10.0 ** -left[0]) if some and left else 0.0


def _merged(
    spans: list[tuple[float, float]],
    step: float,
) -> list[tuple[float, float]]:
    """Spans of codes without those that overlap or stand one step apart."""
    merged: list[tuple[float, float]] = []
    # in rising order a span can only touch the one before
    for low, high in sorted(spans):
        if not merged:
            merged.append((low, high))
            continue
        first, last = merged[-1]
        if low <= last + step:
            merged[-1] = (first, max(high, last))
        else:
            merged.append((low, high))
    return merged
