"""The experiment behind "Rank swapping is an exchange": pairs are undone, cycles are not."""

from __future__ import annotations

from tacit.attack import Assignment, Attacker, Pairing
from tacit.attack.informed.rank_swapping import AwareRankSwapping
from tacit.protect import RankSwapping
from tacit.reproduce.file_artefacts import Rows, census

REACHES = (10, 50, 100)
"""The p of the table, in percent of the records: a usual one, half the file, and all of it."""


def exchanges() -> Rows:
    """Both variants of rank swapping before three intruders, who know no seed."""
    original = census()
    rows: Rows = []
    for exchange in ("pairs", "cycles"):
        for p in REACHES:
            swapping = RankSwapping(p=p, exchange=exchange, random_state=1)
            masked = swapping.fit_transform(original)
            intruders: tuple[Attacker, ...] = (
                Assignment(),
                AwareRankSwapping(p=p, exchange=exchange),
                Pairing(),
            )
            rates = [100 * who.link(original, masked).rate for who in intruders]
            figures = " / ".join(f"{rate:.1f} %" for rate in rates)
            rows.append((f"{exchange}, p = {p}", figures))
    return rows
