"""What becomes of each column of a stream: protected, kept by name, or dropped."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence

from tacit.base.errors import ColumnError, ParameterError
from tacit.stream.base import Filter
from tacit.stream.beginning import (
    as_texts,
    content_of,
    lookup,
    most_common_columns,
    options,
    usual,
)
from tacit.stream.kinds import CONTINUOUS, NOMINAL, ORDINAL, Plain
from tacit.stream.sources.text import Record

# values of a column that are saved with a state: it must stay small
SEEN = 1000


class Decisions:
    """Decides, from the beginning of a stream, what becomes of each column.

    Protected are the columns that the filter names, else all that hold numbers, and those declared
    ``nominal`` or ``ordinal``: text is a category only where somebody said so. Columns in ``keep``
    leave as they came. Everything else is dropped, and `dropped` says why.
    """

    # the columns of a header below which no record has come yet
    _ahead: Sequence[str] | None = None

    def __init__(
        self,
        filter: Filter,
        keep: Iterable[str] = (),
        drop: Iterable[str] = (),
        decimal: str = ".",
    ) -> None:
        self.filter = filter
        self.keep = list(keep)
        self.drop = list(drop)
        self.decimal = decimal
        self._columns = as_texts(filter.columns)
        self._nominal = as_texts(filter.nominal) or []
        self.asked = {
            "columns": self._columns,
            "nominal": as_texts(filter.nominal),
            "keep": self.keep,
            "drop": self.drop,
        }
        self.names: list[str] | None = None
        self.header = False
        self.hidden: set[str] = set()
        self.dropped: dict[str, str] = {}
        masked = [*self.drop, *(self._columns or ())]
        both = [name for name in self.keep if name in masked]
        if both:
            raise ParameterError(
                f"column '{both[0]}' cannot be kept as it is and also be protected or dropped"
            )
        if self.keep and not filter.linked:
            raise ParameterError(
                f"{type(filter).__name__} releases the columns that were declared and no other: "
                "leave out --keep"
            )

    # -- what becomes of each column ---------------------------------------------------

    def open(
        self,
        sample: Sequence[Record],
        names: Sequence[str] | None = None,
    ) -> None:
        """Decide. ``names``: columns of a CSV file; of JSON lines the most common are taken."""
        self.header = names is not None
        if names is None:
            names = most_common_columns(sample, self._needed())
        self.names = list(names)
        self.expect(self.names)
        # records with other columns show nothing about these
        fits = [record for record in sample if all(name in record for name in names)]
        content = {
            name: content_of([record[name] for record in fits], self.decimal)
            for name in names
        }
        self.kinds = self._kinds(content)
        if not self.kinds:
            columns = ", ".join(f"{name} ({content[name]})" for name in names)
            raise ColumnError(
                f"no column of the stream can be masked by {type(self.filter).__name__}; "
                f"its columns are: {columns}"
            )
        self._numeric = [name for name in names if content[name] == "numbers"]
        self._seen: dict[str, set[str]] = {}
        if self.header:
            for name in names:
                if name in self.keep or self.kinds.get(name) == NOMINAL:
                    self._seen[name] = usual(record[name] for record in fits)
        self._prepare()

    def _kinds(self, content: Mapping[str, str]) -> dict[str, int]:
        """The columns that are protected, with their kinds; of others `dropped` says why not."""
        wanted, extras = self._columns, self._extras()
        kinds: dict[str, int] = {}
        for name in self.names or ():
            if name in self.drop or name in self.keep:
                continue
            if name in extras and name not in (wanted or ()):
                continue
            if wanted is not None and name not in wanted:
                self.dropped[name] = "not named in --columns"
                continue
            kind = self._kind(name, content[name], wanted is not None)
            if kind is not None:
                kinds[name] = kind
        return kinds

    def _needed(self) -> list[str]:
        """Columns that somebody named: the stream must have them."""
        masked = [*(self._columns or ()), *self._nominal]
        named = [*masked, *self._extras(), *self.keep, *self._ordinal()]
        return list(dict.fromkeys(named))

    def expect(
        self,
        names: Sequence[str],
        header: bool = False,
    ) -> None:
        """These are the columns; ``header``: records that show what is in them are yet to come."""
        # of JSON lines not every record has every column: what is to be dropped may come later
        to_drop = self.drop if self.header or header else []
        for name in [*self._needed(), *to_drop]:
            if name not in names:
                columns = ", ".join(names)
                raise ColumnError(
                    f"the stream has no column '{name}'; its columns are: {columns}"
                )
        if header:
            self._ahead = names

    def _kind(
        self,
        name: str,
        content: str,
        named: bool,
    ) -> int | None:
        """The kind of a column; None: it is dropped, and `dropped` says why."""
        handles, who = self.filter.handles, type(self.filter).__name__
        kind = CONTINUOUS
        if name in self._ordinal():
            kind = ORDINAL
        elif name in self._nominal:
            kind = NOMINAL
        if kind == CONTINUOUS and content == "text":
            if named and NOMINAL in handles:
                raise ColumnError(
                    f"column '{name}' holds text; say that it is a category with --nominal {name}"
                )
            if named:
                raise ColumnError(
                    f"{who} cannot mask the column '{name}', which holds text; leave it out"
                )
            self.dropped[name] = "text that was not declared with --nominal"
        elif kind == CONTINUOUS and content == "nothing" and not named:
            self.dropped[name] = "empty at the beginning"
        elif kind in handles:
            return kind
        elif named or kind != CONTINUOUS:
            raise ColumnError(f"{who} cannot mask the column '{name}'; leave it out")
        else:
            self.dropped[name] = f"{who} does not mask numbers"
        return None

    def _extras(self) -> list[str]:
        """Columns that the filter reads and does not mask."""
        named = [
            getattr(self.filter, what, None) for what in ("person", "confidential")
        ]
        return [str(name) for name in named if name is not None]

    def _ordinal(self) -> dict[str, list[object]]:
        given = self.filter.ordinal or {}
        return {str(name): list(values) for name, values in given.items()}

    def _prepare(self) -> None:
        """Tell the filter its columns, and make ready what every record needs."""
        parameters = self.filter.get_params()
        told: dict[str, object] = {}
        if "columns" in parameters:
            told["columns"] = list(self.kinds)
        if "nominal" in parameters:
            nominal = [name for name, kind in self.kinds.items() if kind == NOMINAL]
            told["nominal"] = nominal or None
        if told:
            self.filter.set_params(**told)
        released = {*self.kinds, *self.keep}
        self.hidden = {name for name in self._extras() if name not in released}
        for name in self._extras():
            if name in self.hidden and name not in self.drop:
                self.dropped[name] = "read by the filter, not released"
        inside = released.union(self._extras())
        self.enter = [name for name in self.names or () if name in inside]
        self._known = {*(self.names or ()), *self.drop}
        self._declared = {
            name: lookup(values) for name, values in self._ordinal().items()
        }
        categories = getattr(self.filter, "categories", None) or {}
        for name, values in categories.items():
            self._declared[str(name)] = lookup(values)
        # a header that is not ours: nobody knows what stands below it
        self._other: str | None = None

    # -- to be saved -------------------------------------------------------------------

    def to_dict(self) -> dict[str, object]:
        """What was decided, so that a restart decides the same."""
        if self.names is None:
            return {"asked": self.asked}
        return {
            "asked": self.asked,
            "names": self.names,
            "kinds": self.kinds,
            "numeric": self._numeric,
            "seen": {name: sorted(seen)[:SEEN] for name, seen in self._seen.items()},
            "header": self.header,
            "dropped": self.dropped,
            "decimal": self.decimal,
        }

    def load(self, saved: Plain) -> None:
        """Go on with what was decided before."""
        # with other options the saved groups would hold other columns
        if saved["asked"] != self.asked:
            raise ParameterError(
                f"the saved state belongs to other columns ({options(saved['asked'])}); "
                "name the same ones, or another --state"
            )
        if "names" not in saved:
            return
        self.names = list(saved["names"])
        self.kinds = dict(saved["kinds"])
        self._numeric = list(saved["numeric"])
        self._seen = {name: set(seen) for name, seen in saved["seen"].items()}
        self.header = saved["header"]
        self.dropped = dict(saved["dropped"])
        self.decimal = saved["decimal"]
        words = [*self.names, *self._numeric, *self.kinds, *self.dropped]
        words += [*self.dropped.values(), self.decimal]
        if not all(isinstance(word, str) for word in words):
            raise ValueError("names of columns are no text")
        self._prepare()
