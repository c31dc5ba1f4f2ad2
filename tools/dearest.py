"""The dearest tests of a run, as a table: ``python -m tools.dearest RUN.xml [FAST.xml]``.

RUN.xml is what ``pytest -m '' --junitxml RUN.xml`` wrote; FAST.xml is that of ``make test``, and
says which cases run there. Cases of one function stand in one row, with what it promises: the first
sentence of its docstring, or its name.
"""

from __future__ import annotations

import ast
import sys
from collections import defaultdict
from pathlib import Path
from xml.etree import ElementTree

ROOT = Path(__file__).parents[1]
MOST = 200


def main() -> int:
    """Print the table."""
    run, *fast = map(Path, sys.argv[1:])
    seconds, cases = times(run)
    few, fewer = times(fast[0]) if fast else ({}, {})
    dearest = sorted(seconds, key=lambda test: -seconds[test])[:MOST]
    total = sum(seconds.values())
    share = sum(seconds[test] for test in dearest) / total
    print(
        f"{len(seconds):,} functions, {sum(cases.values()):,} cases, {total:,.0f} s in all; these "
        f"{len(dearest)} take {share:.0%}.\n"
    )
    print("| s | cases | in make test: s | cases | test | what it promises |")
    print("|--:|--:|--:|--:|---|---|")
    for test in dearest:
        file, name = test
        here = f"{few[test]:.1f} | {fewer[test]}" if test in few else " | "
        said = promise(file, name)
        print(
            f"| {seconds[test]:.1f} | {cases[test]} | {here} | `{file}::{name}` | {said} |"
        )
    return 0


def times(run: Path) -> tuple[dict[tuple[str, str], float], dict[tuple[str, str], int]]:
    """Seconds and cases of each function, with what its fixtures took first."""
    seconds: dict[tuple[str, str], float] = defaultdict(float)
    cases: dict[tuple[str, str], int] = defaultdict(int)
    for case in ElementTree.parse(run).iter("testcase"):
        name = case.attrib["name"].split("[")[0]
        test = case.attrib["classname"].replace(".", "/") + ".py", name
        seconds[test] += float(case.attrib["time"])
        cases[test] += 1
    return seconds, cases


def promise(file: str, name: str) -> str:
    """The first sentence of the docstring, else the name in words."""
    path = ROOT / file
    if path.is_file():
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            if isinstance(node, ast.FunctionDef) and node.name == name:
                text = ast.get_docstring(node) or ""
                if text:
                    return " ".join(text.split("\n\n")[0].split()).replace("|", "\\|")
    return name.removeprefix("test_").replace("_", " ")


if __name__ == "__main__":
    sys.exit(main())
