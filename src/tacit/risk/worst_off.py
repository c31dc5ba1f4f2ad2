"""Worst-off records: whom some attacker names rightly, and knows it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np

from tacit.attack.linkage import Linkage
from tacit.base import facts
from tacit.base.measure import Measure
from tacit.base.typing import Bools, Floats
from tacit.data.pair import Pair
from tacit.risk.strongest import run_panel

# As good as certain: nine links in ten that the intruder trusts are right.
CERTAIN = 0.9
# Fewer records than this may be luck. By guessing, five right links in a row at the head of
# a list have the probability 1 / n ** 5, whatever the file.
FEWEST = 5


@facts.measure(
    "Records named with certainty",
    threshold=0.005,
    why="at most one record in 200 named by an intruder who can trust the link",
    view="the strongest intruder, about those of whom the link is sure",
    passes="links",
    holds="every record is judged by the links of all attacks",
)
def worst_off(
    original: object,
    masked: object,
    *,
    columns: Sequence[str] | None = None,
    attacks: Mapping[str, Linkage] | None = None,
) -> Measure:
    """Share of released records that some attack names rightly and with certainty.

    Parameters
    ----------
    original, masked : frame or Microdata
        The file before and after protection.
    columns : list of str, optional
        Columns the intruder knows; the common quasi-identifiers unless given.
    attacks : mapping of str to Linkage, optional
        Linkages already made, by attacker name; those of ``attack.panel`` unless given.

    Notes
    -----
    **Definition.** An intruder who is asked for a few sure links lists all originals, the
    surest first: by the probability that the attack states, by how much worse the second
    best candidate is (as it is, and relative to the best), or by the score itself (0: the
    record agrees exactly). The trusted links are the longest head of a list in which at
    least 9 in 10 are right; a record counts if it is in a trusted head of any attack and
    its own record is named with more than 0.9. Records that the attack ranks alike enter
    together. Fewer than 5 such records may be luck and count as none. Where a person has several
    rows, persons are counted: by one row that is sure, or by the lead of all rows' votes.
    **Range.** [0, 1]. 0: nobody is named with certainty. Higher: more records are, however
    low the average is.
    """
    pair = Pair.of(original, masked, columns)
    if not pair.columns:
        why = "the files have no quasi-identifier in common"
        return Measure.absent("worst_off", why)
    failed: dict[str, str] = {}
    if not attacks:
        attacks, failed = run_panel(pair)
    if not attacks:
        return Measure.absent("worst_off", "; ".join(failed.values()))
    released = next(iter(attacks.values())).released
    if not released:
        why = "it is not known which masked record is whose"
        return Measure.absent("worst_off", why)
    certain = {name: named_with_certainty(link) for name, link in attacks.items()}
    anyone = np.any(list(certain.values()), axis=0)
    first = next(iter(attacks.values()))
    # of a person with several rows one is enough
    number = first.units_with(anyone)
    details = {
        "records": number,
        "released": released,
        "by attacker": {
            name: attacks[name].units_with(rows) for name, rows in certain.items()
        },
        "likely": {
            name: {"0.5": link.likely(0.5), "0.9": link.likely(0.9)}
            for name, link in attacks.items()
        },
    }
    return Measure(
        "worst_off",
        number / released,
        (0.0, 1.0),
        "nobody is named with certainty",
        "more records are named by an intruder who can trust the link",
        details | failed,
        anyone.astype(np.float64),
    )


def named_with_certainty(link: Linkage) -> Bools:
    """The records that the attack names rightly, in the longest head that it can trust."""
    trusted = np.zeros(link.records, dtype=bool)
    for sureness in _orders(link):
        trusted |= _trusted_head(sureness, link.success)
    certain = trusted & (link.truth >= 0) & (link.success > CERTAIN)
    if link.units is not None and link.by_rows is not None:
        # all rows of a person together may be sure where none of them is alone
        together = link.by_rows
        sure = _trusted_head(together.lead, together.found)
        sure &= (together.found > CERTAIN) & (together.lead > 0)
        certain |= sure[link.units.labels]
    if link.units_with(certain) < FEWEST:
        return np.zeros(link.records, dtype=bool)
    return certain


def _orders(link: Linkage) -> list[Floats]:
    """The ways in which an intruder may rank links, higher: surer; NaN: never trusted."""
    # small scores are sure where they are distances, large ones where they are probabilities
    orders = [-link.score, link.score, link.margin]
    # a lead over the second best counts for more when the best is close
    with np.errstate(invalid="ignore", divide="ignore"):
        next_best = np.abs(link.score) + link.margin
        orders.append(link.margin / next_best)
    if link.stated is not None:
        orders.append(link.stated)
    # whoever is named among several that look alike is not named
    is_one = (link.match >= 0) & (link.ties <= 1)
    return [np.where(is_one, order, np.nan) for order in orders]


def _trusted_head(sureness: Floats, success: Floats) -> Bools:
    """The longest head, surest first, with at least nine right links in ten.

    Records of equal sureness enter together: their order would be that of the rows.
    """
    head = np.zeros(len(success), dtype=bool)
    known = np.flatnonzero(~np.isnan(sureness))
    if not len(known):
        return head
    surest = np.argsort(-sureness[known], kind="stable")
    order = known[surest]
    ranked = sureness[order]
    changes = ranked[1:] != ranked[:-1]
    is_end = np.append(changes, True)
    number = np.arange(1, len(order) + 1)
    share_right = np.cumsum(success[order]) / number
    # sums of ones are exact; sums of shares may err in the last digit
    ends = np.flatnonzero(is_end & (share_right >= CERTAIN - 1e-12))
    if len(ends):
        head[order[: ends[-1] + 1]] = True
    return head
