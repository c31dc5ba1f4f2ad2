"""Which columns are microaggregated together, and with which k.

They are given as lists, as block sizes, or by the names of the papers:

Mic2 .. Mic6          two (.. six) columns at a time
MicAll                all columns together
MicIR, MicZ, MicPCP   one by one; all by the sum of z-scores; all by the first principal
                      component
Mic553-2.8.5          blocks of 5, 5 and 3 columns with k = 2, 8 and 5 (Abril, Navarro-Arribas
                      and Torra 2012, section 4)
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from itertools import accumulate

from tacit.base.errors import ColumnError, ParameterError

# Mic, then what is averaged together, then perhaps one k per block: Mic553-2.8.5
_NAME = re.compile(r"^Mic(All|IR|Z|PCP|\d+)(?:-(\d+(?:\.\d+)*))?$")
_PARTITION = {"IR": "individual", "Z": "zscores", "PCP": "pca"}

Blocks = list[tuple[list[str], int]]
"""The columns of each block, and its k."""


@dataclass(frozen=True)
class Named:
    """What a name such as Mic553-2.8.5 says; None where it says nothing."""

    sizes: tuple[int, ...] | None
    ks: tuple[int, ...] | None
    partition: str | None


def parse(name: str) -> Named:
    """Read a method name of the papers.

    >>> parse("Mic553-2.8.5")
    Named(sizes=(5, 5, 3), ks=(2, 8, 5), partition=None)
    >>> parse("MicPCP").partition
    'pca'
    """
    if name.lower() == "all":
        return Named(None, None, None)
    match = _NAME.match(name)
    if match is None:
        raise ParameterError(
            f"groups='{name}' is not understood; "
            "use a number of columns, lists of columns, 'all', "
            "or a name such as Mic3, MicAll, MicIR, MicZ, MicPCP or Mic553-2.8.5"
        )
    what, tail = match.groups()
    ks = tuple(int(part) for part in tail.split(".")) if tail else None
    sizes = tuple(int(digit) for digit in what) if what.isdigit() else None
    return Named(sizes, ks, _PARTITION.get(what))


def blocks(
    columns: list[str],
    groups: str | int | list[list[str]] | None,
    k: int | list[int],
) -> Blocks:
    """The blocks in order, each with its k.

    >>> blocks(["a", "b", "c"], 2, 3)
    [(['a', 'b'], 3), (['c'], 3)]
    """
    if isinstance(groups, list):
        return _with_k(_listed(columns, groups), k)
    if groups is None:
        return _with_k([list(columns)], k)
    if isinstance(groups, int):
        return _with_k(_at_a_time(columns, groups), k)
    named = parse(groups)
    # a k in the name goes before the parameter
    ks = list(named.ks) if named.ks else k
    if named.sizes is None:
        return _with_k([list(columns)], ks)
    return _with_k(_sized(columns, named.sizes, groups), ks)


def _listed(
    columns: list[str],
    groups: list[list[str]],
) -> list[list[str]]:
    """Blocks given as lists, if every column is in exactly one of them."""
    parts = [list(block) for block in groups]
    flat = [name for block in parts for name in block]
    absent = [name for name in flat if name not in columns]
    if absent:
        raise ColumnError(
            f"groups names '{absent[0]}', "
            f"which is not among the columns to protect: {', '.join(columns)}"
        )
    if len(set(flat)) != len(flat):
        raise ColumnError(
            "groups names a column twice; each column belongs to one block"
        )
    left = [name for name in columns if name not in flat]
    if left:
        raise ColumnError(
            f"groups leaves out '{left[0]}'; "
            "put it in a block or leave it out of columns=[...]"
        )
    return parts


def _sized(
    columns: list[str],
    sizes: tuple[int, ...],
    name: str,
) -> list[list[str]]:
    """Blocks of the sizes in a paper's name; one digit stands for all blocks."""
    if len(sizes) == 1:
        if sizes[0] < 1:
            raise ParameterError(f"groups='{name}': a block needs at least one column")
        return _at_a_time(columns, sizes[0])
    if sum(sizes) != len(columns):
        raise ParameterError(
            f"groups='{name}' is for {sum(sizes)} columns, "
            f"but {len(columns)} are protected; choose columns=[...]"
        )
    ends = accumulate(sizes)
    cuts = zip(ends, sizes, strict=True)
    return [columns[end - size : end] for end, size in cuts]


def _at_a_time(columns: list[str], size: int) -> list[list[str]]:
    """Blocks of this size in file order; the last may be smaller."""
    starts = range(0, len(columns), size)
    return [columns[start : start + size] for start in starts]


def _with_k(parts: list[list[str]], k: int | list[int]) -> Blocks:
    """Each block with its k: one for all, or one for each."""
    if isinstance(k, int):
        return [(part, k) for part in parts]
    if len(k) == 1:
        return [(part, k[0]) for part in parts]
    if len(k) != len(parts):
        raise ParameterError(
            f"there are {len(parts)} blocks of columns but {len(k)} values of k; "
            "give one k, or one per block"
        )
    return list(zip(parts, k, strict=True))
