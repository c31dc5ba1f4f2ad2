"""Classes put together or taken apart by hand: a hierarchy becomes lists of members."""

from __future__ import annotations

from collections.abc import Collection

from tacit.base.errors import ParameterError
from tacit.data.hierarchies.listed_groups import Groups, Level
from tacit.data.hierarchies.rule import TOP
from tacit.data.hierarchies.tree import Tree

Parents = list[dict[str, str]]
"""For each level, the class of each member of the level below."""


def merged(
    tree: Tree,
    level: int,
    picked: Collection[str],
    label: str,
) -> Groups:
    """The hierarchy with these classes of the level below put into one class of ``level``.

    The new class lies where the first of them lay; classes that are left empty go.

    Examples
    --------
    >>> from tacit.data.hierarchies.prefix import Prefix
    >>> from tacit.data.hierarchies.tree import tree_of
    >>> tree = tree_of(Prefix(keep=(1,)), ["J45", "J46", "K20"])
    >>> merged(tree, 2, ["J*", "K*"], "lungs and gut").levels[1]
    {'lungs and gut': ['J*', 'K*']}
    """
    parents = _parents(tree, level)
    here = parents[level - 1]
    chosen = [name for name in here if name in picked]
    if not chosen or not label:
        raise ParameterError("choose the classes to merge, and name what they become")
    wider = here[chosen[0]]
    for name in chosen:
        here[name] = label
    # the classes above it stay as they were, with the new class where the first one lay
    if level < len(parents) and label not in parents[level]:
        parents[level][label] = parents[level][wider]
    return _listed(parents)


def split(
    tree: Tree,
    level: int,
    picked: Collection[str],
) -> Groups:
    """The hierarchy with each of these classes of the level below as a class of its own."""
    parents = _parents(tree, level)
    here = parents[level - 1]
    chosen = [name for name in here if name in picked]
    if not chosen:
        raise ParameterError("choose the classes to take apart")
    for name in chosen:
        wider = here[name]
        here[name] = name
        if level < len(parents):
            parents[level].setdefault(name, parents[level][wider])
    return _listed(parents)


def _parents(tree: Tree, level: int) -> Parents:
    """The tree without its class of all values, with a level more where one is asked for."""
    found: Parents = []
    for below, up in enumerate(tree.up):
        names = tree.labels[below + 1]
        # lists put the class of all values on top by themselves
        if names == (TOP,):
            break
        found.append(
            {
                child: names[code]
                for child, code in zip(tree.labels[below], up, strict=True)
            }
        )
    if level == len(found) + 1:
        found.append({name: name for name in tree.labels[level - 1]})
    if not 1 <= level <= len(found):
        raise ParameterError(
            f"the hierarchy has {len(found)} levels; classes of level {level} cannot be changed"
        )
    return found


def _listed(parents: Parents) -> Groups:
    """Lists of members; what nobody belongs to any more is left out."""
    levels: list[Level] = []
    alive = list(parents[0])
    for of_member in parents:
        members: Level = {}
        for name in alive:
            members.setdefault(of_member[name], []).append(name)
        levels.append(members)
        alive = list(members)
    return Groups(levels=levels)
