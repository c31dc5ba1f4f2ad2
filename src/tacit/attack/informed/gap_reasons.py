"""Why a value is missing as evidence: 'refused' and 'does not apply' are two different gaps."""

from __future__ import annotations

import numpy as np

from tacit.attack.informed.evidence import Evidence, Part
from tacit.base.typing import Floats, Ints
from tacit.data.microdata import Microdata

HINT = 3.0
"""Distance by which one differing reason parts two records when candidates are looked for."""


def reason_evidence(
    original: Microdata,
    masked: Microdata,
    names: list[str],
    doubt: float = 0.0,
) -> Evidence:
    """What missing codes say of columns whose gaps are where they were.

    Parameters
    ----------
    original, masked : Microdata
        The two files.
    names : list of str
        Columns whose gaps were kept in place.
    doubt : float
        Chance of a code that changed all the same.

    Notes
    -----
    Two gaps with different codes cost -log(doubt / 2) and cannot be the same record where there is
    no doubt. A cell that has a value in one of the files says nothing here (see ``gaps``). Codes
    of a column count only if both files hold each of them equally often: a method that moves
    values from record to record, or an office that wrote one code for all, leaves no reasons.

    Examples
    --------
    >>> codes = {"missing": [98, 99]}
    >>> from tacit.data.schema import Column, Schema
    >>> schema = Schema((Column.from_entry("a", codes | {"kind": "continuous"}),))
    >>> x = Microdata.of({"a": [1.0, 98.0, 99.0]}, schema)
    >>> part = reason_evidence(x, x, ["a"]).parts[0]
    >>> part.cost(part.a, part.b).tolist()
    [[0.0, 0.0, 0.0], [0.0, 0.0, inf], [0.0, inf, 0.0]]
    """
    told = [reasons_of(original, masked, name) for name in names]
    told = [(x, z) for x, z in told if _tell_apart(x, z)]
    if not told:
        return Evidence.none(original.n, masked.n)
    a = np.stack([x for x, _ in told], axis=1).astype(np.float64)
    b = np.stack([z for _, z in told], axis=1).astype(np.float64)
    with np.errstate(divide="ignore"):
        price = -np.log(0.5 * doubt)
    part = Part(a, b, _Reasons(float(price)), (HINT * a, HINT * b))
    return Evidence.of_part(part)


def reasons_of(
    original: Microdata,
    masked: Microdata,
    name: str,
) -> tuple[Ints, Ints]:
    """Why each cell is empty, in numbers that both files share.

    0 is a cell with a value, 1 a gap without a code, and the codes follow in order.
    """
    ours, theirs = original.reasons(name), masked.reasons(name)
    codes = sorted({code for code in (*ours, *theirs) if code})
    place: dict[str | None, int] = {None: 0, "": 1}
    place.update({code: number for number, code in enumerate(codes, start=2)})
    x = np.array([place[code] for code in ours], np.int64)
    z = np.array([place[code] for code in theirs], np.int64)
    return x, z


def _tell_apart(x: Ints, z: Ints) -> bool:
    """Two reasons or more, each about as frequent in both files."""
    size = int(max(x.max(initial=0), z.max(initial=0))) + 1
    before = np.bincount(x, minlength=size)[1:]
    after = np.bincount(z, minlength=size)[1:]
    if (before > 0).sum() < 2:
        return False
    if len(x) == len(z):
        return bool(np.array_equal(before, after))
    # a sample has other counts: three standard errors, as for the gaps themselves
    share = before / len(x)
    error = 3 * np.sqrt(share * (1 - share) / len(z))
    return bool((np.abs(share - after / len(z)) <= error).all())


class _Reasons:
    """Cost of gaps whose codes differ: ``price`` for each column."""

    def __init__(self, price: float) -> None:
        self.price = price

    def __call__(
        self,
        p: Floats,
        q: Floats,
    ) -> Floats:
        total = np.zeros((len(p), len(q)))
        for k in range(p.shape[1]):
            ours, theirs = p[:, k, None], q[None, :, k]
            both_gaps = (ours > 0) & (theirs > 0)
            total[both_gaps & (ours != theirs)] += self.price
        return total
