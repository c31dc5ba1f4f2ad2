"""Pairing: if i became j by exchanges, whoever had j's value became the record that has i's.

A candidate link is followed to all links that it implies, in columns where the values are unique.
Links that follow from a true one agree with each other; a column with an odd number of values has
three that went in a circle, so a few may not. The candidate with most agreement is believed; then
every record votes for the links that its own implies, until nothing changes.
"""

from __future__ import annotations

import numpy as np

from attack.adversarial.counting import assigned
from attack.adversarial.likelihood import CERTAIN
from attack.adversarial.releases import Trial, run

SEEDS = 40
"""Originals from which the search is started; one of them will do."""
PATIENCE = 2
"""Contradictions more than agreements after which a candidate is given up."""
ENOUGH = 12
"""Agreements below which a chain may be one of chance."""
ROUNDS = 10


def attack(trial: Trial) -> np.ndarray | None:
    """The masked record named for each original; None where no column keeps its values."""
    first = 0
    while first < len(trial.steps) and isinstance(trial.steps[first], CERTAIN):
        first += 1
    x = trial.x
    if first:
        masked, _ = run(trial.steps[:first], trial.original)
        x = masked.table.to_pandas()
    had, has = [], []
    for name in trial.columns:
        ours, theirs = _unique(x[name]), _unique(trial.z[name])
        common = ours.keys() & theirs.keys()
        if len(common) > 0.3 * trial.masked.n:
            had.append({theirs[v]: ours[v] for v in common})
            has.append({ours[v]: theirs[v] for v in common})
    if len(had) < 2:
        return None
    best: tuple[int, dict[int, int]] = (0, {})
    for i in range(min(SEEDS, trial.original.n)):
        for j in range(trial.masked.n):
            best = max(best, _follow(i, j, had, has), key=lambda found: found[0])
    if best[0] < ENOUGH:
        return np.full(trial.original.n, -1)
    return _voted(best[1], had, has, trial.original.n, trial.masked.n)


def _voted(
    link: dict[int, int],
    had: list[dict[int, int]],
    has: list[dict[int, int]],
    n: int,
    m: int,
) -> np.ndarray:
    """The linkage that most links imply."""
    for _ in range(ROUNDS):
        votes = np.zeros((n, m))
        for i, j in link.items():
            for before, after in zip(had, has, strict=True):
                if j in before and i in after:
                    votes[before[j], after[i]] += 1
        named = assigned(-votes)
        link = {i: j for i, j in enumerate(named) if j >= 0 and votes[i, j] > 0}
    return np.array([link.get(i, -1) for i in range(n)])


def _unique(values: object) -> dict[object, int]:
    """The row of each value that occurs once."""
    rows: dict[object, list[int]] = {}
    for row, value in enumerate(values):  # type: ignore[var-annotated,arg-type]
        rows.setdefault(value, []).append(row)
    return {v: r[0] for v, r in rows.items() if len(r) == 1 and v == v}


def _follow(
    i: int, j: int, had: list[dict[int, int]], has: list[dict[int, int]]
) -> tuple[int, dict[int, int]]:
    """Agreements less contradictions among the links that follow from i -> j, and the links."""
    link, back = {i: j}, {j: i}
    todo = [(i, j)]
    score = 0
    for i, j in todo:
        for before, after in zip(had, has, strict=True):
            a, b = before.get(j), after.get(i)
            if a is None or b is None:
                continue
            if link.get(a) == b:
                score += 1
            elif a in link or b in back:
                score -= 1
                if score < -PATIENCE:
                    return score, {}
            else:
                link[a], back[b] = b, a
                todo.append((a, b))
    return score, link
