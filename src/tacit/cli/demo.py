"""``tacit demo``: the main job on embedded data, in under a minute."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated, TypedDict

import typer
from rich.text import Text

from tacit.cli import options as shared
from tacit.cli.tables import Head, print_table

if TYPE_CHECKING:
    from tacit.base.typing import Progress

# `tacit --help` imports this file. What loads numpy, pyarrow or scikit-learn is therefore imported
# inside the command that needs it.

# Few enough that the demo ends in under a minute.
RECORDS = 2000
UNSAFE = 0.05
"""A release is called unsafe when an attacker names more than this share of records correctly."""

ATTACKERS = ("nearest", "assignment", "pairing")


class Release(TypedDict):
    """One protected file: how it was made, what attackers found, what was lost."""

    method: str
    parameters: str
    nearest: float
    assignment: float
    pairing: float
    chance: float
    loss: float
    rate: float
    interval: list[float]
    verdict: str


def demo(
    seed: Annotated[
        int,
        typer.Option(
            help="Seed of the made-up people and of their masking; nothing is released."
        ),
    ] = 1,
    as_json: shared.AsJson = False,
) -> None:
    """Make 2,000 census-like records, protect them in three ways, attack each release.

    Example:

      tacit demo
    """
    with shared.progress("demo") as progress:
        rows = releases(seed, progress)
    if as_json:
        shared.emit({"records": RECORDS, "releases": rows})
    else:
        show(rows)


def releases(seed: int, progress: Progress) -> list[Release]:
    """Protect, attack, measure: the calls that a user would write."""
    import tacit as tc

    original = tc.Microdata.of(tc.datasets.make_census(RECORDS, seed=seed))
    protectors = [
        ("noise", "percent=15", tc.protect.Noise(percent=15, random_state=seed)),
        ("rank swapping", "p=5", tc.protect.RankSwapping(p=5, random_state=seed)),
        ("microaggregation", "k=25", tc.protect.Microaggregation(k=25)),
    ]
    rows: list[Release] = []
    for number, (method, parameters, protector) in enumerate(protectors):
        progress(method, number, len(protectors))
        masked = protector.fit_transform(original)
        result = tc.assess(
            original,
            masked,
            # these and no others: the table shows what they find
            attackers={name: tc.attack.registry[name]() for name in ATTACKERS},
            risks=[],
            losses=["PIL"],
        )
        links = {name: result.attacks[name] for name in ATTACKERS}
        # The verdict is about the attacker who finds most.
        strongest = max(links.values(), key=lambda link: link.rate)
        rows.append(
            {
                "method": method,
                "parameters": parameters,
                "nearest": links["nearest"].correct,
                "assignment": links["assignment"].correct,
                "pairing": links["pairing"].correct,
                "chance": strongest.chance * result.records,
                "loss": result.loss["PIL"].value,
                "rate": strongest.rate,
                "interval": list(strongest.interval),
                "verdict": str(result.attacked_verdict(UNSAFE).state),
            }
        )
    return rows


def verdict(row: Release) -> Text:
    """One line: is it safe, against whom, by how much."""
    low, high = row["interval"]
    share = (
        f"  the strongest attacker names {row['rate']:.1%} of the records correctly "
        f"(95 % interval {low:.1%} to {high:.1%})"
    )
    if row["verdict"] != "safe":
        return Text.assemble((row["verdict"].upper(), "bold red"), share)
    return Text.assemble((f"under {UNSAFE:.0%}", "bold green"), share)


def show(rows: list[Release]) -> None:
    """A verdict for each release, then the table."""
    out = shared.console()
    for row in rows:
        out.print(Text.assemble(f"{row['method']}: ", verdict(row)))
    out.print()
    heads = [
        Head("method"),
        Head("parameters"),
        Head("nearest", number=True),
        Head("assignment", number=True),
        Head("pairing", number=True),
        Head("chance", number=True, spare=2),
        Head("loss (PIL)", number=True, spare=1),
    ]
    lines = [
        [
            row["method"],
            row["parameters"],
            f"{row['nearest'] / RECORDS:.1%}",
            f"{row['assignment'] / RECORDS:.1%}",
            f"{row['pairing'] / RECORDS:.1%}",
            f"{row['chance'] / RECORDS:.2%}",
            f"{row['loss']:.3f}",
        ]
        for row in rows
    ]
    title = f"Three releases of {RECORDS:,} census-like records (13 income columns)"
    print_table(out, title, heads, lines)
    out.print(
        "Columns of attackers: share of the records that each names correctly, ties shared. "
        "The intruder knows all 13 columns of the original, but not the method; 'pairing' "
        "undoes exchanges of values. Loss: PIL, from 0 (none) to 1.\n"
    )
    out.print("Next: tacit risk FILE, then")
    out.print("tacit protect FILE RELEASE --method microaggregation --set k=5, then")
    out.print("tacit assess FILE RELEASE --plan RELEASE.manifest.json;")
    out.print("or in the browser: tacit app")


def register(app: typer.Typer) -> None:
    """Add the command."""
    app.command()(demo)
