"""SUDA2: special uniques, their scores and what each column contributes."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

import numpy as np

from tacit.base import facts
from tacit.base.errors import ParameterError
from tacit.base.measure import Measure
from tacit.base.options import checked
from tacit.base.typing import Floats, Ints
from tacit.data.microdata import Microdata
from tacit.data.repeated import Repeated
from tacit.data.units import Units, persons, records
from tacit.risk.classes import classes, first_of_each
from tacit.risk.counting import count
from tacit.risk.frequencies import NO_KEYS, key_codes, keyed, weights_of
from tacit.risk.judged import Judged
from tacit.risk.person_counting import people_behind
from tacit.risk.suda_scores import dis, minimal_sample_uniques, worth

# A set of keys is held as the bits of one signed 64-bit number.
MOST_KEYS = 62
# The sampling fraction where nothing is known about it: the default of sdcMicro's suda2.
USUAL_FRACTION = 0.01
# Where records times sets of keys (n 2^m) are more than this, the measure looks at sets of
# at most three keys, so that an assessment does not wait for it.
MOST_WORK = 30_000_000


@dataclass(frozen=True)
class Suda:
    """Scores of every record.

    Attributes
    ----------
    score, dis
        The SUDA score, and the DIS score made of it.
    contributions
        Percent of the total score by column.
    by_record
        (n, keys): share of the record's score that comes from sets with the column.
    sets
        (record, columns as bits) of every minimal sample unique.
    keys, definition, fraction
        What the scores were computed with.
    """

    score: Floats
    dis: Floats
    contributions: dict[str, float]
    by_record: Floats
    sets: tuple[Ints, Ints]
    keys: tuple[str, ...]
    definition: str
    fraction: float
    special: int
    """Records with a score."""

    def to_dict(self) -> dict[str, object]:
        """Summary in plain types."""
        return {
            "definition": self.definition,
            "fraction": self.fraction,
            "keys": list(self.keys),
            "minimal sample uniques": len(self.sets[0]),
            "records with a score": self.special,
            "highest score": float(self.score.max(initial=0.0)),
            "highest dis": float(self.dis.max(initial=0.0)),
            "contributions": self.contributions,
        }

    def __repr__(self) -> str:
        return (
            f"Suda({self.special} of {len(self.score)} records are special uniques; "
            f"highest DIS {self.dis.max(initial=0.0):.4f}; "
            f"score as in {self.definition})"
        )


@checked
def suda(
    data: object,
    keys: Sequence[str] | None = None,
    *,
    definition: Literal["elliot", "ihsn"] = "elliot",
    fraction: float | None = None,
    weight: str | None = None,
    largest: int | None = None,
    units: Units | None = None,
) -> Suda:
    """Score of each record from the smallest sets of keys on which it is alone.

    Parameters
    ----------
    data : frame or Microdata
        The file to be judged.
    keys : list of str, optional
        Key columns, 62 at most; the quasi-identifiers unless given.
    definition : {'elliot', 'ihsn'}
        What a set adds to the score: as in the original paper, or in the IHSN program.
    fraction : float, optional
        Sampling fraction; n over the sum of weights, or 0.01, unless given.
    weight : str, optional
        Column of sampling weights, from which the fraction is computed.
    largest : int, optional
        Look for sets of at most this many keys.
    units : Units, optional
        Whose records these are; in Microdata the persons.

    Notes
    -----
    **Definition.** With m keys, a minimal sample unique (MSU) of s keys adds (m - s)!
    (``elliot``) or (2^(m-s) - 1) s! (m-s)! / m! (``ihsn``). DIS = 1 / (1 + P (1 - f) / f /
    (S^Q sum S^-Q)), Q = 1 + (8 - m)/20, P = records whose key occurs twice, f = the
    sampling fraction. A missing value is part of no MSU. Exact: nothing is hashed. Where a
    column has the role person, a set is unique if all records with these values are of one
    person.
    **Range.** Score: 0 and up; 0: not unique on any set of keys; higher: unique on fewer
    keys, and so easier to find. DIS: [0, 1], like a probability that a match is right.

    References
    ----------
    Elliot, Manning and Ford (2002); Manning, Haglin and Keane (2008) for the search; Elliot
    and Manning (2003) for DIS.

    Examples
    --------
    >>> s = suda({"a": [1, 1, 2], "b": [1, 2, 2]}, fraction=0.1)
    >>> s.score.tolist(), s.contributions
    ([1.0, 1.0, 1.0], {'a': 66.66666666666667, 'b': 66.66666666666667})
    """
    microdata, names = keyed(data, keys)
    m = len(names)
    if m > MOST_KEYS:
        raise ParameterError(
            f"SUDA takes at most {MOST_KEYS} keys, not {m}; leave some out (keys=[...])"
        )
    if definition not in ("elliot", "ihsn"):
        raise ParameterError(f"definition={definition!r} must be 'elliot' or 'ihsn'")
    if largest is not None and largest < 1:
        raise ParameterError(f"largest={largest} must be 1 or more")
    if fraction is None:
        named = weight is not None
        fraction = sampling_fraction(microdata, weight) if named else USUAL_FRACTION
    if not 0 < fraction <= 1:
        raise ParameterError(f"fraction={fraction} must be above 0 and at most 1")

    coded = key_codes(microdata, names)
    n = len(coded)
    if units is None:
        units = persons(microdata) if isinstance(data, Microdata) else records(n)
    row, columns = minimal_sample_uniques(coded, largest, units)
    labels, number = classes(coded)
    size = np.bitwise_count(columns).astype(np.int64)
    # worth of a set by its size; there is no set of size 0
    worth_of_size = [0.0, *(worth(m, s, definition) for s in range(1, m + 1))]
    worth_of_set = np.array(worth_of_size)[size]
    score = _of_class(labels, number, row, worth_of_set)

    by_record = np.empty((n, m))
    for j in range(m):
        has_column = (columns >> j) & 1
        worth_here = worth_of_set * has_column
        by_record[:, j] = _of_class(labels, number, row, worth_here)
    # rows of a table of combinations stand for several records each
    times = units.times if isinstance(units, Repeated) else np.ones(n, np.int64)
    total = times @ score
    contributions: dict[str, float] = {}
    for j, name in enumerate(names):
        percent = 100 * (times @ by_record[:, j]) / total if total else 0.0
        contributions[name] = float(percent)
    # records without a score keep shares of 0
    divisor = np.where(score > 0, score, 1.0)
    by_record /= divisor[:, None]

    in_class, _ = count(
        coded, None, any_matches=False, grouped=(labels, number), units=units
    )
    each_class = in_class[first_of_each(labels, number)]
    in_pairs = 2 * int((each_class == 2).sum())
    return Suda(
        score,
        dis(score, m, in_pairs, fraction, times),
        contributions,
        by_record,
        (row, columns),
        tuple(names),
        definition,
        float(fraction),
        int(times[score > 0].sum()),
    )


def _of_class(labels: Ints, number: int, row: Ints, worth_of_set: Floats) -> Floats:
    """Sum over the sets of each record; records of one person with one key have the same sum."""
    total = np.bincount(labels[row], weights=worth_of_set, minlength=number)
    return np.asarray(total[labels], np.float64)


def sampling_fraction(
    data: Microdata,
    weight: str | None = None,
    units: Units | None = None,
) -> float:
    """Persons (or records) / sum of weights, at most 1; 0.01 where no column is a weight."""
    weights = weights_of(data, weight)
    if weights is None:
        return USUAL_FRACTION
    people = persons(data) if units is None else units
    return min(1.0, people.number / people_behind(weights, people))


@facts.measure(
    "Special uniques (SUDA)",
    threshold=0.01,
    why="hardly any record unique on few keys",
    view="an intruder who knows a few keys and nothing else",
    passes="keys",
    presumes=True,
)
def special_uniques(
    original: object,
    masked: object,
    *,
    keys: Sequence[str] | None = None,
    fraction: float | None = None,
) -> Measure:
    """Mean DIS score of the released records: sum of DIS / n.

    Parameters
    ----------
    original, masked : frame or Microdata
        The file before and after protection; the masked one is judged.
    keys : list of str, optional
        Key columns; the nominal and ordinal quasi-identifiers unless given.
    fraction : float, optional
        Sampling fraction; n over the sum of weights, or 0.01, unless given.

    Notes
    -----
    **Definition.** The mean of ``dis`` of ``suda``; of a person, the highest of his records.
    On large files with many keys sets of at most three keys are searched, and the details say so;
    ``suda`` itself searches all.
    **Range.** [0, 1]. 0: no record is alone on any set of keys. Higher: more records are
    alone on fewer keys. Per column: percent of the total score from sets with the column.

    References
    ----------
    Elliot, Manning and Ford (2002); Elliot and Manning (2003).
    """
    judged = Judged.of(original, masked, keys)
    data, names = judged.data, judged.keys
    if not names:
        return Measure.absent("suda", NO_KEYS)
    units = judged.units
    sets_of_keys = 2.0 ** len(names)
    largest = 3 if units.records * sets_of_keys > MOST_WORK else None
    scores = suda(
        data,
        names,
        fraction=fraction or sampling_fraction(data, units=units),
        largest=largest,
        units=units,
    )
    details = scores.to_dict() | judged.details
    if largest:
        details["sets of at most"] = largest
    return Measure(
        "suda",
        units.mean(scores.dis),
        (0.0, 1.0),
        f"no {units.word} is unique on any set of keys",
        f"more {units.words} are unique on few keys",
        details,
        judged.of_records(scores.dis),
        scores.contributions,
    )
