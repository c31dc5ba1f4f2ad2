"""Methods that mask a file part by part: within strata, and once for each household or person.

The intruder cuts both files as the method did. Strata are released as they are, so a record of
one region cannot come from another; and what was drawn once for a household is compared once, in
the table of households, where ranks and frequencies are those that the method saw.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import numpy as np

from tacit.attack.informed.base import Informed
from tacit.attack.informed.evidence import Evidence, Part, Rule
from tacit.attack.informed.steps import own_attacker
from tacit.base.seeds import FIXED
from tacit.base.typing import Floats, Ints
from tacit.data import units
from tacit.data.microdata import Microdata
from tacit.protect import file_parts as cutting
from tacit.protect.parted import Parts

# Distance between strata in a hint: far more than any cost
APART = 1e6


def attacker_for(protector: Any, original: Microdata) -> Informed | None:
    """The intruder who knows a protector, part by part where it masks parts.

    Parameters
    ----------
    protector : protector
        The step of the plan.
    original : Microdata
        The file before masking.
    """
    if not protector.attacker:
        return None
    if Parts.of(protector, original, protector.touches(original)) is None:
        return own_attacker(protector, original)
    return ByParts(protector)


class ByParts(Informed):
    """The intruder knows the strata and the units in which a method masked the file.

    Parameters
    ----------
    protector : protector
        The method, with its ``by`` columns.
    rule : {"assignment", "nearest", "likeliest"}
        Who is named: the best bijection, each original's cheapest record, or its likeliest.
    columns : list of str, optional
        The columns that the intruder compares; the quasi-identifiers unless given.

    Notes
    -----
    **Definition.** The cost of a pair of one stratum is that of the method's own attacker, made
    for the records of this stratum; a pair of two strata is impossible. Columns of a household
    (person) are compared in the tables of households (persons) of both files, and the cost of two
    rows is that of their units. Where the release has no numbers of households, its rows are
    compared with households. Strata that the release does not show, or that another step has
    changed, are not used.

    **Guarantee.** That of the method's own attacker, in each part.

    **Cost.** That of the method's own attacker.

    References
    ----------
    The attack follows from the definition of each method.

    Examples
    --------
    >>> from tacit.protect import RankSwapping
    >>> file = Microdata.of({"town": ["a"] * 9 + ["b"] * 9, "age": list(range(18))})
    >>> swapping = RankSwapping(p=100, columns=["age"], by=["town"], random_state=1)
    >>> ByParts(swapping).link(file, swapping.fit_transform(file)).attacker
    'ByParts'
    """

    method = "parts"

    def __init__(
        self,
        protector: Any = None,
        rule: Rule = "assignment",
        columns: list[str] | None = None,
    ) -> None:
        self.protector = protector
        self.rule = rule
        self.columns = columns

    @property
    def knows(self) -> str:
        """Who the intruder is and what they know, in one phrase."""
        return self._says(
            "the method, and the strata and units in which it was applied"
        )

    def evidence(
        self,
        original: Microdata,
        masked: Microdata,
        columns: list[str],
    ) -> Evidence:
        """The evidence of the method's own attacker in every part."""
        known = Parts.of(self.protector, original, self.protector.touches(original))
        total = Evidence.none(original.n, masked.n)
        if known is None:
            own = own_attacker(self.protector, original)
            return total if own is None else own.evidence(original, masked, columns)
        released = _with_roles(masked, original)
        by = known.by if _same_strata(original, released, known.by) else []
        for word, names in known.levels.items():
            compared = [name for name in columns if name in names]
            if compared:
                ours = [part for part in known.cut(original) if part.level == word]
                if not by:
                    ours = _unstratified(original, known, word)
                theirs = _their_parts(released, word, compared, by)
                total = total + _level(
                    known, original, released, ours, theirs, compared
                )
        return total


def _unstratified(original: Microdata, known: Parts, word: str) -> list[cutting.Part]:
    """The parts of a level where the release does not show the strata."""
    columns = [name for names in known.levels.values() for name in names]
    every = cutting.levels(original, columns, known.levels)
    return cutting.split(original, [level for level in every if level.word == word])


def _level(
    known: Parts,
    original: Microdata,
    masked: Microdata,
    ours: Sequence[cutting.Part],
    theirs: dict[tuple[object, ...], cutting.Part],
    compared: list[str],
) -> Evidence:
    """The evidence of one level, stratum by stratum."""
    found: list[tuple[cutting.Part, cutting.Part, Evidence]] = []
    for part in ours:
        if part.key not in theirs:
            continue
        mine, other = part.table(original), theirs[part.key].table(masked)
        attacker = own_attacker(known.protector(part, original, FIXED), mine)
        if attacker is not None:
            evidence = attacker.evidence(mine, other, compared)
            found.append((part, theirs[part.key], evidence))
    if len(found) == 1 and len(found[0][0].members) == original.n:
        part, other_part, evidence = found[0]
        return _for_rows(evidence, _places(part), _places(other_part))
    return _in_strata(found, original.n, masked.n)


