"""What stands in a file never steers the terminal: names of columns, values, names of files.

``\\x1b]52;c;...`` sets the clipboard, C1 begins the same in one letter, and marks of direction let
a name look like another.
"""

from __future__ import annotations

import io
import json
import os
import re
import subprocess
import sys
import warnings
from pathlib import Path
from typing import Any

import pytest
from rich.table import Table
from rich.text import Text

from cli.test_bad_input import ENV
from tacit.base.errors import InputError
from tacit.base.visible import escaped, visible
from tacit.cli import main, terminal
from tacit.cli.screen import Screen

CLIPBOARD = "\x1b]52;c;aGk=\x07"
BAD = f"age{CLIPBOARD}\x9b2J\u202e\x7f"
UNSEEN = re.compile(
    "[\x00-\x08\x0b-\x1f\x7f-\x9f\u200e\u200f\u202a-\u202e\u2066-\u2069]"
)


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    rows = [
        f"{20 + i % 9},{'abc'[i % 3]}\x1b[31m,{100.5 + 7 * i % 90:.1f}"
        for i in range(40)
    ]
    content = "\n".join([f"{BAD},town\x1b]0;x\x07,income", *rows]) + "\n"
    (tmp_path / f"in{CLIPBOARD}.csv").write_text(content)
    (tmp_path / "schema.toml").write_text(
        '[columns."no\\u001b[2Jne"]\nrole = "quasi"\n'
    )
    monkeypatch.chdir(tmp_path)
    return tmp_path


FILE = f"in{CLIPBOARD}.csv"
COMMANDS = [
    ["schema", FILE],
    ["risk", FILE],
    ["assess", FILE, FILE, "--aligned", "--attackers", "nearest"],
    ["hierarchy", FILE, "town\x1b]0;x\x07"],
    ["protect", FILE, "out.csv", "--method", "noise", "--quasi", "income"],
    ["protect", FILE, "out.csv", "--method", "noise", "--quasi", f"no{BAD}"],
    ["risk", FILE, "--schema", "schema.toml"],
    ["schema", f"missing{BAD}.csv"],
    ["methods", f"no{BAD}"],
    ["schema", FILE, "--json"],
]


@pytest.mark.parametrize("words", COMMANDS, ids=lambda words: words[0])
@pytest.mark.usefixtures("folder")
@pytest.mark.filterwarnings("always")
def test_no_command_lets_a_file_steer(
    words: list[str], monkeypatch: pytest.MonkeyPatch, capsys: Any
) -> None:
    monkeypatch.setattr("sys.argv", ["tacit", *words])
    monkeypatch.setattr(warnings, "formatwarning", warnings.formatwarning)
    with pytest.raises(SystemExit) as ended:
        main()
    said = capsys.readouterr()
    assert ended.value.code in (0, 1, 2, None)
    assert said.out + said.err
    assert not UNSEEN.findall(said.out + said.err)
    if "--json" in words:
        assert BAD in json.loads(said.out)["columns"]


def test_the_whole_program_over_a_pipe(folder: Path) -> None:
    """Whatever library writes to standard error."""
    words = [sys.executable, "-m", "tacit", "protect", FILE, "out.csv", "--method", BAD]
    done = subprocess.run(words, capture_output=True, env=ENV, cwd=folder)
    assert done.returncode == 2
    assert b"\x1b" not in done.stderr
    assert b"\xc2\x9b" not in done.stderr


def test_colours_of_the_program_stay_and_those_of_the_data_go() -> None:
    out = io.StringIO()
    table = Table(f"name {BAD}")
    table.add_row(Text.assemble(("not safe", "bold red"), " \x1b[32msafe\x1b[0m"))
    Screen(file=out, force_terminal=True, width=80, color_system="standard").print(
        table, f"a sentence {BAD}"
    )
    text = out.getvalue()
    assert "\x1b[1;31mnot safe" in text
    assert "\x1b[32m" not in text
    assert CLIPBOARD not in text
    assert not re.search("[\x9b\u202e\x07]", text)


def test_standard_error_is_clean_and_a_screen_may_steer_it() -> None:
    read, write = os.pipe()
    usual = io.TextIOWrapper(io.FileIO(write, "w"), encoding="utf-8")
    clean = terminal._Sentences(usual)
    print(f"a {BAD}", file=clean)
    Screen(file=clean, force_terminal=True, color_system="standard").print(
        Text("red", "red")
    )
    usual.flush()
    content = os.read(read, 10_000).decode()
    assert content.startswith(f"a {visible(BAD)}\n")
    assert "\x1b[31mred" in content
    usual.close()
    os.close(read)


def test_sentences_are_visible_and_json_loses_nothing() -> None:
    assert str(InputError(f"column {BAD}: no")) == f"column {visible(BAD)}: no"
    assert not UNSEEN.search(visible(BAD))
    assert visible("Zürich\t1\n\u200d") == "Zürich\t1\n\u200d"
    text = escaped(json.dumps([BAD], ensure_ascii=False))
    assert not UNSEEN.search(text)
    assert json.loads(text) == [BAD]
