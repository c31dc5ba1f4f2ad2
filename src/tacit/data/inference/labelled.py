"""What the labels and the measurement level of a file say about the kind of a column."""

from __future__ import annotations

from dataclasses import replace

import pyarrow as pa
import pyarrow.compute as pc

from tacit.data.column import Column, Kind, Role
from tacit.data.inference import missing_codes
from tacit.data.inference.number_kinds import LEAST_STEPS
from tacit.data.inference.orders import in_order
from tacit.data.inference.profile import Profile
from tacit.data.inference.texts import LEAST_OF_ORDER

# a labelled scale has some values; more of them without labels are numbers with marked ends
FEW_VALUES = 10
NAMES_PEOPLE = (Role.identifier, Role.person, Role.household)


def by_labels(
    guess: Column,
    stated: Column,
    values: pa.ChunkedArray,
) -> Column:
    """The guess from values, corrected by what the producer of the file said.

    Codes with labels are categories, whatever their type; labels of missing codes say
    nothing, and codes whose label says 'refused' are asked about. A level is believed where it
    says that values are categories: SPSS calls every number a scale until somebody changes it.
    """
    if not stated.missing and guess.role not in NAMES_PEOPLE:
        profile = Profile(guess.name, values)
        of_file = stated.description.labels
        said = missing_codes.by_label(of_file, profile, guess.suspects)
        guess = replace(guess, suspects=said)
    level = stated.description.level
    if level in ("nominal", "ordinal"):
        return _of(guess, Kind(level), f"its measurement level is {level}")
    labels = [
        code for code in stated.description.labels if not stated.missing.holds(code)
    ]
    if not labels:
        return guess
    occurring = pc.unique(values).to_pylist()
    distinct = [value for value in occurring if value is not None]
    unlabelled = [value for value in distinct if _text(value) not in labels]
    if len(unlabelled) > max(FEW_VALUES, len(labels)):
        return guess
    # 'refused' is no step
    open_ones = {_text(code) for code in guess.suspects}
    steps = [value for value in distinct if _text(value) not in open_ones]
    texts = stated.description.labels
    of_steps = {code: texts[code] for code in labels if code not in open_ones}
    if _is_scale(steps, of_steps):
        return _of(guess, Kind.ordinal, "the labels of its codes have an order")
    return _of(guess, Kind.nominal, "the file labels its codes")


def _is_scale(values: list[object], labels: dict[str, str]) -> bool:
    """Steps of a scale: never ... always, or 1 to 10 of which both ends have a label."""
    steps = sorted(
        int(value)
        for value in values
        if isinstance(value, int | float) and value == int(value)
    )
    if len(steps) < len(values) or len(steps) < LEAST_OF_ORDER:
        return False
    rank = in_order([labels[_text(step)] for step in steps if _text(step) in labels])
    if rank is not None and len(rank) >= LEAST_OF_ORDER:
        return rank in (sorted(rank), sorted(rank, reverse=True))
    ends = {str(steps[0]), str(steps[-1])}
    whole = steps[-1] - steps[0] + 1 == len(steps)
    return set(labels) == ends and whole and len(steps) >= LEAST_STEPS


def _of(guess: Column, kind: Kind, why: str) -> Column:
    if guess.kind is kind:
        return guess
    # the reason of the role stands after that of the kind
    _, _, role = guess.why.partition("; ")
    reasons = "; ".join(reason for reason in (f"{kind}: {why}", role) if reason)
    return replace(guess, kind=kind, why=reasons)


def _text(value: object) -> str:
    """A code as labels have it: 1.0 and 1 are the same code."""
    if isinstance(value, float) and value.is_integer():
        return str(int(value))
    return str(value)
