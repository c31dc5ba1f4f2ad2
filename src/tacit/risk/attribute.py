"""Attribute disclosure: what an intruder learns about confidential columns by the link."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Annotated

import numpy as np
from annotated_types import Ge

from tacit.attack.linkage import Linkage
from tacit.base import facts
from tacit.base.measure import Measure
from tacit.data.pair import Pair
from tacit.risk.read_off import nearest, reach_of, read_off, share_inside, targets_of


@facts.measure(
    "Attribute disclosure",
    passes="links",
    holds="values are read off the class of records that a link names, wherever they stand",
)
def attribute(
    original: object,
    masked: object,
    *,
    confidential: Sequence[str] | None = None,
    width: Annotated[float, Ge(0)] = 0.1,
    link: Linkage | None = None,
    attacks: Mapping[str, Linkage] | None = None,
) -> Measure:
    """Share of confidential values read off correctly from the linked record.

    Parameters
    ----------
    original, masked : frame or Microdata
        The file before and after protection.
    confidential : list of str, optional
        Columns to be read off; those whose role is confidential unless given.
    width : float
        A number is right within this many standard deviations of its column.
    link : Linkage, optional
        How the intruder links; the strongest of ``attacks`` unless given.
    attacks : mapping of str to Linkage, optional
        Linkages already made, by attacker name: the one that reads off most counts;
        nearest record on the quasi-identifiers where there are none.

    Notes
    -----
    **Definition.** The intruder takes the confidential value of the masked record that the
    link names; among identical masked records each is equally likely. Right: the same
    value (nominal), or within ``width`` standard deviations (numbers).
    **Range.** [0, 1]. 0: never right. Higher: right more often. ``chance`` in the details
    is the share when the record is named at random: the difference is what the link gives.
    """
    files = Pair.of(original, masked)
    targets = targets_of(files, confidential)
    if not targets:
        return Measure.absent("attribute", "no column has the role confidential")
    if not files.columns:
        why = "the files have no quasi-identifier in common"
        return Measure.absent("attribute", why)
    pair = Pair.of(files.original, files.masked, targets)
    keys = [name for name in files.columns if name not in targets]
    links = usable(attacks, targets)
    if link is not None:
        links = {link.attacker: link}
    elif not links:
        links = {"nearest": nearest(pair, keys)}

    shares: dict[str, dict[str, float]] = {}
    means: dict[str, float] = {}
    best, by_record = "", np.zeros(0)
    for name, one in links.items():
        hits = read_off(pair, one, keys, width)
        shares[name] = {column: float(hit.mean()) for column, hit in hits.items()}
        means[name] = float(np.mean(list(shares[name].values())))
        # Equal shares are decided by name, so that the order of the attacks does not matter.
        if not best or (means[name], name) > (means[best], best):
            best, by_record = name, np.mean(list(hits.values()), axis=0)
    chance: dict[str, float] = {}
    for name in pair.columns:
        x, z = pair.column(name)
        # Naming a record at random is a link to one class that holds the whole file.
        masked_class = np.zeros(len(z), np.int64)
        random_class = np.zeros(len(x), np.int64)
        reach = reach_of(pair, name, width)
        guess = share_inside(x, z, masked_class, random_class, reach)
        chance[name] = float(guess.mean())
    return Measure(
        "attribute",
        means[best],
        (0.0, 1.0),
        "no confidential value is read off correctly",
        "more confidential values are read off correctly",
        {
            "width": width,
            "chance": float(np.mean(list(chance.values()))),
            "chance by column": chance,
            "attacker": best,
            "by attacker": means,
        },
        by_record,
        shares[best],
    )


def usable(
    attacks: Mapping[str, Linkage] | None,
    targets: Sequence[str],
) -> dict[str, Linkage]:
    """The attacks by intruders who do not know the confidential columns already."""
    return {
        name: link
        for name, link in (attacks or {}).items()
        if not set(link.columns) & set(targets)
    }
