"""Which columns are microaggregated together, and with which k: lists, block sizes, or the names of the papers.

Mic2 .. Mic6          two (.. six) columns at a time
MicAll                all columns together
MicIR, MicZ, MicPCP   one by one; all by the sum of z-scores; all by the first principal component
Mic553-2.8.5          blocks of 5, 5 and 3 columns with k = 2, 8 and 5 (001, section 4)
"""

from __future__ import annotations

import re
from dataclasses import dataclass

from tacit.errors import ColumnError, ParameterError

_NAME = re.compile(r"^Mic(All|IR|Z|PCP|\d+)(?:-(\d+(?:\.\d+)*))?$")
_PARTITION = {"IR": "individual", "Z": "zscores", "PCP": "pca"}


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
            f"groups='{name}' is not understood; use a number of columns, lists of columns, "
            "'all', or a name such as Mic3, MicAll, MicIR, MicZ, MicPCP or Mic553-2.8.5"
        )
    what, tail = match.groups()
    ks = tuple(int(part) for part in tail.split(".")) if tail else None
    sizes = tuple(int(digit) for digit in what) if what.isdigit() else None
    return Named(sizes, ks, _PARTITION.get(what))


def blocks(
    columns: list[str], groups: str | int | list[list[str]] | None, k: int | list[int]
) -> list[tuple[list[str], int]]:
    """The blocks in order, each with its k.

    >>> blocks(["a", "b", "c"], 2, 3)
    [(['a', 'b'], 3), (['c'], 3)]
    """
    if isinstance(groups, list):
        parts = [list(block) for block in groups]
        flat = [name for block in parts for name in block]
        absent = [name for name in flat if name not in columns]
        if absent:
            raise ColumnError(
                f"groups names '{absent[0]}', which is not among the columns to protect: {', '.join(columns)}"
            )
        if len(set(flat)) != len(flat):
            raise ColumnError("groups names a column twice; each column belongs to one block")
        left = [name for name in columns if name not in flat]
        if left:
            raise ColumnError(f"groups leaves out '{left[0]}'; put it in a block or leave it out of columns=[...]")
        return _with_k(parts, k)
    if groups is None:
        return _with_k([list(columns)], k)
    if isinstance(groups, int):
        return _with_k([columns[i : i + groups] for i in range(0, len(columns), groups)], k)
    named = parse(groups)
    ks: int | list[int] = list(named.ks) if named.ks else k
    if named.sizes is None:
        return _with_k([list(columns)], ks)
    if len(named.sizes) == 1:
        size = named.sizes[0]
        if size < 1:
            raise ParameterError(f"groups='{groups}': a block needs at least one column")
        return _with_k([columns[i : i + size] for i in range(0, len(columns), size)], ks)
    if sum(named.sizes) != len(columns):
        raise ParameterError(
            f"groups='{groups}' is for {sum(named.sizes)} columns, but {len(columns)} are protected; "
            "choose columns=[...]"
        )
    ends = [sum(named.sizes[: i + 1]) for i in range(len(named.sizes))]
    return _with_k([columns[end - size : end] for end, size in zip(ends, named.sizes, strict=True)], ks)


def _with_k(parts: list[list[str]], k: int | list[int]) -> list[tuple[list[str], int]]:
    if isinstance(k, int):
        return [(part, k) for part in parts]
    if len(k) == 1:
        return [(part, k[0]) for part in parts]
    if len(k) != len(parts):
        raise ParameterError(
            f"there are {len(parts)} blocks of columns but {len(k)} values of k; give one k, or one a block"
        )
    return list(zip(parts, k, strict=True))
