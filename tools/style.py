"""How the code reads, in figures: ``python tools/style.py [FOLDER]`` (``make lint`` prints it as
a report, no limit).

The rows are those by which other codebases were measured, so that they compare:

* tokens per code line: Python tokens (names, operators, literals) without comments and
  docstrings, divided by the
  lines that hold at least one of them;
* comments per 100 code lines: lines with a comment; tool directives (``noqa``, ``type:``) do not
  count;
* ``Any`` per 1,000 code lines: uses of the name, imports left out;
* root modules: files of the package's own folder;
* private names across modules: ``from other import _name`` and ``other_module._name``;
* local imports: the share of import statements that stand inside a function;
* docstrings and return hints: the share of public modules, classes and functions that have them;
* base names twice: file names that stand in more than one room (whether they mean two things is
  for a reader).
"""

from __future__ import annotations

import ast
import io
import sys
import tokenize
from collections import Counter, defaultdict
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path

Function = ast.FunctionDef | ast.AsyncFunctionDef
IGNORED = {
    tokenize.NL,
    tokenize.NEWLINE,
    tokenize.INDENT,
    tokenize.DEDENT,
    tokenize.ENCODING,
    tokenize.ENDMARKER,
}
# documented by Python itself, underscore or not
DOCUMENTED = {"os._exit"}
DIRECTIVES = ("noqa", "type:", "pragma", "fmt:", "ruff:", "mypy:")
# names that every room may have, because they mean the same thing in each
SAME_MEANING = {"__init__", "__main__", "base"}


@dataclass
class Count:
    """Sums over files; the ratios are made of them at the end."""

    code_lines: int = 0
    tokens: int = 0
    comments: int = 0
    any_uses: int = 0
    imports: int = 0
    local_imports: int = 0
    private_uses: list[str] = field(default_factory=list)
    undocumented: list[str] = field(default_factory=list)
    unhinted: list[str] = field(default_factory=list)
    public: int = 0
    functions: int = 0


def docstring_lines(tree: ast.Module) -> set[int]:
    """Line numbers that belong to docstrings (and to bare strings that document a constant)."""
    lines: set[int] = set()
    for node in ast.walk(tree):
        is_text = isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant)
        if is_text and isinstance(node.value.value, str):  # type: ignore[attr-defined]
            lines.update(range(node.lineno, (node.end_lineno or node.lineno) + 1))
    return lines


def count_tokens(text: str, tree: ast.Module, count: Count) -> None:
    """Tokens, code lines and comments of one file."""
    documented = docstring_lines(tree)
    lines: set[int] = set()
    for token in tokenize.generate_tokens(io.StringIO(text).readline):
        if token.type == tokenize.COMMENT:
            words = token.string.lstrip("#: ")
            if words and not words.startswith(DIRECTIVES):
                count.comments += 1
        elif token.type not in IGNORED and token.start[0] not in documented:
            count.tokens += 1
            lines.update(range(token.start[0], token.end[0] + 1))
    count.code_lines += len(lines)


def functions_inside(tree: ast.AST) -> Iterator[Function]:
    """Every function, methods and nested ones included."""
    for node in ast.walk(tree):
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef):
            yield node


def count_imports(tree: ast.Module, place: str, count: Count) -> None:
    """Import statements, those inside functions, and private names taken from other modules."""
    local: set[ast.stmt] = set()
    for function in functions_inside(tree):
        local.update(
            node
            for node in ast.walk(function)
            if isinstance(node, ast.Import | ast.ImportFrom)
        )
    modules: set[str] = set()
    for node in ast.walk(tree):
        if not isinstance(node, ast.Import | ast.ImportFrom):
            continue
        count.imports += 1
        count.local_imports += node in local
        modules.update(alias.asname or alias.name for alias in node.names)
        if isinstance(node, ast.ImportFrom) and node.module != "__future__":
            taken = [alias.name for alias in node.names if is_private(alias.name)]
            count.private_uses += [f"{place}:{node.lineno} {name}" for name in taken]
    for node in ast.walk(tree):
        if not isinstance(node, ast.Attribute) or not is_private(node.attr):
            continue
        owner = node.value
        # a lower-case imported name is a module; classes may show their own private names
        if ast.unparse(node) in DOCUMENTED:
            continue
        if isinstance(owner, ast.Name) and owner.id in modules and owner.id.islower():
            count.private_uses.append(f"{place}:{node.lineno} {owner.id}.{node.attr}")


