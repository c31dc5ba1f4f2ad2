"""The hierarchy of a column as the editor shows it; counting is that of `tacit.risk`.

Only workers import this module: it holds the file.
"""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np

from tacit.app.messages import BarView, ClassesOrder, ClassesView, StandingView
from tacit.app.rules import FOUND, in_short
from tacit.base.errors import TacitError
from tacit.base.typing import Floats
from tacit.data.hierarchies.automatic import Automatic
from tacit.data.hierarchies.cuts import Cuts
from tacit.data.hierarchies.files import text_of
from tacit.data.hierarchies.known_rules import fitted, rule_of
from tacit.data.hierarchies.ladder import Ladder
from tacit.data.hierarchies.listed_groups import Groups
from tacit.data.hierarchies.merging import merged, split
from tacit.data.hierarchies.rule import Rule
from tacit.data.hierarchies.tree import Coded, Tree, coded
from tacit.data.microdata import Kind, Microdata
from tacit.report import shapes
from tacit.report.charts.cut_points import cut_points, step_of
from tacit.report.charts.hierarchy import branches
from tacit.report.charts.spark import share_bar
from tacit.report.words import count
from tacit.risk.coarse_keys import USUAL_K, CoarseKeys, class_sizes, usual_keys

# Values that are drawn in the picture of a hierarchy.
DRAWN = 30
# Bars of a histogram that is wide enough to aim at.
BINS = 60
# Classes that are listed to be picked; of more the smallest are counted only.
PICKABLE = 250
# Values of a hierarchy that are shown as text; a longer table is taken as a file.
LISTED = 5_000
# The size of a group whose violations are drawn beside the numbers.
DRAWN = 5
# Cut points that can be moved by hand.
MOVABLE = 40


def classes_of(data: Microdata, order: ClassesOrder) -> ClassesView:
    """Picture, classes, and who stands out; what is wrong with a rule is said in their place."""
    column = order["column"]
    view = _nothing(data, column)
    entry = order["entry"]
    try:
        rule = fitted(rule_of(entry, column) if entry else Automatic(), data, column)
        tree = coded(rule, data, column)
        if order["merge"]:
            rule = _by_hand(tree, order)
            tree = coded(rule, data, column)
            entry = rule.entry()
    except TacitError as error:
        view["error"] = str(error)
        rule = fitted(Automatic(), data, column)
        tree = coded(rule, data, column)
    else:
        _describe(view, data, rule, tree, order)
        view["entry"] = entry
        view["found"] = _found(entry, rule)
    _shape(view, data, column, rule)
    _bars(view, tree, order["level"])
    return view


def _nothing(data: Microdata, column: str) -> ClassesView:
    """What stands there before anything is known."""
    is_number = data.schema[column].scale is Kind.continuous
    return {
        "column": column,
        "error": "",
        "entry": None,
        "found": "",
        "is_number": is_number,
        "chart": "",
        "step": 1.0,
        "ends": "",
        "cuts": "",
        "further": "",
        "level": 1,
        "levels": [1],
        "bars": [],
        "not_shown": 0,
        "ks": USUAL_K,
        "standing": [],
        "counted": "",
        "unit": "records",
        "tree": "",
        "without_values": False,
        "rows": "",
    }


def _by_hand(tree: Coded, order: ClassesOrder) -> Groups:
    """The hierarchy after classes were put together or taken apart."""
    merge = order["merge"]
    assert merge is not None
    if merge["apart"]:
        return split(tree.tree, merge["level"], merge["picked"])
    label = merge["label"] or " + ".join(merge["picked"])
    return merged(tree.tree, merge["level"], merge["picked"], label)


def _found(entry: Mapping[str, object] | None, rule: Rule) -> str:
    """What an automatic hierarchy found, in words; '' for one that was written down."""
    if entry is not None and "automatic" not in entry:
        return ""
    sort = str((entry or {}).get("automatic", "by kind"))
    return f"Found in the data, {FOUND[sort]}: {in_short(rule.entry())}."


