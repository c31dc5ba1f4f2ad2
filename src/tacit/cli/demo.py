"""``tacit demo``: the main job on embedded data, in under a minute."""

from __future__ import annotations

from typing import Annotated, Any

import typer

from tacit.cli import shared

RECORDS = 2000
UNSAFE = 0.05
"""The demo calls a release unsafe when the strongest attacker names more than this share of records correctly."""


def demo(
    seed: Annotated[int, typer.Option(help="Seed of the data and of the masking.")] = 1,
    as_json: shared.AsJson = False,
) -> None:
    """Make 2,000 census-like records, protect them in three ways, attack each release, and print what was found.

    Example:

      tacit demo
    """
    rows: list[dict[str, Any]] = []
    with shared.progress("demo") as progress:
        for row in releases(seed, progress):
            rows.append(row)
    if as_json:
        shared.emit({"records": RECORDS, "releases": rows})
    else:
        show(rows)


def releases(seed: int, progress: Any) -> list[dict[str, Any]]:
    """Protect, attack, measure: the calls that a user would write."""
    import tacit as tc

    original = tc.datasets.make_census(RECORDS, seed=seed)
    protectors = [
        ("noise", "percent=15", tc.protect.Noise(percent=15, random_state=seed)),
        ("rank swapping", "p=5", tc.protect.RankSwapping(p=5, random_state=seed)),
        ("microaggregation", "k=25", tc.protect.Microaggregation(k=25)),
    ]
    rows = []
    for number, (method, told, protector) in enumerate(protectors):
        progress(method, number, len(protectors))
        masked = protector.fit_transform(original)
        result = tc.assess(original, masked, attackers=["nearest", "assignment"], risks=[], losses=["PIL"])
        nearest, assignment = result.attacks["nearest"], result.attacks["assignment"]
        rows.append(
            {
                "method": method,
                "parameters": told,
                "nearest": nearest.correct,
                "assignment": assignment.correct,
                "chance": assignment.chance * result.records,
                "loss": result.loss["PIL"].value,
                "rate": max(nearest.rate, assignment.rate),
                "interval": list(max((nearest, assignment), key=lambda link: link.rate).interval),
            }
        )
    return rows


def verdict(row: dict[str, Any]) -> str:
    """One line: is it safe, against whom, by how much."""
    low, high = row["interval"]
    share = f"names {row['rate']:.1%} of the records correctly (95 % interval {low:.1%} to {high:.1%})"
    if row["rate"] > UNSAFE:
        return f"[bold red]NOT SAFE[/]  the stronger attacker {share}"
    return f"[bold green]under {UNSAFE:.0%}[/]  the stronger attacker {share}"


def show(rows: list[dict[str, Any]]) -> None:
    """The table, then a verdict for each release."""
    from rich.table import Table

    out = shared.console()
    table = Table(title=f"Three releases of {RECORDS:,} census-like records (13 income columns)", title_justify="left")
    headings = ("method", "parameters", "links, nearest", "links, assignment", "links, chance", "information loss")
    for position, heading in enumerate(headings):
        table.add_column(heading, justify="left" if position < 2 else "right")
    for row in rows:
        table.add_row(
            row["method"],
            row["parameters"],
            f"{row['nearest']:,.1f}",
            f"{row['assignment']:,.1f}",
            f"{row['chance']:.1f}",
            f"{row['loss']:.3f}",
        )
    out.print(table)
    out.print(
        "Links: records that the attacker names correctly, ties shared. The intruder knows all 13 columns of the\n"
        "original, but not the method. Information loss: PIL, from 0 (none) to 1.\n"
    )
    for row in rows:
        out.print(f"{row['method']:<17} {verdict(row)}")
    out.print(
        "\nNext: tacit protect FILE RELEASE --method microaggregation --set k=5\n"
        "then: tacit assess FILE RELEASE        or in the browser: tacit app"
    )


def register(app: typer.Typer) -> None:
    """Add the command."""
    app.command()(demo)
