"""mkdocs hook: a page with `execute: true` in its front matter runs its code when it is built.

Blocks marked `python` share one namespace and run in one empty directory, in page order; what they
print, and the value of a last expression, is shown below them (a chart or card as itself). Lines
that start with `$ tacit` in `console` blocks run the command line. A block that fails
fails the build. `python docs/execute.py PAGE...` runs pages without mkdocs.
"""

from __future__ import annotations

import ast
import contextlib
import io
import os
import re
import shlex
import subprocess
import sys
import tempfile
from pathlib import Path
from typing import Any

BLOCK = re.compile(r"^```(python|console)\n(.*?)^```$", re.MULTILINE | re.DOTALL)


class Failed(RuntimeError):
    """A block of the documentation does not do what it says."""


def on_page_markdown(markdown: str, *, page: Any, **_: Any) -> str:
    """Called by mkdocs for each page."""
    return run(markdown, page.file.src_path) if page.meta.get("execute") else markdown


def run(markdown: str, name: str) -> str:
    """The page with the output of its blocks below them."""
    space: dict[str, Any] = {"__name__": "__docs__"}
    here = Path.cwd()
    with tempfile.TemporaryDirectory() as folder:
        os.chdir(folder)
        try:
            return BLOCK.sub(
                lambda found: _block(found.group(1), found.group(2), space, name, here),
                markdown,
            )
        finally:
            os.chdir(here)


def _block(kind: str, code: str, space: dict[str, Any], name: str, here: Path) -> str:
    try:
        shown = _python(code, space, name) if kind == "python" else None
        return (
            f"```{kind}\n{code}```\n{shown}"
            if shown is not None
            else _console(code, here)
        )
    except Exception as error:
        raise Failed(
            f"{name}: this block failed ({type(error).__name__}: {error}):\n{code}"
        ) from error


def _python(code: str, space: dict[str, Any], name: str) -> str:
    tree = ast.parse(code, filename=name)
    last = (
        tree.body.pop() if tree.body and isinstance(tree.body[-1], ast.Expr) else None
    )
    said = io.StringIO()
    value = None
    with contextlib.redirect_stdout(said):
        exec(compile(tree, name, "exec"), space)
        if last is not None:
            value = eval(compile(ast.Expression(last.value), name, "eval"), space)
    shown = ""
    if value is not None:
        html = getattr(value, "_repr_html_", None)
        if html is not None and type(value).__module__.startswith("tacit"):
            # one line: Markdown ends raw HTML at an empty one
            shown = f"\n{' '.join(html().split())}\n"
        else:
            said.write(f"{value!r}\n")
    text = said.getvalue().rstrip()
    return (f"\n```text\n{text}\n```\n" if text else "") + shown


def _console(code: str, here: Path) -> str:
    out = []
    source = here / "src"
    path = os.pathsep.join(
        filter(
            None,
            [str(source) if source.is_dir() else "", os.environ.get("PYTHONPATH", "")],
        )
    )
    environment = {**os.environ, "PYTHONPATH": path, "COLUMNS": "110"}
    lines = code.replace("\\\n", "\x00").splitlines()
    for line in lines:
        if not line.startswith("$ tacit"):
            continue  # old output is replaced
        words = shlex.split(line[2:].replace("\x00", " "))
        done = subprocess.run(
            [sys.executable, "-m", *words],
            env=environment,
            capture_output=True,
            text=True,
            timeout=600,
            check=False,
        )
        if done.returncode not in (0, 1):
            raise Failed(done.stderr.strip())
        out.append(line.replace("\x00", "\\\n") + "\n" + done.stdout)
    return "```console\n" + "\n".join(out).rstrip() + "\n```"


if __name__ == "__main__":
    for given in sys.argv[1:]:
        text = Path(given).read_text(encoding="utf-8")
        print(run(text, given))