def _describe(
    view: ClassesView,
    data: Microdata,
    rule: Rule,
    tree: Coded,
    order: ClassesOrder,
) -> None:
    """The tree, and who stands out at each of its levels."""
    column = order["column"]
    keys = _keys(data, order)
    standing = keys.by_level(column, tree)
    people = max(keys.units.number, 1)
    view["standing"] = [
        StandingView(
            level=one.level,
            classes=one.classes,
            below=[count(one.below[k]) for k in USUAL_K],
            bar=str(share_bar(one.below[DRAWN] / people)),
        )
        for one in standing
    ]
    view["unit"] = keys.units.words
    view["counted"] = ", ".join(keys.names)
    drawn = tree.tree
    if len(drawn.labels[0]) > DRAWN and drawn.height > 1:
        # of many values the classes alone make a picture
        drawn = Tree(drawn.labels[1:], drawn.up[1:], drawn.ordered)
        view["without_values"] = True
    view["tree"] = branches(drawn, f"The hierarchy of {column}").unscaled()
    if len(tree.tree.labels[0]) <= LISTED:
        view["rows"] = text_of(tree.tree.rows)


def _keys(data: Microdata, order: ClassesOrder) -> CoarseKeys:
    """The keys as the plan publishes them: those with a given level in their classes."""
    wanted = {*usual_keys(data), *order["rules"], order["column"]}
    names = [name for name in data.quasi if name in wanted]
    keys = CoarseKeys.of(data, names)
    for name, level in order["levels"].items():
        if name in names and name != order["column"] and name in order["rules"]:
            rule = fitted(rule_of(order["rules"][name], name), data, name)
            keys = keys.at(name, coded(rule, data, name), level)
    return keys


def _shape(view: ClassesView, data: Microdata, column: str, rule: Rule) -> None:
    """The histogram of a column of numbers, with the cut points of the first level."""
    if not view["is_number"]:
        return
    values = data.column(column)
    bins = shapes.bins(values, values, BINS)
    if bins is None:
        return
    cuts = _cuts(rule, values)
    present = values[np.isfinite(values)]
    is_whole = bool((present == np.round(present)).all())
    ends = bins.edges[0], bins.edges[-1]
    inside = [cut for cut in cuts if ends[0] <= cut <= ends[1]]
    view["ends"] = f"{ends[0]:.15g} {ends[1]:.15g}"
    view["step"] = step_of(*ends, is_whole=is_whole)
    view["cuts"] = ", ".join(f"{cut:.15g}" for cut in cuts)
    if isinstance(rule, Cuts):
        further = ([f"{cut:.15g}" for cut in level] for level in rule.levels[1:])
        view["further"] = "; ".join(", ".join(level) for level in further)
    drawing = cut_points(
        column, bins.edges, bins.before, inside[:MOVABLE], is_whole=is_whole
    )
    view["chart"] = str(drawing)


def _cuts(rule: Rule, values: Floats) -> list[float]:
    """Where the classes of the first level end."""
    if isinstance(rule, Cuts):
        return list(rule.levels[0])
    if not isinstance(rule, Ladder):
        return []
    low = np.nanmin(values) if rule.below is None else rule.below
    high = np.nanmax(values) if rule.above is None else rule.above
    width = rule.widths[0]
    first = int(np.floor((low - rule.start) / width)) + 1
    last = int(np.ceil((high - rule.start) / width))
    # more than can be moved are not listed
    last = min(last, first + MOVABLE)
    cuts = {round(rule.start + step * width, 9) for step in range(first, last)}
    cuts |= {end for end in (rule.below, rule.above) if end is not None}
    return sorted(cut for cut in cuts if low <= cut <= high)


def _bars(view: ClassesView, tree: Coded, level: int) -> None:
    """The classes below a level, which can be picked: those of one class stand together."""
    top = tree.tree.height
    # a level above all lists can be made, below the class of all values
    view["levels"] = list(range(1, max(top, 1) + 1))
    view["level"] = level = min(max(level, 1), max(top, 1))
    below = tree.tree.labels[level - 1]
    sizes = class_sizes(tree, level - 1)
    up = tree.tree.up[level - 1]
    parents = tree.tree.labels[level]
    together = np.bincount(up, minlength=len(parents))
    # ordered classes in their order; others by class, the largest first
    places = np.arange(len(below))
    if not tree.tree.ordered:
        places = np.lexsort((-sizes, up))
    most = max(int(sizes.max(initial=0)), 1)
    view["not_shown"] = max(len(below) - PICKABLE, 0)
    view["bars"] = [
        BarView(
            label=below[at],
            records=int(sizes[at]),
            bar=str(share_bar(float(sizes[at]) / most)),
            parent=parents[up[at]],
            joined=bool(together[up[at]] > 1),
        )
        for at in places[:PICKABLE]
    ]