def is_private(name: str) -> bool:
    """One leading underscore, no dunder."""
    return name.startswith("_") and not name.startswith("__")


def count_documentation(tree: ast.Module, place: str, count: Count) -> None:
    """Public definitions at module and class level, and whether they are documented and hinted."""
    count.public += 1
    if not ast.get_docstring(tree):
        count.undocumented.append(place)
    owners: list[tuple[str, ast.Module | ast.ClassDef]] = [("", tree)]
    for prefix, owner in owners:
        for node in owner.body:
            if not isinstance(
                node, ast.ClassDef | ast.FunctionDef | ast.AsyncFunctionDef
            ):
                continue
            if node.name.startswith("_") and node.name != "__init__":
                continue
            if isinstance(node, ast.ClassDef):
                owners.append((f"{prefix}{node.name}.", node))
            else:
                count.functions += 1
                if node.returns is None:
                    count.unhinted.append(f"{place}:{node.lineno} {prefix}{node.name}")
                if node.name == "__init__" or overrides(node):
                    continue
            count.public += 1
            if not ast.get_docstring(node):
                count.undocumented.append(f"{place}:{node.lineno} {prefix}{node.name}")


def overrides(node: Function) -> bool:
    """A property's setter or an overload repeats a documented name."""
    names = [ast.unparse(decorator) for decorator in node.decorator_list]
    return any(name.endswith((".setter", "overload")) for name in names)


def measure(folder: Path) -> tuple[Count, dict[str, list[str]]]:
    """The sums over all files of a folder, and the base names with the rooms that have them."""
    count = Count()
    names: dict[str, list[str]] = defaultdict(list)
    for path in sorted(folder.rglob("*.py")):
        text = path.read_text(encoding="utf-8")
        tree = ast.parse(text)
        place = str(path.relative_to(folder))
        count_tokens(text, tree, count)
        count_imports(tree, place, count)
        count_documentation(tree, place, count)
        count.any_uses += sum(
            isinstance(node, ast.Name) and node.id == "Any" for node in ast.walk(tree)
        )
        if path.stem not in SAME_MEANING:
            names[path.stem].append(str(path.parent.relative_to(folder)))
    return count, {name: rooms for name, rooms in names.items() if len(rooms) > 1}


def rows(folder: Path) -> list[tuple[str, str]]:
    """The table: what, and its figure."""
    count, twice = measure(folder)
    tests = sum(
        code_lines(path)
        for path in folder.parent.parent.joinpath("tests").rglob("*.py")
    )
    return [
        ("code lines", f"{count.code_lines:,}"),
        ("tokens per code line", f"{count.tokens / count.code_lines:.2f}"),
        (
            "comments per 100 code lines",
            f"{100 * count.comments / count.code_lines:.1f}",
        ),
        ("Any per 1,000 code lines", f"{1000 * count.any_uses / count.code_lines:.1f}"),
        ("modules at the package root", str(len(list(folder.glob("*.py"))))),
        ("local imports", f"{100 * count.local_imports / count.imports:.1f} %"),
        ("private names across modules", str(len(count.private_uses))),
        (
            "public docstrings",
            f"{100 - 100 * len(count.undocumented) / count.public:.1f} %",
        ),
        (
            "public return hints",
            f"{100 - 100 * len(count.unhinted) / count.functions:.1f} %",
        ),
        ("base names in several rooms", str(len(twice))),
        ("test lines : code lines", f"{tests / count.code_lines:.2f}"),
    ]


def code_lines(path: Path) -> int:
    """Code lines of one file."""
    count = Count()
    text = path.read_text(encoding="utf-8")
    count_tokens(text, ast.parse(text), count)
    return count.code_lines


def main(arguments: list[str]) -> None:
    """Print the table; with ``--list`` also every place that is not yet right."""
    folders = [Path(argument) for argument in arguments if not argument.startswith("-")]
    folder = folders[0] if folders else Path(__file__).parent.parent / "src" / "tacit"
    for name, figure in rows(folder):
        print(f"{name:32} {figure:>10}")
    if "--list" in arguments:
        count, twice = measure(folder)
        for title, places in [
            ("private", count.private_uses),
            ("undocumented", count.undocumented),
            ("unhinted", count.unhinted),
        ]:
            for place in places:
                print(f"{title}: {place}")
        for name, rooms in sorted(
            Counter({name: len(rooms) for name, rooms in twice.items()}).items()
        ):
            print(f"base name: {name} x{rooms}: {', '.join(twice[name])}")


if __name__ == "__main__":
    main(sys.argv[1:])
