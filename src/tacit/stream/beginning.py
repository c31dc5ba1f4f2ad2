"""What the first records of a stream show: its columns, and what is in each."""

from __future__ import annotations

from collections import Counter
from collections.abc import Hashable, Iterable, Mapping, Sequence

from tacit.stream.numbers import CODE, missing, number
from tacit.stream.sources.text import Record


def most_common_columns(sample: Sequence[Record], needed: Sequence[str]) -> list[str]:
    """The columns that most records have, among those that have what is needed."""
    complete = [record for record in sample if all(name in record for name in needed)]
    fitting = complete or list(sample)
    if not fitting:
        return []
    [(columns, _)] = Counter(frozenset(record) for record in fitting).most_common(1)
    # the order is that of the first record that has them
    return next(list(record) for record in fitting if record.keys() == columns)


def content_of(values: Sequence[object], decimal: str) -> str:
    """Numbers, text or nothing.

    Codes with leading zeros make it text if there are more than one in twenty; bad values do not
    as long as most are numbers.
    """
    present = [value for value in values if not missing(value)]
    if not present:
        return "nothing"
    codes = sum(is_code(value) for value in present)
    if 20 * codes > len(present):
        return "text"
    # a majority: some bad values are withheld one by one and do not change the kind
    numbers = sum(number(value, decimal) is not None for value in present)
    return "numbers" if 2 * numbers > len(present) else "text"


def is_code(value: object) -> bool:
    """Digits that begin with a zero."""
    return isinstance(value, str) and CODE.fullmatch(value.strip()) is not None


def usual(values: Iterable[object]) -> set[str]:
    """Text that stands there more than once: a name that comes once, as a header, is not in it."""
    times = Counter(value for value in values if isinstance(value, str))
    return {value for value, count in times.items() if count > 1}


def lookup(values: Iterable[Hashable]) -> dict[object, object]:
    """A declared category by itself and by its text."""
    declared = list(values)
    by_text: dict[object, object] = {str(value): value for value in declared}
    return by_text | {value: value for value in declared}


def encodable(text: str) -> bool:
    """Half a character (a lone surrogate) cannot be written."""
    try:
        text.encode()
    except UnicodeEncodeError:
        return False
    return True


def distinct_words(cells: Sequence[object]) -> bool:
    """Every cell holds a letter and no two are the same, as in a header."""
    # cells of a CSV file are text already
    texts = [str(cell) for cell in cells]
    wordy = all(any(map(str.isalpha, text)) for text in texts)
    return wordy and len(set(texts)) == len(texts)


def as_texts(names: Iterable[object] | None) -> list[str] | None:
    """Names of columns as a CSV file has them."""
    return None if names is None else [str(name) for name in names]


def options(asked: Mapping[str, Sequence[str] | None]) -> str:
    """The options of the command line that were given."""
    given = {name: columns for name, columns in asked.items() if columns}
    words = [f"--{name} {','.join(columns)}" for name, columns in given.items()]
    return " ".join(words) or "none named"
