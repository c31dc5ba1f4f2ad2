"""A hierarchy as text: the tree from its top, the largest classes first."""

from __future__ import annotations

import numpy as np

from tacit.data.hierarchies.tree import Tree

# children that are shown of each class; the rest are counted
MOST = 8


def drawn(
    tree: Tree,
    most: int = MOST,
) -> str:
    """The tree, one class to a line, with how many values it holds.

    Examples
    --------
    >>> from tacit.data.hierarchies.prefix import Prefix
    >>> from tacit.data.hierarchies.tree import tree_of
    >>> print(drawn(tree_of(Prefix(keep=(1,)), ["J45", "J46", "K20"])))
    *  (3)
      J*  (2)
        J45
        J46
      K*  (1)
        K20
    """
    lines: list[str] = []
    top = tree.height
    for code in range(len(tree.labels[top])):
        _branch(tree, top, code, 0, most, lines)
    return "\n".join(lines)


def _branch(
    tree: Tree,
    level: int,
    code: int,
    depth: int,
    most: int,
    lines: list[str],
) -> None:
    label = tree.labels[level][code]
    values = int(tree.leaves[level][code])
    counted = f"  ({values})" if level else ""
    lines.append(f"{'  ' * depth}{label}{counted}")
    if not level:
        return
    children = np.flatnonzero(tree.up[level - 1] == code)
    # ages are looked for in their order, towns among the largest
    if not tree.ordered:
        sizes = tree.leaves[level - 1][children]
        children = children[np.argsort(-sizes, kind="stable")]
    for child in children[:most]:
        _branch(tree, level - 1, int(child), depth + 1, most, lines)
    if len(children) > most:
        lines.append(f"{'  ' * (depth + 1)}... {len(children) - most} more")
