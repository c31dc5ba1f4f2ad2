"""Tables fit the terminal from 60 to 200 columns: no line is longer, no word is lost."""

from __future__ import annotations

import io
import json
from pathlib import Path

import pytest
from rich.console import Console

import tacit as tc
from cli.test_compare_command import folder, tacit
from tacit.cli.tables import Head, print_table

__all__ = ["folder"]

WIDTHS = (60, 80, 120, 200)
COMMANDS = {
    "assess": ["assess", "in.csv", "in.csv", "--aligned", "--attackers", "nearest"],
    "methods": ["methods"],
    "risk": ["risk", "people.csv", "--quasi", "region,dwelling,water,sex"],
    "compare": [
        *["compare", "in.csv", "--plans", "plans.toml", "--workers", "1"],
        *["--seeds", "1", "--bound", "1", "--attackers", "nearest"],
    ],
}


@pytest.mark.few(2)
@pytest.mark.parametrize("command", list(COMMANDS))
def test_no_line_is_longer_than_the_terminal(
    folder: Path, monkeypatch: pytest.MonkeyPatch, command: str
) -> None:
    tc.write(tc.datasets.make_households(40, seed=1), folder / "people.csv")
    for width in WIDTHS:
        monkeypatch.setenv("COLUMNS", str(width))
        done = tacit(*COMMANDS[command])
        assert done.exit_code in (0, 2), done.output
        lines = done.stdout.splitlines()
        longest = max(lines, key=len)
        assert len(longest) <= width, (width, longest)
        # nothing is cut: an ellipsis would be the sign of it
        assert "…" not in done.stdout


@pytest.mark.parametrize("width", WIDTHS)
def test_every_letter_is_there_or_its_column_is_named(width: int) -> None:
    heads = [
        Head("plan"),
        Head("risk", number=True),
        Head("interval", number=True, spare=1),
        Head("seconds", number=True, spare=2),
        Head("why"),
    ]
    rows = [
        [
            "microaggregation-with-a-name-that-is-longer-than-any-column-is-wide",
            "12.345 %",
            "10.000 % to 14.000 %",
            "1,234.56",
            "because of words and words and words",
        ],
    ]
    out = Console(width=width, record=True, file=io.StringIO())
    print_table(out, "A table", heads, rows)
    text = out.export_text()
    assert max(map(len, text.splitlines())) <= width
    for place, head in enumerate(heads):
        cell = rows[0][place]
        if f"No room for: {head.name}" in text or f", {head.name}" in text:
            assert head.spare
        elif head.number:
            assert cell in text
        else:
            shown = set(text.split())
            assert all(word in shown or len(word) > 16 for word in cell.split())
    # alone in its table, the long name goes on below itself
    again = Console(width=width, record=True, file=io.StringIO())
    print_table(again, "", heads[:1], [row[:1] for row in rows])
    assert rows[0][0] in "".join(again.export_text().split())


def test_methods_are_described_by_whole_sentences(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """A docstring's first line may end in the middle of a clause; 'tacit methods' shows more."""
    monkeypatch.setenv("COLUMNS", "200")
    said = tacit("methods", "--json").stdout
    for entries in json.loads(said).values():
        for name, sentence in entries.items():
            assert sentence.endswith((".", ")", "?")), (name, sentence)
