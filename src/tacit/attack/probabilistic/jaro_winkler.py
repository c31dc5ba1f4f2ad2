"""Similarity of two words, as record linkage measures it."""

from __future__ import annotations

# Equal first letters that count, at most
PREFIX = 4
# What each of them adds, as a share of what is missing to 1
BONUS = 0.1


def jaro_winkler(a: str, b: str) -> float:
    """Jaro's similarity with Winkler's bonus of 0.1 for each of up to four equal first letters.

    Parameters
    ----------
    a, b : str
        Two words.

    References
    ----------
    Jaro (1989); Winkler (1990).

    Examples
    --------
    >>> round(jaro_winkler("MARTHA", "MARHTA"), 4)
    0.9611
    """
    if a == b:
        return 1.0
    ours, theirs = _common_letters(a, b)
    if not ours:
        return 0.0
    common = len(ours)
    # half of the letters that stand in another order
    transposed = sum(p != q for p, q in zip(ours, theirs, strict=True)) / 2
    jaro = (common / len(a) + common / len(b) + (common - transposed) / common) / 3
    prefix = 0
    for p, q in zip(a[:PREFIX], b[:PREFIX], strict=False):
        if p != q:
            break
        prefix += 1
    return jaro + BONUS * prefix * (1 - jaro)


def _common_letters(a: str, b: str) -> tuple[list[str], list[str]]:
    """Letters of each word that the other has too, not further away than half of the longer."""
    reach = max(len(a), len(b)) // 2 - 1
    used = [False] * len(b)
    ours = []
    for i, letter in enumerate(a):
        for j in range(max(0, i - reach), min(len(b), i + reach + 1)):
            # each letter of the other word is used once
            if not used[j] and b[j] == letter:
                used[j] = True
                ours.append(letter)
                break
    theirs = [letter for j, letter in enumerate(b) if used[j]]
    return ours, theirs
