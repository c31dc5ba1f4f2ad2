"""Hierarchies: which wider class a value belongs to, level by level, as rules and as files.

A rule is plain data, so that plans can hold it: ``{"prefix": [3, 1]}`` for ICD codes,
``{"ladder": [5, 10, 20], "above": 90}`` for ages, ``{"dates": ["month", "year"]}``,
``{"mask": [2, 4]}``, ``{"cuts": [[18, 65]]}``, ``{"groups": [{"south": ["Ulm", "Aalen"]}]}``,
``{"table": [["Ulm", "south", "*"]]}``, ``{"file": "town.csv"}``, and
``{"automatic": "frequency"}``, which is found in the data. ``rule_of`` reads them; one file for
each sort of rule.
"""

from __future__ import annotations

from importlib import import_module
from typing import Any

#: public name -> module that holds it
_WHERE = {
    "Rule": "rule",
    "Tree": "tree",
    "tree_of": "tree",
    "rule_of": "known_rules",
    "as_entry": "known_rules",
    "fitted": "known_rules",
    "read_folder": "files",
    "read_table": "files",
    "write_table": "files",
    "drawn": "drawing",
    "Prefix": "prefix",
    "Mask": "mask",
    "Ladder": "ladder",
    "Cuts": "cuts",
    "Dates": "dates",
    "Groups": "listed_groups",
    "Table": "table",
    "Automatic": "automatic",
}

__all__ = sorted(_WHERE)


def __getattr__(name: str) -> Any:
    if name not in _WHERE:
        raise AttributeError(f"tacit.data.hierarchies has no {name!r}")
    module = import_module(f"{__name__}.{_WHERE[name]}")
    return getattr(module, name)


def __dir__() -> list[str]:
    return __all__
