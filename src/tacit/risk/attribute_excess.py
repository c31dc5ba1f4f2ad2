"""Attribute disclosure that counts only what the release adds to what is guessed anyway."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from math import sqrt
from statistics import NormalDist
from typing import Annotated

import numpy as np
import numpy.typing as npt
from annotated_types import Ge

from tacit.attack.linkage import Linkage
from tacit.base import facts
from tacit.base.measure import Measure
from tacit.base.typing import Bools, Floats
from tacit.data.microdata import Microdata
from tacit.data.pair import Pair
from tacit.risk.attribute import usable
from tacit.risk.read_off import (
    named_classes,
    nearest,
    nearest_of,
    reach_of,
    read_off,
    share_inside,
    targets_of,
)
from tacit.risk.strongest import run_panel

# An excess counts when chance gives it with less than this probability, divided by the
# number of columns and attacks that are looked at.
LUCK = 0.05
# The control looks for each tenth of the file among the other nine: the nearest other
# person is then hardly further away than in the whole file.
FOLDS = 10


@dataclass(frozen=True)
class Excess:
    """One column read off by one attack, against the better of two controls.

    Attributes
    ----------
    share, constant, control
        Right values by the link, by one guess for everybody, and by the nearest other
        original.
    error
        Standard error of the excess, record by record.
    """

    share: float
    constant: float
    control: float
    error: float

    @property
    def value(self) -> float:
        """The share beyond the better control; negative when the control does better."""
        return self.share - max(self.constant, self.control)


@facts.measure(
    "Attribute disclosure beyond guessing",
    threshold=0.05,
    why="at most one confidential value in twenty read off that is not guessed anyway",
    view="the strongest intruder, who wants a confidential value",
    passes="links",
    holds="every record is looked for among nine tenths of all others",
)
def attribute_excess(
    original: object,
    masked: object,
    *,
    confidential: Sequence[str] | None = None,
    width: Annotated[float, Ge(0)] = 0.1,
    attacks: Mapping[str, Linkage] | None = None,
) -> Measure:
    """Share of confidential values that the strongest link tells beyond a control.

    Parameters
    ----------
    original, masked : frame or Microdata
        The file before and after protection.
    confidential : list of str, optional
        Columns to be read off; those whose role is confidential unless given.
    width : float
        A number is right within this many standard deviations of its column.
    attacks : mapping of str to Linkage, optional
        Linkages already made, by attacker name; those of ``attack.panel`` unless given.

    Notes
    -----
    **Definition.** For each confidential column and attack: the share of released
    originals whose value is right when it is read off the linked record (as in
    ``attribute``), minus the larger of two controls that need no release: one guess for
    everybody (the commonest value; for numbers the interval that holds most), and the
    value of the nearest other person, on the same keys, in the original file (each tenth
    of it against the rest). The value is the largest difference of all columns and
    attacks. A difference that chance gives with probability 0.05 (over all columns and
    attacks) counts 0.
    **Range.** [0, 1]. 0: the link tells nothing that is not guessed anyway. Higher: more
    values are told. Per column: the difference of the attack that tells most, which may
    be negative.

    References
    ----------
    Giomi, Boenisch, Wehmeyer and Tasnadi (2023) for the control.
    """
    files = Pair.of(original, masked)
    targets = targets_of(files, confidential)
    pair = Pair.of(files.original, files.masked, targets)
    keys = [name for name in files.columns if name not in targets]
    if not pair.columns or not keys:
        why = (
            "no column has the role confidential, or no other is known to the intruder"
        )
        return Measure.absent("attribute_excess", why)
    links = usable(attacks, targets)
    if not links:
        known = Pair.of(files.original, files.masked, keys)
        links, _ = run_panel(known) if pair.aligned else ({}, {})
    if not links:
        links = {"nearest": nearest(pair, keys)}

    control = _of_nearest_other(pair, keys, width)
    table: dict[str, dict[str, Excess]] = {}
    for name, link in links.items():
        # without a truth everybody may have been released
        released = link.truth >= 0 if link.released else np.ones(link.records, bool)
        for column, hit in read_off(pair, link, keys, width).items():
            values = pair.original.column(column)
            counted = released & ~np.isnan(values)
            constant = _of_best_constant(values, counted, reach_of(pair, column, width))
            row = _compare(hit, constant, control[column], counted)
            table.setdefault(column, {})[name] = row
    least = NormalDist().inv_cdf(1 - LUCK / (len(pair.columns) * len(links)))
    best = {
        column: max(rows, key=lambda name: (rows[name].value, name))
        for column, rows in table.items()
    }
    excess = {column: table[column][name].value for column, name in best.items()}
    beyond_luck = [
        row.value
        for rows in table.values()
        for row in rows.values()
        if row.value > least * row.error
    ]
    return Measure(
        "attribute_excess",
        max(beyond_luck, default=0.0),
        (0.0, 1.0),
        "the link tells nothing that is not guessed anyway",
        "more confidential values are told that are not guessed anyway",
        {
            "width": width,
            "columns": {
                column: {
                    "attacker": name,
                    "read off": table[column][name].share,
                    "one guess for everybody": table[column][name].constant,
                    "nearest other person": table[column][name].control,
                    "standard error": table[column][name].error,
                }
                for column, name in best.items()
            },
        },
        None,
        excess,
    )


def _compare(
    hit: Floats,
    constant: Floats,
    control: Floats,
    counted: Bools,
) -> Excess:
    """The three shares over the counted records, and the error of the excess."""
    number = int(np.count_nonzero(counted))
    if not number:
        return Excess(0.0, 0.0, 0.0, 0.0)
    by_constant = float(constant[counted].mean())
    by_control = float(control[counted].mean())
    better = constant if by_constant >= by_control else control
    error = float((hit - better)[counted].std()) / sqrt(number)
    return Excess(float(hit[counted].mean()), by_constant, by_control, error)


def _of_best_constant(
    values: Floats,
    counted: Bools,
    reach: float,
) -> Floats:
    """1 for the records that the best guess for everybody is right about."""
    right = np.zeros(len(values))
    known = np.sort(values[counted])
    if not len(known):
        return right
    # An interval that holds most may start at a value; it reaches `reach` both ways from
    # its middle. The slack is for rounding.
    end = known + 2 * reach * (1 + 1e-12)
    inside = np.searchsorted(known, end, side="right") - np.arange(len(known))
    start = int(np.argmax(inside))
    right[(values >= known[start]) & (values <= end[start])] = 1.0
    return right


def _of_nearest_other(
    pair: Pair,
    keys: list[str],
    width: float,
) -> dict[str, Floats]:
    """What the nearest person of the other parts of the original file tells."""
    file = pair.original
    control = {name: np.zeros(file.n) for name in pair.columns}
    if file.n < 2:
        return control
    # Every tenth record in the order of values: the parts depend on no order of rows.
    # whose rows they are says what stands in a gap
    units = [*file.schema.names(role="person"), *file.schema.names(role="household")]
    known = file.select([*keys, *(name for name in units if name not in keys)])
    part = _folds(file, [*pair.columns, *keys])
    for fold in range(min(FOLDS, file.n)):
        ours = np.flatnonzero(part == fold)
        theirs = np.flatnonzero(part != fold)
        others = known.take(theirs)
        nobody = np.full(len(ours), -1, np.int64)
        link = nearest_of(known.take(ours), others, keys, nobody)
        labels, linked_class = named_classes(others, link, keys)
        for name in pair.columns:
            values = file.column(name)
            reach = reach_of(pair, name, width)
            right = share_inside(
                values[ours],
                values[theirs],
                labels,
                linked_class,
                reach,
            )
            control[name][ours] = right
    return control


def _folds(file: Microdata, names: list[str]) -> npt.NDArray[np.int8]:
    """The part of each record: its place in the order of these columns, the last counting most."""
    part = np.empty(file.n, np.int8)
    if file.in_memory:
        part[np.lexsort(file.numbers(names).T)] = np.arange(file.n) % FOLDS
        return part
    # measured: what reads files is not loaded where they are in memory
    from tacit.data.io.on_disk import OnDisk
    from tacit.data.out_of_core import pieces
    from tacit.data.out_of_core.disk_rows import disk_rows, value_order

    assert isinstance(file, OnDisk)
    place = 0
    for rows in value_order([disk_rows(file, names[::-1])]).in_turn(pieces.PIECE):
        part[rows.astype(np.int64)] = np.arange(place, place + len(rows)) % FOLDS
        place += len(rows)
    return part
