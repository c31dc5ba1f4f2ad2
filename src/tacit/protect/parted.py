"""A protector for each part of a file, and the file put together again."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from copy import copy
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from tacit.base import seeds
from tacit.base.errors import InputError, TacitError
from tacit.base.estimator import clone
from tacit.data.io.on_disk import OnDisk
from tacit.data.microdata import Microdata
from tacit.protect import by_address
from tacit.protect.file_parts import (
    RECORD,
    Level,
    Part,
    columns_by_level,
    has_units,
    in_stratum,
    join,
    levels,
    refuse_small,
    split,
)
from tacit.protect.levels_on_disk import LevelsOnDisk

if TYPE_CHECKING:
    from tacit.protect.base import Protector


@dataclass(frozen=True)
class Held:
    """Parts of a file in memory."""

    data: Microdata
    parts: list[Part]

    def table(self, part: Part) -> Microdata:
        """The table of units."""
        return part.table(self.data)

    def joined(self, masked: Iterator[Microdata]) -> Microdata:
        """The file with what was masked in each part."""
        return join(self.data, self.parts, list(masked))


class Parts:
    """What a protector has learned of each part of a file; see ``tacit.protect.file_parts``.

    Attributes
    ----------
    by
        The columns that cut the file into strata.
    levels
        The columns of each level: household, person, record.
    fitted
        The protector of each part, by its level and stratum.
    """

    def __init__(
        self,
        owner: Protector,
        levels: Mapping[str, Sequence[str]],
        by: Sequence[str],
    ) -> None:
        self.by = list(by)
        self.levels = {word: list(columns) for word, columns in levels.items()}
        self.fitted: dict[tuple[object, ...], Protector] = {}
        self._owner = owner

    @classmethod
    def of(
        cls,
        owner: Protector,
        data: Microdata,
        columns: Sequence[str],
    ) -> Parts | None:
        """The parts in which a protector would mask these columns; None: the file as it is."""
        by = strata_columns(owner)
        if owner.keeps_levels:
            # where there are units it cuts strata itself, as both must fit together
            whole = not by or has_units(data)
            return None if whole else cls(owner, {RECORD: columns}, by)
        found = columns_by_level(data, columns)
        if list(found) == [RECORD] and not by:
            return None
        return cls(owner, found, by)

    def cut(self, data: Microdata) -> list[Part]:
        """The parts of a file."""
        columns = [name for names in self.levels.values() for name in names]
        if list(self.levels) == [RECORD]:
            return split(data, [Level(RECORD, columns, None)], self.by)
        found = levels(data, columns, self.levels)
        return split(data, found, self.by)

    def protector(self, part: Part, data: Microdata, seed: int) -> Protector:
        """A new protector for one part: its columns, and a seed of its own."""
        given: dict[str, Any] = self._owner.get_params(deep=False)
        masked = {name for names in self.levels.values() for name in names}
        # parameters may name columns that the table of this part does not have
        gone = set(data.names) - set(part.kept) | masked - set(part.columns)
        for name, value in given.items():
            given[name] = _without(value, gone)
        for name in ("columns", "quasi"):
            if name in given:
                given[name] = list(part.columns)
        if strata_columns(self._owner):
            # the part is one stratum already
            given["by"] = None
        if "random_state" in given:
            given["random_state"] = seed
        made: Protector = clone(self._owner).set_params(**given)
        return made

    def fit(self, data: Microdata) -> None:
        """Learn in every part."""
        self.fitted = {}
        cut = self._cut(data)
        for part, seed in self._seeded(cut):
            made = self.protector(part, cut.data, seed)
            with self._named(part):
                made._fit(cut.table(part), part.columns, made._generator())
            self.fitted[part.key] = made

    def apply(self, data: Microdata) -> Microdata:
        """Mask every part by what was learned in it."""
        cut = self._cut(data)

        def masked() -> Iterator[Microdata]:
            for part, seed in self._seeded(cut):
                made = self._known(part)
                if hasattr(made, "random_state"):
                    made = _copy(made, seed)
                with self._named(part):
                    units, rng = cut.table(part), made._generator()
                    yield by_address.masked(made, units, part.columns, rng)

        return cut.joined(masked())

    def fit_apply(self, data: Microdata) -> Microdata:
        """Learn and mask in every part."""
        self.fitted = {}
        cut = self._cut(data)

        def masked() -> Iterator[Microdata]:
            for part, seed in self._seeded(cut):
                made = self.protector(part, cut.data, seed)
                with self._named(part):
                    units, rng = cut.table(part), made._generator()
                    yield made._fit_apply(units, part.columns, rng)
                self.fitted[part.key] = made

        return cut.joined(masked())

    def _cut(self, data: Microdata) -> Held | LevelsOnDisk:
        """The parts: tables of a file on the disk stay there."""
        looked_at = self._owner.reads(data)
        if isinstance(data, OnDisk):
            return LevelsOnDisk.of(data, self.levels, self.by, looked_at)
        return Held(data, self.cut(data))

    def _seeded(self, cut: Held | LevelsOnDisk) -> Iterator[tuple[Any, int]]:
        """Every part that is large enough, with its seed."""
        root = by_address.root(self._owner._generator())
        parts: Sequence[Any] = cut.parts
        for number, part in enumerate(parts):
            who = type(self._owner).__name__
            refuse_small(part, self._owner.min_records, who, self.by)
            yield part, seeds.child(root, number)

    def _known(self, part: Part) -> Protector:
        if part.key in self.fitted:
            return self.fitted[part.key]
        what = f"stratum {part.where}" if part.where else f"level of the {part.level}"
        raise InputError(
            f"the {what} was not in the file that was fitted; fit to a file that has it"
        )

    @contextmanager
    def _named(self, part: Part) -> Iterator[None]:
        """Errors name the stratum that they are about."""
        try:
            yield
        except TacitError as error:
            if not part.where:
                raise
            raise type(error)(in_stratum(part, self.by, str(error))) from None


def strata_columns(protector: object) -> list[str]:
    """The columns of ``by``, for methods that have it; another method's ``by`` is no list."""
    by = getattr(protector, "by", None)
    return list(by) if isinstance(by, list | tuple) else []


def _without(value: object, gone: set[str]) -> object:
    """A parameter that lists columns, or has an entry for each, without those of other parts."""
    if isinstance(value, dict):
        return {name: entry for name, entry in value.items() if name not in gone}
    if isinstance(value, list) and all(isinstance(name, str) for name in value):
        return [name for name in value if name not in gone]
    return value


def _copy(fitted: Protector, seed: int) -> Protector:
    """The fitted protector with another seed; the one that was fitted stays as it is."""
    made = copy(fitted)
    made.set_params(random_state=seed)
    return made
