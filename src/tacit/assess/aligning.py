"""Which masked row is whose: by a key, or checked by the values."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from numpy.typing import ArrayLike

from tacit.assess.own_values import own_values
from tacit.attack.alignment import Alignment, alignment
from tacit.attack.informed.steps import apply_again
from tacit.attack.truth import true_rows
from tacit.base.errors import InputError, shown
from tacit.base.typing import Ints
from tacit.data.microdata import Microdata
from tacit.data.same_values import values_of
from tacit.plan import manifest
from tacit.plan.plan import Plan


def rows_by_key(
    original: Microdata,
    masked: Microdata,
    key: str,
) -> Ints:
    """The masked row of each original with the same key; -1: not released."""
    for file, words in ((original, "original"), (masked, "masked")):
        if key not in file.schema:
            raise InputError(
                f"the {words} file has no column '{key}' to align by (--key)"
            )
        values = values_of(file, key)
        if len(np.unique(values)) < len(values):
            raise InputError(
                f"column '{key}' of the {words} file is not different in every record, so it "
                "cannot say whose record is whose; take another key"
            )
    ours, theirs = values_of(original, key), values_of(masked, key)
    if ours.dtype.kind != theirs.dtype.kind:
        ours, theirs = ours.astype(np.str_), theirs.astype(np.str_)
    order = np.argsort(theirs)
    found = np.searchsorted(theirs[order], ours)
    place = np.minimum(found, len(theirs) - 1)
    rows = order[place]
    same = theirs[rows] == ours
    return np.where(same, rows, -1).astype(np.int64)


@dataclass(frozen=True)
class Settled:
    """Two files of which it is known, or still to be checked, whose row is whose."""

    original: Microdata
    masked: Microdata
    """The release, with its rows put back where a manifest says how."""
    plan: Plan | None
    """How it was masked; None: the intruder does not know."""
    rows: Ints | None = None
    """The masked row of each original (-1: not released); None: row i is row i."""
    sure: bool = False
    """Somebody said whose row is whose; otherwise it is to be checked (``check_alignment``)."""
    released_as: Ints | None = None
    """The row of the release of each row of ``masked``; None: the same."""

    @property
    def leaves_in_order(self) -> bool:
        """Are the rows of the release in the order of ``masked``?"""
        rows = self.released_as
        return rows is None or bool((rows == np.arange(len(rows))).all())


def settled(
    original: Microdata,
    masked: Microdata,
    *,
    plan: object = None,
    truth: ArrayLike | str | None = None,
    key: str | None = None,
    done: Callable[[Plan], Plan] | None = None,
) -> Settled:
    """Whose row is whose, as far as somebody says it: a key, the caller, or a manifest.

    Parameters
    ----------
    original, masked : Microdata
        Both files.
    plan : Plan, protector, list of them, or path of a manifest, optional
        How the file was masked.
    truth : array or 'rows', optional
        The masked row of each original, or the word that row i is row i.
    key : str, optional
        A column of both files that says whose record it is, and then is no part of them.
    done : callable, optional
        Gives the plan of a manifest the way in which its steps were done.
    """
    if key is not None:
        truth = rows_by_key(original, masked, key)
        original, masked = original.drop([key]), masked.drop([key])
    released_as: Ints | None = None
    if isinstance(plan, str | Path):
        path = plan
        plan, put_back, known = of_manifest(path, original, masked, done)
        # what the caller says of rows goes before the manifest
        if known and truth is None:
            masked, truth = put_back, "rows"
            released_as = manifest.truth_of(manifest.load(path), original.n, path)
    # None is an intruder who does not know how the file was masked
    recipe = None if plan is None else Plan.of(plan)
    rows: Ints | None = None
    if isinstance(truth, str) and truth != "rows":
        raise InputError(
            f"truth={shown(truth)} must be 'rows', or the masked row of each original record; a "
            "column that says it is named by key"
        )
    if truth is not None and not isinstance(truth, str):
        rows = true_rows(original.n, masked.n, truth)
    return Settled(original, masked, recipe, rows, truth is not None, released_as)


def of_manifest(
    path: str | Path,
    original: Microdata,
    masked: Microdata,
    done: Callable[[Plan], Plan] | None = None,
) -> tuple[Plan, Microdata, bool]:
    """The plan of a manifest (or plan file), and the release with its rows put back.

    The last value says that row i is now row i. A manifest of another release must not make
    an attack miss: rows put in its order have to be nearer than random pairs, unless not even
    the plan lets them be (``check_alignment``). ``done`` gives a plan the way in which its steps
    were done, where that was not on the whole file: who runs it again otherwise finds less.
    """
    if Path(path).suffix != ".json":
        return Plan.load(path), masked, False
    record = manifest.load(path)
    plan = Plan.from_dict(record["plan"], source=str(path))
    if done is not None:
        plan = done(plan)
    elif {"blocks", "in_blocks"} & record.keys():
        raise InputError(
            f"{path}: some of its steps were done in blocks, and whoever runs them again must do "
            "the same; assess it with tacit assess"
        )
    if original.n != masked.n:
        return plan, masked, False
    truth = manifest.truth_of(record, original.n, path)
    if truth is None:
        return plan, masked, False
    put_back = masked.take(truth)
    seen = check_alignment(original, put_back, plan)
    if seen is None or seen.aligned:
        return plan, put_back, True
    return plan, masked, False


def check_alignment(
    original: Microdata,
    masked: Microdata,
    plan: Plan | None,
) -> Alignment | None:
    """Do rows of equal number belong together? None where there is nothing to explain.

    A plan may leave rows no nearer than chance, by strength or because it shuffles them. Then the
    originals masked once more look the same, and the release is as the plan says.
    """
    if original.n != masked.n:
        return None
    seen = alignment(original, masked)
    if not seen.aligned and not any(_varies(masked, name) for name in masked.names):
        return None  # all rows are alike: which is whose says nothing
    if seen.aligned or plan is None:
        return seen
    try:
        again = apply_again(plan.without_seeds(), original)
    except ValueError:
        return seen  # a plan that cannot be run again explains nothing
    if again.n != original.n:
        return None
    if alignment(original, again).aligned:
        return seen
    # values that are far from the person's may still go with them: then they do in both
    rows = np.arange(original.n, dtype=np.int64)
    if own_values(original, again, rows).seen:
        return None if own_values(original, masked, rows).seen else seen
    return None


def _varies(data: Microdata, name: str) -> bool:
    return len(np.unique(values_of(data, name))) > 1
