"""Targeted record swapping: risky households change places with similar ones elsewhere."""

from __future__ import annotations

import warnings
from typing import Annotated

import numpy as np
from annotated_types import Ge, Le

from tacit.base.errors import ColumnError, TacitWarning
from tacit.base.facts import Strength
from tacit.base.typing import Bools
from tacit.data.io.on_disk import OnDisk
from tacit.data.microdata import Microdata
from tacit.data.units import households, persons
from tacit.kernels.partners import Numbers
from tacit.protect.base import Protector, Seed
from tacit.protect.homes_on_disk import HomesOnDisk
from tacit.protect.swapped_homes import HELD, HomesInMemory, HomesOf, Swaps


class RecordSwapping(Protector):
    """Let households that stand out in their area change areas with similar households.

    Parameters
    ----------
    rate : float
        Share of the households that change places, at least; those at risk always do.
    k : int
        A household is at risk in an area where fewer than k persons share the keys of a member.
    keys : list of str, optional
        Columns by which a person stands out in an area; the quasi-identifiers unless given.
    similar : list of str, optional
        Columns that a household and its partner must share, besides the number of members.
    columns : list of str
        The areas, from the largest to the smallest (region, district); required.
    random_state : int, optional
        Seed: the same seed gives the same bytes; drawn from the system unless given.

    Attributes
    ----------
    swapped_ : array of bool
        The rows whose household has changed places.
    unmatched_ : int
        Households at risk for which no partner of their size was left.

    Notes
    -----
    **Definition.** From the largest areas to the smallest: each household at risk in its area, in
    random order, takes a partner that has not been swapped yet, with as many members, equal in
    ``similar``, and in another area of that level, if possible inside the same larger area; the
    two exchange all area columns. Where nobody is equal in ``similar``, size alone decides. Then
    more households are drawn, with probability in proportion to 1 / (persons who share the keys
    in the smallest area), until the share ``rate`` is reached. Without a household column every
    person (or record) is a household of one.

    **Guarantee.** Columns that are no areas stay as they are; in every area the numbers of
    households, of persons and of households of each size stay the same; all members stay
    together. At least the share ``rate`` is swapped, or a warning says how many are. No bound on
    risk: who is unique in the whole file stays so, in an area that may be wrong.

    **Cost.** One count of keys per level, and for each swap log n steps, whatever the number of
    households of the same size. A swap depends on who has moved before, so that of a file
    larger than memory 100 bytes per household are held, and no column.

    **Known attacks.** Other columns link as before, and an intruder who knows the method knows
    who is at risk, hence was moved.

    References
    ----------
    Shlomo, Tudor and Groom (2010).

    Examples
    --------
    >>> import tacit as tc
    >>> homes = {"home": [1, 1, 2, 2, 3, 3, 4, 4], "town": list("aaaabbbb"), "age": [40, 5] * 4}
    >>> data = tc.Microdata.of(homes, household="home", quasi=["age"])
    >>> swapping = RecordSwapping(columns=["town"], rate=0.5, random_state=1)
    >>> sorted(swapping.fit_transform(data).table["town"].to_pylist())
    ['a', 'a', 'a', 'a', 'b', 'b', 'b', 'b']
    """

    title = "Targeted record swapping"
    family = "swapping"
    purpose = "move households that stand out in their area to another one"
    goal = "exchange values between people"
    plain = {
        "rate": "share of the households that move",
        "keys": "keys that make somebody stand out",
    }
    strength = Strength("rate", 0.01, 1.0)
    attacker = "informed.record_swapping:AwareRecordSwapping"
    # a gap moves with the area that it stands in
    keeps_gaps = False
    keeps_levels = True
    example = {"columns": ["region"], "keys": ["age", "school"]}
    whole_file = "partners are looked for in other areas, and a block has few of them"
    passes = "keys"

    def __init__(
        self,
        rate: Annotated[float, Ge(0), Le(1)] = 0.05,
        k: Annotated[int, Ge(1)] = 3,
        keys: list[str] | None = None,
        similar: list[str] | None = None,
        columns: list[str] | None = None,
        random_state: Seed = None,
    ) -> None:
        self.rate = rate
        self.k = k
        self.keys = keys
        self.similar = similar
        self.columns = columns
        self.random_state = random_state

    def touches(self, data: Microdata) -> list[str]:
        """The areas."""
        return list(self.columns or [])

    def holds(self, data: Microdata) -> tuple[float, str]:
        """An entry for each household, whatever the number of columns."""
        homes = households(data) or persons(data)
        # and whether each record was swapped
        held = HELD * homes.number / max(homes.records, 1) + 1.0
        return held, f"{HELD:.0f} bytes per household"

    def _targets(self, data: Microdata) -> list[str]:
        if not self.columns:
            raise ColumnError(
                "RecordSwapping needs the areas between which households are swapped, from the "
                "largest to the smallest: columns=[...]"
            )
        for name in [*self.columns, *(self.keys or []), *(self.similar or [])]:
            data.schema[name]  # raises if there is no such column
        both = [name for name in self.keys or [] if name in self.columns]
        if both:
            raise ColumnError(
                f"'{both[0]}' is both an area and a key; leave it out of one"
            )
        return list(self.columns)

    def _fit(
        self,
        data: Microdata,
        columns: list[str],
        rng: np.random.Generator,
    ) -> None:
        source = _source(data)
        self._keep(source, *self._found(source, data, columns, rng))

    def _apply(
        self,
        data: Microdata,
        columns: list[str],
        rng: np.random.Generator,
    ) -> Microdata:
        source = _source(data)
        swaps, _ = self._found(source, data, columns, rng)
        return source.written(columns, swaps.homes, swaps.source)

    def _fit_apply(
        self,
        data: Microdata,
        columns: list[str],
        rng: np.random.Generator,
    ) -> Microdata:
        source = _source(data)
        swaps, unmatched = self._found(source, data, columns, rng)
        self._keep(source, swaps, unmatched)
        return source.written(columns, swaps.homes, swaps.source)

    def _keep(self, source: HomesOf, swaps: Swaps, unmatched: int) -> None:
        self.swapped_: Bools = source.rows_of(swaps.moved)
        self.unmatched_ = unmatched

    def _found(
        self,
        source: HomesOf,
        data: Microdata,
        columns: list[str],
        rng: np.random.Generator,
    ) -> tuple[Swaps, int]:
        """Who takes whose areas, and how many households at risk found no partner."""
        # an area that moves is no mark by which somebody stands out in it
        asked = data.quasi if self.keys is None else self.keys
        keys = [name for name in asked if name not in columns]
        swaps = Swaps(source.homes(columns, list(self.similar or [])), rng)
        unmatched = 0
        for level, _ in enumerate(columns):
            crowd = source.crowd(keys, columns[: level + 1])
            # a household is swapped once: who moved at a larger level stays where it is
            risky = np.flatnonzero((crowd < self.k) & ~swaps.moved)
            # in file order the first would take the best partners
            turn = rng.permutation(risky.astype(np.int32))
            unmatched += swaps.swap(turn, level, swaps.homes.number)[1]
        self._fill_up(swaps, np.maximum(crowd, 1), len(columns) - 1)
        return swaps, unmatched

    def _fill_up(self, swaps: Swaps, crowd: Numbers, level: int) -> None:
        """Swap more households, the rarer the likelier, until the rate is reached."""
        number = swaps.homes.number
        # 0.07 * 100 is a little above 7: the small number keeps that from asking for 8
        wanted = int(np.ceil(self.rate * number - 1e-9))
        missing = wanted - int(swaps.moved.sum())
        if missing <= 0:
            return
        # a draw without replacement with weights 1 / crowd: the smallest exponential times first
        times = swaps.rng.exponential(size=number) * crowd
        turn = np.argsort(times, kind="stable").astype(np.int32)
        moved, _ = swaps.swap(turn, level, missing)
        # fewer than asked for is less protection than the plan says
        if moved < missing:
            warnings.warn(
                f"{wanted - missing + moved} of {number} households were swapped, and {wanted} "
                "were asked for: the others have nobody of their size in another area",
                TacitWarning,
                stacklevel=2,
            )


def _source(data: Microdata) -> HomesOf:
    """The households of a file."""
    if isinstance(data, OnDisk):
        return HomesOnDisk.of(data)
    return HomesInMemory.of(data)
