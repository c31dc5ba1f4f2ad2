"""The lattice of a generalisation as the explorer shows it; the search is that of the method.

Only workers import this module: it holds the file.
"""

from __future__ import annotations

import json
from collections.abc import Mapping

from tacit.app.messages import LatticeView, NodeView
from tacit.data.microdata import Microdata
from tacit.protect.generalisation import Generalisation
from tacit.protect.lattice.exploring import Explored, Failure, Node
from tacit.report.charts import Point, for_both, risk_utility_map
from tacit.report.words import count, number, percent

# Nodes that are looked at: more would hide each other on the map.
MOST = 150


def lattice_of(
    data: Microdata,
    settings: Mapping[str, object],
    chosen: Mapping[str, int],
) -> LatticeView:
    """The map, the nodes in a table, and the best one in a sentence."""
    # all levels are looked at, also those that the plan has given
    free = {name: value for name, value in settings.items() if name != "levels"}
    found = Generalisation(**free).explored(data, most=MOST)  # type: ignore[arg-type]
    return {
        "map": _map(found, settings),
        "columns": list(found.heights),
        "nodes": [_row(node, found, chosen) for node in found.nodes],
        "sentence": _sentence(found),
        "note": _note(found),
    }


def _id(node: Node) -> str:
    return json.dumps(node.levels, ensure_ascii=False)


def _map(found: Explored, settings: Mapping[str, object]) -> str:
    """Nodes by what they lose and whom they would show; the best one is ringed."""
    points = [
        Point(
            ", ".join(str(level) for level in node.levels.values()),
            node.share,
            node.loss,
            "keeps every model" if node.kept else "will not do",
            chosen=node is found.best,
            id=_id(node),
        )
        for node in sorted(found.nodes, key=lambda one: not one.kept)
    ]
    return for_both(
        lambda width: risk_utility_map(
            points,
            bound=float(str(settings.get("suppression_limit", 0))),
            width=width,
            height=min(380, width),
            risk_name=f"{found.word}s who stand out, and would be blanked",
            loss_name="loss",
        ),
        980,
    )


def _row(node: Node, found: Explored, chosen: Mapping[str, int]) -> NodeView:
    broken = "; ".join(_broken(one, found.word) for one in node.failures)
    # whole persons and households are blanked: more may be than stand out
    why = node.reason or (f"stand out: {broken}" if broken else "nobody stands out")
    return {
        "id": _id(node),
        "levels": list(node.levels.values()),
        "loss": number(node.loss),
        "suppressed": count(node.suppressed),
        "share": percent(node.share),
        "kept": node.kept,
        "best": node is found.best,
        "chosen": dict(chosen) == dict(node.levels),
        "why": why,
    }


def _broken(one: Failure, word: str) -> str:
    """A model that classes break, with how many are in them."""
    people = f"{count(one.people)} {word if one.people == 1 else word + 's'}"
    if one.classes is None:
        return f"{people} ({one.model})"
    classes = "1 class" if one.classes == 1 else f"{count(one.classes)} classes"
    return f"{people} in {classes} ({one.model})"


def _sentence(found: Explored) -> str:
    """The best node in words."""
    if found.best is None:
        last = "none of them keeps" if found.proven else "none was found that keeps"
        return (
            f"Of {count(found.size)} nodes {last} the models with at most "
            f"{count(found.limit)} {found.word}s blanked. Allow more to be blanked, ask for "
            "less, or give the keys wider classes."
        )
    sure = (
        "proven best"
        if found.proven
        else f"the best found; none loses less than {number(found.bound)}"
    )
    levels = ", ".join(f"{name} {level}" for name, level in found.best.levels.items())
    return (
        f"The best of {count(found.size)} nodes is at levels {levels}: loss "
        f"{number(found.best.loss)}, {count(found.best.suppressed)} {found.word}s blanked "
        f"({sure})."
    )


def _note(found: Explored) -> str:
    if len(found.nodes) == found.size:
        return "Every node of the lattice is shown."
    return (
        f"{count(len(found.nodes))} of {count(found.size)} nodes are shown: the best, the way "
        "from it to both ends, and its neighbours."
    )
