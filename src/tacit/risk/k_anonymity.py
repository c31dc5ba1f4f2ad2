"""k-anonymity: persons (or records) whose key too few others share."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Annotated

import numpy as np
from annotated_types import Ge

from tacit.base import facts
from tacit.base.measure import Measure
from tacit.base.typing import Floats, Ints
from tacit.data.microdata import Microdata
from tacit.data.pair import read_as
from tacit.data.units import Units
from tacit.risk.classes import classes, first_of_each
from tacit.risk.counting import count
from tacit.risk.frequencies import Missing, key_codes, keyed
from tacit.risk.judged import Judged, keys_of


@facts.measure(
    "k-anonymity",
    threshold=0.0,
    why="nobody in a group smaller than k",
    view="an intruder who knows the keys and nothing else",
    passes="keys",
    presumes=True,
)
def k_anonymity(
    original: object,
    masked: object,
    *,
    k: Annotated[int, Ge(1)] = 3,
    keys: Sequence[str] | None = None,
    missing: Missing = "any",
) -> Measure:
    """Share of the persons (or records) of a release whose key fewer than k share.

    Parameters
    ----------
    original, masked : frame or Microdata
        The file before and after protection; the masked one is judged.
    k : int
        The smallest group that is large enough.
    keys : list of str, optional
        Key columns; the nominal and ordinal quasi-identifiers unless given.
    missing : {'any', 'category'}
        'any': a missing value agrees with every value; 'category': it is a value of its own.

    Notes
    -----
    **Definition.** #{i: f_i < k} / n on the masked file. Where a column has the role person, f
    counts different persons, and a person counts whose key is rare in any row. A suppressed cell
    that another row of the same person or household gives away counts as not suppressed.
    Where no quasi-identifier is nominal or ordinal, all of them are keys (groups of identical
    masked records).
    **Range.** [0, 1]. 0: the release is k-anonymous on its quasi-identifiers. Higher: more
    records stand in a group that is too small. Per column: how much the share falls when an
    intruder does not know that column.

    References
    ----------
    Samarati (2001).
    """
    ours, theirs = Microdata.of(original), Microdata.of(masked)
    if not ours.in_memory:
        from tacit.risk.key_groups import counted_on_disk

        release = read_as(ours, theirs)
        if counted_on_disk(ours, release):
            return _on_disk(release, k, keys, missing)
    judged = Judged.of(ours, theirs, keys, every=True)
    chosen = judged.keys
    if judged.on_disk is not None and keys is None:
        # there all quasi-identifiers are keys where none has categories
        chosen = keys_of(judged.on_disk)
    has_categories = bool(chosen)
    data, names = keyed(judged.data, judged.keys or None)
    units = judged.units
    coded = key_codes(data, names)
    grouped = classes(coded)
    any_matches = missing == "any"
    f, _ = count(coded, None, any_matches=any_matches, grouped=grouped, units=units)
    below = f < k
    share = units.share(below)
    per_column: dict[str, float] = {}
    # With one key there is nothing left to know, and without a violation nothing to fall.
    if len(names) > 1 and below.any():
        for j, name in enumerate(names):
            rest = np.delete(coded, j, axis=1)
            without = _share_below(rest, k, any_matches, units)
            per_column[name] = share - without
    details = {
        "k": k,
        "keys": names,
        "categorical keys": has_categories,
        "records below k": units.marked(below),
        "uniques": units.marked(f < 2),
        "classes": grouped[1],
        "smallest group": int(f.min()) if len(f) else 0,
        **judged.details,
        **_persons_below(units, f, k, grouped),
    }
    of_record = judged.of_records(below.astype(np.float64))
    return _measure(k, share, units.word, details, per_column, of_record)


def _measure(
    k: int,
    share: float,
    word: str,
    details: dict[str, object],
    per_column: dict[str, float],
    per_record: Floats | None,
) -> Measure:
    """The share in words."""
    return Measure(
        "k_anonymity",
        share,
        (0.0, 1.0),
        f"every {word} shares its key with at least {k - 1} others",
        f"a larger share of {word}s in groups of fewer than {k}",
        details,
        per_record,
        per_column or None,
    )


def _on_disk(
    release: Microdata, k: int, keys: Sequence[str] | None, missing: Missing
) -> Measure:
    """The same of a release on the disk, from the sizes of its groups; no record is held."""
    from tacit.data.io.on_disk import OnDisk
    from tacit.risk.key_groups import KeyGroups

    chosen = keys_of(release) if keys is None else list(keys)
    release, names = keyed(release, chosen or None)
    assert isinstance(release, OnDisk)
    any_matches = missing != "category"
    groups = KeyGroups.of(release, names, any_matches=any_matches)
    below = groups.below(k)
    share = below / release.n
    per_column: dict[str, float] = {}
    if len(names) > 1 and below:
        for name in names:
            rest = [other for other in names if other != name]
            without = KeyGroups.of(release, rest, any_matches=any_matches)
            per_column[name] = share - without.below(k) / release.n
    details = {
        "k": k,
        "keys": names,
        "categorical keys": bool(chosen),
        "records below k": below,
        "uniques": groups.below(2),
        "classes": groups.classes,
        "smallest group": int(groups.size.min()),
    }
    return _measure(k, share, "record", details, per_column, None)


def _share_below(
    coded: Ints,
    k: int,
    any_matches: bool,
    units: Units,
) -> float:
    """Share of persons with fewer than k persons of their key."""
    f, _ = count(coded, None, any_matches=any_matches, units=units)
    return units.share(f < k)


def _persons_below(
    units: Units,
    f: Ints,
    k: int,
    grouped: tuple[Ints, int],
) -> dict[str, int]:
    """How many persons are below k, beside the records; nothing where they are the same."""
    if units.word != "person":
        return {}
    labels, number = grouped
    records = units.by_label(labels, number)
    few = f[first_of_each(labels, number)] < k
    return {
        "classes of k records and fewer persons": int((few & (records >= k)).sum()),
        "persons below k": units.having(f < k),
        "persons alone": units.having(f < 2),
    }
