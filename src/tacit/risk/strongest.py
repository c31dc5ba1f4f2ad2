"""The worst case by record linkage: the strongest attacker, who knows all attributes."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np

from tacit.attack import registry as attackers
from tacit.attack.linkage import Linkage
from tacit.attack.panel import panel
from tacit.base import facts
from tacit.base.errors import TacitError
from tacit.base.measure import Measure
from tacit.data.pair import Pair
from tacit.risk.averaged_linkage import HIGHER, ZERO

# The shares without each column take one nearest-record linkage per column. They are a
# help for reading, not the measure, so files of more pairs than this go without them.
MOST_PAIRS = 4_000_000


@facts.measure(
    "Strongest linkage",
    threshold=0.05,
    why="at most one record in twenty linked correctly",
    view="the strongest intruder",
    passes="links",
    holds="every record is judged by the links of all attacks",
)
def strongest(
    original: object,
    masked: object,
    *,
    columns: Sequence[str] | None = None,
    attacks: Mapping[str, Linkage] | None = None,
    by_column: bool = True,
) -> Measure:
    """Worst case: share of correct links of the strongest attacker, who knows all columns.

    Parameters
    ----------
    original, masked : frame or Microdata
        The file before and after protection.
    columns : list of str, optional
        Columns the intruder knows; the common quasi-identifiers unless given.
    attacks : mapping of str to Linkage, optional
        Linkages already made, by attacker name; those of ``attack.panel`` unless given.
    by_column : bool
        Also link without each column, to say what each tells.

    Notes
    -----
    **Definition.** The largest rate over the attackers, counted over the originals that
    were released (``rates`` in the details: over all originals). The panel holds nearest record,
    optimal assignment and, where some compared columns are unchanged, nearest record on
    those alone.
    **Range.** [0, 1]. 0: no record is linked to its own. Higher: more are. Per record: the
    highest probability, over the attackers, that the record is linked correctly. Per
    column: how much the nearest-record share falls when the intruder does not know it.
    """
    pair = Pair.of(original, masked, columns)
    if not pair.columns:
        why = "the files have no quasi-identifier in common"
        return Measure.absent("strongest", why)
    failed: dict[str, str] = {}
    if not attacks:
        attacks, failed = run_panel(pair)
    if not attacks:
        return Measure.absent("strongest", "; ".join(failed.values()))
    rates = {name: link.rate for name, link in attacks.items()}
    best = strongest_of(attacks)
    link = attacks[best]
    if not link.released:
        why = "it is not known which masked record is whose"
        return Measure.absent("strongest", why)
    details = {
        "attacker": best,
        "knows": link.knows,
        "interval": list(link.interval),
        "chance": link.chance,
        "rates": rates,
        "released": link.released,
        "released interval": list(link.released_interval),
        "released chance": link.released_chance,
    }
    return Measure(
        "strongest",
        link.released_rate,
        (0.0, 1.0),
        ZERO.replace("record", link.counts.removesuffix("s")),
        HIGHER.replace("records", link.counts),
        details | failed,
        np.max([link.success for link in attacks.values()], axis=0),
        _fall_without_each(pair) if by_column else None,
    )


def strongest_of(attacks: Mapping[str, Linkage]) -> str:
    """The attack with the most correct links; equal ones are decided by name.

    So the order of the attacks does not matter.
    """
    return max(attacks, key=lambda name: (attacks[name].correct, name))


def run_panel(pair: Pair) -> tuple[dict[str, Linkage], dict[str, str]]:
    """The linkages of the usual attackers, and why others could not be made."""
    links: dict[str, Linkage] = {}
    failed: dict[str, str] = {}
    intruders = panel(pair.original, pair.masked, columns=pair.columns)
    for name, attacker in intruders.items():
        try:
            links[name] = attacker.link(pair.original, pair.masked)
        except TacitError as error:
            failed[name] = f"not computed: {error}"
    return links, failed


def _fall_without_each(pair: Pair) -> dict[str, float] | None:
    """Fall of the nearest-record share when one column is not known; None for large files."""
    too_large = pair.original.n * pair.masked.n > MOST_PAIRS
    if len(pair.columns) < 2 or not pair.aligned or too_large:
        return None
    nearest = attackers["nearest"]

    def rate(names: list[str]) -> float:
        return float(nearest(columns=names).link(pair.original, pair.masked).rate)

    with_all = rate(pair.columns)
    fall: dict[str, float] = {}
    for name in pair.columns:
        others = [other for other in pair.columns if other != name]
        fall[name] = with_all - rate(others)
    return fall
