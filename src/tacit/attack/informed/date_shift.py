"""Dates that were shifted person by person: order and intervals are still there."""

from __future__ import annotations

from typing import Any

import numpy as np

from tacit.attack.informed.base import Informed
from tacit.attack.informed.evidence import Evidence, Part, Rule
from tacit.attack.informed.pram import unchanged
from tacit.base.typing import Floats, Ints
from tacit.data.microdata import Kind, Microdata, Role
from tacit.data.units import Units, persons, records

# parts of a day below a second are not told apart
PER_DAY = 86_400
# where a missing date sits: far from every other
FAR = 1e9


class AwareDateShift(Informed):
    """The intruder knows that each person's dates moved together, and matches intervals.

    Parameters
    ----------
    days : int, optional
        Most days of a shift; any, unless given.
    shifted : list of str, optional
        The columns that were shifted; every compared date unless given.
    person : str, optional
        The column that groups the rows of a person in both files; unless given, the one with
        the role person. Its numbers are not compared: a release has new ones.
    rule : {"assignment", "nearest", "likeliest"}
        Who is named: the best bijection, each original's cheapest record, or its likeliest.
    columns : list of str, optional
        The columns that the intruder compares; the quasi-identifiers unless given.

    Notes
    -----
    **Definition.** A person's history is the list of all shifted dates, less the first of
    them, in order of time. A masked row can be an original one if the histories of their
    persons are the same, both stand at the same place of it, and the dates differ by at most
    ``days``; else the pair is impossible. Without numbers of persons in the release the
    history of a row is its own dates.

    **Guarantee.** The exact likelihood: the shift is uniform and keeps intervals.

    **Cost.** All pairs of a file of up to 6,000 records, candidates of a larger one.

    References
    ----------
    Hripcsak, Mirhaji, Low and Malin (2016) for the method; the attack follows from its
    definition.

    Examples
    --------
    >>> import tacit as tc
    >>> stays = ["2020-01-01", "2020-01-09", "2020-03-01", "2020-03-08"]
    >>> file = {"id": [1, 1, 2, 2], "stay": stays}
    >>> data = tc.Microdata.of(file, person="id", date="stay", quasi="stay")
    >>> moved = tc.protect.DateShift(days=300, random_state=1).fit_transform(data)
    >>> AwareDateShift(days=300).link(data, moved).rate
    1.0
    """

    title = "Matches the intervals between dates"

    method = "date_shift"

    def __init__(
        self,
        days: int | None = None,
        shifted: list[str] | None = None,
        person: str | None = None,
        rule: Rule = "assignment",
        columns: list[str] | None = None,
    ) -> None:
        self.days = days
        self.shifted = shifted
        self.person = person
        self.rule = rule
        self.columns = columns

    @classmethod
    def knowing(
        cls,
        protector: Any,
        original: Microdata,
    ) -> AwareDateShift:
        """The largest shift and the columns are the method's own."""
        return cls(
            days=protector.days,
            shifted=protector.touches(original),
            person=protector.person,
        )

    @property
    def knows(self) -> str:
        """Who the intruder is and what they know, in one phrase."""
        return self._says(
            "that all dates of a person moved by one secret number of days, which keeps "
            "the intervals between them"
        )

    def evidence(
        self,
        original: Microdata,
        masked: Microdata,
        columns: list[str],
    ) -> Evidence:
        """Histories that differ are impossible; columns that were not shifted are as they were."""
        shifted = [name for name in columns if self._is_shifted(original, masked, name)]
        rest = [name for name in columns if name not in shifted]
        total = Evidence.none(original.n, masked.n)
        if rest:
            total = unchanged(original, masked, rest)
        if not shifted:
            return total
        units = [_people(data, self.person) for data in (original, masked)]
        if units[0].single or units[1].single:
            units = [records(original.n), records(masked.n)]
        ours = np.column_stack([original.days(name) for name in shifted])
        theirs = np.column_stack([masked.days(name) for name in shifted])
        return total + _moved(ours, theirs, units[0], units[1], self.days)

    def _is_shifted(
        self,
        original: Microdata,
        masked: Microdata,
        name: str,
    ) -> bool:
        if self.shifted is not None and name not in self.shifted:
            return False
        kinds = (original.schema[name].kind, masked.schema[name].kind)
        return kinds == (Kind.date, Kind.date)


def _people(data: Microdata, asked: str | None) -> Units:
    """Whose rows these are; rows alone where the file does not say."""
    if asked is None or asked not in data.names:
        return persons(data)
    if data.schema[asked].role is Role.person:
        return persons(data)
    _, labels = np.unique(data.column(asked), return_inverse=True)
    return Units("person", labels.astype(np.int64))


def _moved(
    ours: Floats,
    theirs: Floats,
    our_people: Units,
    their_people: Units,
    days: int | None,
) -> Evidence:
    """Evidence of dates that moved person by person."""
    known: dict[tuple[int, ...], int] = {}
    places, histories = [], []
    for values, people in ((ours, our_people), (theirs, their_people)):
        first = people.lowest(np.fmin.reduce(values, axis=1))[people.labels]
        place = np.rint((values - first[:, None]) * PER_DAY)
        places.append(np.nan_to_num(place, nan=FAR))
        histories.append(_histories(place, people, known))
    spread = max(1.0, float(np.std(places[0])))
    hint = [
        np.column_stack([history * FAR, place / spread])
        for history, place in zip(histories, places, strict=True)
    ]
    looked_at = [
        np.column_stack([history, place, np.nan_to_num(values, nan=FAR)])
        for history, place, values in zip(
            histories, places, (ours, theirs), strict=True
        )
    ]
    cost = _Moved(ours.shape[1], days)
    part = Part(looked_at[0], looked_at[1], cost, (hint[0], hint[1]))
    return Evidence.of_part(part)


def _histories(
    place: Floats,
    people: Units,
    known: dict[tuple[int, ...], int],
) -> Ints:
    """The number of each row's history; equal histories of both files have the same number."""
    numbers = np.empty(people.number, dtype=np.int64)
    for unit in range(people.number):
        dates = place[people.rows(unit)].ravel()
        history = tuple(np.sort(dates[~np.isnan(dates)]).astype(np.int64).tolist())
        numbers[unit] = known.setdefault(history, len(known))
    return numbers[people.labels]


class _Moved:
    """The cost of a pair of rows: 0 where one may be the other, moved; else inf."""

    def __init__(self, width: int, days: int | None) -> None:
        self.width = width
        self.days = days

    def __call__(self, p: Floats, q: Floats) -> Floats:
        possible = np.ones((len(p), len(q)), dtype=bool)
        for k in range(1 + self.width):
            possible &= p[:, k, None] == q[None, :, k]
        if self.days is not None:
            for k in range(1 + self.width, 1 + 2 * self.width):
                # half a day of slack: rounding must not exclude the longest shift
                possible &= np.abs(p[:, k, None] - q[None, :, k]) <= self.days + 0.5
        return np.where(possible, 0.0, np.inf)
