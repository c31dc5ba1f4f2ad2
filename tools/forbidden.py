"""What may not stand in the package: ``python tools/forbidden.py`` (``make lint`` runs it).

Whoever reads a file with pickle, marshal or shelve runs what the file asks for; eval and exec run
a text. Each place that may do so all the same stands below with its reason.
"""

from __future__ import annotations

import ast
import sys
from collections.abc import Iterator
from pathlib import Path

ALLOWED = {
    "base/spark_tasks.py": "items and results between a driver and its workers, which run each "
    "other's functions as Spark ships them (cloudpickle): no file of a user is read",
    "scale/source_cluster.py": "as base/spark_tasks.py: states of a pass, there and back",
    "stream/sources/river.py": "counts the bytes of an object; nothing is read back",
}
MODULES = {"pickle", "_pickle", "cPickle", "marshal", "shelve", "dill", "cloudpickle"}
CALLS = {"eval", "exec", "compile", "__import__"}
METHODS = {"read_pickle", "to_pickle", "load_module", "unsafe_load"}


def forbidden(text: str) -> Iterator[tuple[int, str]]:
    """(line, what) of every such thing in the source of a module."""
    for node in ast.walk(ast.parse(text)):
        names: list[str] = []
        if isinstance(node, ast.Import):
            names = [alias.name for alias in node.names]
        elif isinstance(node, ast.ImportFrom):
            names = [f"{node.module}.{alias.name}" for alias in node.names]
        for name in names:
            if MODULES & set(name.split(".")):
                yield node.lineno, f"import of {name}"
        if isinstance(node, ast.Name) and node.id in CALLS:
            yield node.lineno, node.id
        if isinstance(node, ast.Attribute) and node.attr in METHODS:
            yield node.lineno, node.attr
        if isinstance(node, ast.keyword) and _pickles(node):
            yield node.value.lineno, "allow_pickle"


def _pickles(node: ast.keyword) -> bool:
    """``allow_pickle`` with anything but False."""
    said = node.value
    refused = isinstance(said, ast.Constant) and said.value is False
    return node.arg == "allow_pickle" and not refused


def places(folder: Path) -> list[str]:
    """Every place of a folder that is not allowed."""
    found = []
    for path in sorted(folder.rglob("*.py")):
        name = path.relative_to(folder).as_posix()
        if name not in ALLOWED:
            text = path.read_text(encoding="utf-8")
            found += [f"{path}:{line}: {what}" for line, what in forbidden(text)]
    return found


def main(arguments: list[str]) -> int:
    """Print the places; 1 if there are any."""
    usual = Path(__file__).parent.parent / "src" / "tacit"
    found = places(Path(arguments[0]) if arguments else usual)
    for place in found:
        print(f"{place} is not allowed; tools/forbidden.py says what is, and why")
    return int(bool(found))


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