def _places(part: cutting.Part) -> Ints:
    """The unit of every row of the file."""
    place = np.zeros(int(part.members.max(initial=-1)) + 1, dtype=np.int64)
    place[part.members] = part.place
    return place


def _for_rows(evidence: Evidence, ours: Ints, theirs: Ints) -> Evidence:
    """Evidence about units as evidence about their rows."""
    parts = [
        replace(
            part,
            a=part.a[ours],
            b=part.b[theirs],
            hint=part.hint and (part.hint[0][ours], part.hint[1][theirs]),
        )
        for part in evidence.parts
    ]
    return Evidence(evidence.u[ours], evidence.v[theirs], parts)


def _in_strata(
    found: Sequence[tuple[cutting.Part, cutting.Part, Evidence]],
    n: int,
    m: int,
) -> Evidence:
    """One part of evidence: that of its stratum for a pair of one, else impossible."""
    if not found:
        return Evidence.none(n, m)
    ours, theirs = [], []
    hint_a, hint_b = [], []
    for part, other, evidence in found:
        ours.append((part, np.hstack([evidence.u, *(p.a for p in evidence.parts)])))
        theirs.append((other, np.hstack([evidence.v, *(p.b for p in evidence.parts)])))
        hints = [p.hint for p in evidence.parts if p.hint is not None]
        hint_a.append((part, np.hstack([evidence.u, *(hint[0] for hint in hints)])))
        hint_b.append((other, np.hstack([evidence.v, *(hint[1] for hint in hints)])))
    every = [p for _, _, evidence in found for p in evidence.parts]
    hint = None
    if all(p.hint is not None for p in every):
        hint = _stacked(hint_a, n, APART), _stacked(hint_b, m, APART)
    cost = _Within([evidence for _, _, evidence in found])
    return Evidence.of_part(Part(_stacked(ours, n), _stacked(theirs, m), cost, hint))


def _stacked(
    blocks: Sequence[tuple[cutting.Part, Floats]],
    n: int,
    unit: float = 1.0,
) -> Floats:
    """The number of the stratum (0: none), then what its evidence looks at; one row per row."""
    width = max(values.shape[1] for _, values in blocks)
    out = np.zeros((n, 1 + width))
    for number, (part, values) in enumerate(blocks, start=1):
        out[part.members, 0] = number * unit
        out[part.members, 1 : 1 + values.shape[1]] = values[part.place]
    return out


class _Within:
    """The cost of a pair: that of its stratum, infinite across strata."""

    def __init__(self, evidence: Sequence[Evidence]) -> None:
        self.evidence = evidence

    def __call__(self, p: Floats, q: Floats) -> Floats:
        total = np.full((len(p), len(q)), np.inf)
        for number, evidence in enumerate(self.evidence, start=1):
            mine = np.flatnonzero(p[:, 0] == number)
            other = np.flatnonzero(q[:, 0] == number)
            if mine.size and other.size:
                cost = evidence.block(p[mine, 1:], q[other, 1:])
                total[np.ix_(mine, other)] = cost
        return total


def _with_roles(masked: Microdata, original: Microdata) -> Microdata:
    """The release with the roles of the original's columns: who reads it knows the codebook."""
    schema = masked.schema
    for column in schema:
        if column.name in original.schema:
            role = original.schema[column.name].role
            schema = schema.put(replace(column, role=role))
    return masked.with_schema(schema)


def _same_strata(original: Microdata, masked: Microdata, by: Sequence[str]) -> bool:
    """Does the release show the strata as they were? Each of its strata must be one of ours."""
    if any(name not in masked.schema for name in by):
        return False
    ours, theirs = (
        set(zip(*(data.table.column(name).to_pylist() for name in by), strict=True))
        for data in (original, masked)
    )
    return theirs <= ours


def _their_parts(
    masked: Microdata,
    word: str,
    names: list[str],
    by: Sequence[str],
) -> dict[tuple[object, ...], cutting.Part]:
    """The parts of the release; its rows, where it does not say who is whose."""
    found = {
        "household": units.households,
        "person": units.persons,
    }.get(word)
    labels = None if found is None else found(masked)
    if labels is None:
        level = cutting.Level(word, names, np.arange(masked.n))
    else:
        level = cutting.level(masked, word, names, labels.labels)
    return {part.key: part for part in cutting.split(masked, [level], by)}
