"""What every differentially private protector is: declared columns, a claim, what is outside it."""

from __future__ import annotations

import warnings
from collections.abc import Mapping
from typing import ClassVar, Self

import numpy as np

from tacit.base import seeds
from tacit.base.errors import ColumnError, ParameterError, TacitWarning
from tacit.base.parameters import Seed
from tacit.data.microdata import Microdata
from tacit.data.schema import Category
from tacit.protect.base import Protector
from tacit.protect.private.accountant import CHANGE_ONE, Accountant
from tacit.protect.private.declared import by_declaration, check_categories


class PrivateProtector(Protector):
    """A release whose noise is drawn anew each time: fitting and applying are the same work.

    The mechanism of a column is the one that was declared for it: ``bounds`` or, where the
    method has them, ``categories``. The values of the file choose nothing.
    """

    one_row_each = (
        "epsilon bounds what one row changes, and somebody with several rows would spend it "
        "once for each"
    )
    unseeded: ClassVar[bool] = True
    """A plan draws no seed for this method: who knows the seed can remove the noise."""
    changes_types = (
        "a column's type tells of its values: "
        "what is released has the type that was declared"
    )

    removed: ClassVar[Mapping[str, str]] = {}
    """Options of earlier versions, and why they are gone."""

    # may columns be declared by their categories?
    _lists: ClassVar[bool] = False

    epsilon: float
    bounds: dict[str, tuple[float, float]] | None
    categories: dict[str, list[Category]] | None = None
    integers: list[str] | None
    columns: list[str] | None
    random_state: Seed
    test_seed: bool

    accountant_: Accountant
    guarantee_: str
    not_private_: list[str]

    def __new__(cls, *_: object, **given: object) -> Self:
        """Refuse what was an option once, with the reason; Python refuses unknown names."""
        for name in cls.removed.keys() & given:
            raise ParameterError(
                f"{cls.__name__} has no parameter '{name}' any more: {cls.removed[name]}"
            )
        made: Self = super().__new__(cls)
        return made

    # -- what is covered ---------------------------------------------------------------

    def touches(self, data: Microdata) -> list[str]:
        """The columns asked for, or else the quasi-identifiers and whatever was declared."""
        if self.columns is not None:
            return list(self.columns)
        wanted = {*data.quasi, *(self.bounds or {}), *(self.categories or {})}
        return [name for name in data.names if name in wanted]

    def not_private(self, data: Microdata) -> list[str]:
        """The columns that would be released as they are, and that no epsilon covers."""
        data = self._as_declared(data)
        masked = set(self.touches(data))
        dropped = set(data.schema.names(role="identifier"))
        return [name for name in data.names if name not in masked | dropped]

    def claim(self, data: Microdata) -> dict[str, object]:
        """What a release of this file would claim, in plain types, for manifest and report."""
        return {
            "epsilon": self.epsilon,
            "neighbours": CHANGE_ONE,
            "columns": self.touches(self._as_declared(data)),
            "not_private": self.not_private(data),
        }

    def _account(
        self,
        data: Microdata,
        columns: list[str],
    ) -> Accountant:
        """An accountant that knows what its epsilon does not cover."""
        rest = [name for name in data.names if name not in columns]
        return Accountant(self.epsilon, not_private=rest)

    def _keep(
        self,
        accountant: Accountant,
        columns: list[str],
    ) -> None:
        """The fitted attributes that say what is claimed."""
        self.accountant_ = accountant
        self.not_private_ = list(accountant.not_private)
        seeded = self.random_state is not None
        condition = "; against those who do not know the seed" if seeded else ""
        outside = ""
        if accountant.not_private:
            outside = (
                f"; not of {', '.join(accountant.not_private)}, released as they are"
            )
        self.guarantee_ = (
            f"{self.epsilon:g}-differential privacy, neighbours: change one record "
            f"(n public), of {', '.join(columns)} together{outside}{condition}"
        )

    # -- declared, not inferred --------------------------------------------------------

    def _as_declared(self, data: Microdata) -> Microdata:
        """The file with the kinds that were declared for the columns to be masked."""
        asked = self.columns
        numeric = [n for n in self.bounds or {} if asked is None or n in asked]
        listed = {
            name: known
            for name, known in (self.categories or {}).items()
            if asked is None or name in asked
        }
        return data.with_schema(by_declaration(data.schema, numeric, listed))

    def _read(
        self,
        X: object,
        *,
        reset: bool,
    ) -> Microdata:
        who = type(self).__name__
        both = set(self.bounds or {}) & set(self.categories or {})
        if both:
            raise ParameterError(
                f"{who}: '{min(both)}' has bounds and categories; it is one or the other"
            )
        check_categories(self.categories or {}, who)
        for name in self.integers or ():
            if name not in (self.bounds or {}):
                raise ParameterError(f"{who}: integers names '{name}', without bounds")
        return self._as_declared(super()._read(X, reset=reset))

    def _targets(self, data: Microdata) -> list[str]:
        names = self.touches(data)
        if not names:
            raise ColumnError(
                "there is no quasi-identifier to protect; "
                "name some (--quasi, or columns=[...])"
            )
        declared = {*(self.bounds or {}), *(self.categories or {})}
        for name in names:
            column = data.schema[name]
            if name in declared:
                continue
            self._refuse_other_kinds(name, column.scale)
            listed = f", or categories={{'{name}': [...]}}" if self._lists else ""
            raise ParameterError(
                f"{type(self).__name__} needs the bounds of '{name}', from what is known and "
                f"not from the file: bounds={{'{name}': (low, high)}}{listed}"
            )
        return names

    # -- one release -------------------------------------------------------------------

    def _generator(self) -> np.random.Generator:
        seeds.refuse(self.random_state, self.test_seed, type(self).__name__)
        return super()._generator()

    def _release(
        self,
        data: Microdata,
        columns: list[str],
        rng: np.random.Generator,
        *,
        keep: bool,
    ) -> Microdata:
        """Mask; with ``keep`` also set the fitted attributes."""
        raise NotImplementedError

    def _fit(
        self,
        data: Microdata,
        columns: list[str],
        rng: np.random.Generator,
    ) -> None:
        self._release(data, columns, rng, keep=True)

    def _apply(
        self,
        data: Microdata,
        columns: list[str],
        rng: np.random.Generator,
    ) -> Microdata:
        # every release draws anew
        masked = self._release(data, columns, rng, keep=False)
        self._say_what_is_not_private(data, columns)
        return masked

    def _fit_apply(
        self,
        data: Microdata,
        columns: list[str],
        rng: np.random.Generator,
    ) -> Microdata:
        masked = self._release(data, columns, rng, keep=True)
        self._say_what_is_not_private(data, columns)
        return masked

    def _say_what_is_not_private(
        self,
        data: Microdata,
        columns: list[str],
    ) -> None:
        """Columns beside the private ones make the file identifying, whatever epsilon is."""
        rest = [name for name in data.names if name not in columns]
        if rest:
            warnings.warn(
                f"not private: {', '.join(rest)} are released as they are; epsilon "
                f"{self.epsilon:g} is claimed for {', '.join(columns)} only",
                TacitWarning,
                stacklevel=5,
            )
