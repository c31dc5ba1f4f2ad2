"""``tacit compare``: many plans on one file, the map of risk and loss, and the plan to take."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Any

import typer

from tacit.cli import shared


@shared.with_roles
def compare(
    source: Annotated[Path, typer.Argument(metavar="IN", help="The file to protect.")],
    plans: Annotated[Path, typer.Option(help="Plans with ranges (TOML).")],
    budget: Annotated[
        str | None, typer.Option(help="Search for this long instead of running every plan: 90s, 10m, 1h.")
    ] = None,
    bound: Annotated[float, typer.Option(help="The risk that is still acceptable.")] = 0.05,
    seeds: Annotated[int, typer.Option(help="How often a plan that draws random numbers is repeated.")] = 3,
    seed: Annotated[int, typer.Option(help="The first seed.")] = 0,
    risk: Annotated[str, typer.Option(help="'strongest attack', or a risk measure.")] = "strongest attack",
    loss: Annotated[str, typer.Option(help="The loss measure of the map.")] = "IL",
    attackers: Annotated[str, typer.Option(help="Attackers to run. a,b,c")] = "nearest,assignment",
    informed: Annotated[
        bool, typer.Option("--informed/--uninformed", help="Does the intruder know the plan? The worst case does.")
    ] = True,
    workers: Annotated[int | None, typer.Option(help="Processes (all cores unless given).")] = None,
    resume: Annotated[
        Path | None, typer.Option(help="Keep finished runs in this file, and do not run them again.")
    ] = None,
    json_file: shared.JsonFile = None,
    html: Annotated[Path | None, typer.Option(help="Write the comparison: one file that opens offline.")] = None,
    svg: Annotated[Path | None, typer.Option(help="Write the risk-utility map as SVG.")] = None,
    save_plan: Annotated[Path | None, typer.Option(help="Write the recommended plan to this file.")] = None,
    schema: shared.SchemaFile = None,
    encoding: shared.Encoding = None,
    force: shared.Force = False,
    *,
    roles: shared.Roles,
) -> None:
    """Run many plans and show what each risks and loses, which are beaten by none, and which to take.

    Examples:

      tacit compare survey.csv --plans plans.toml --html map.html

      tacit compare survey.csv --plans plans.toml --budget 10m --save-plan best.toml

      tacit compare survey.csv --plans plans.toml --resume runs.jsonl --bound 0.01
    """
    from tacit import io
    from tacit.compare import compare as run

    shared.refuse(json_file, html, svg, save_plan, force=force)
    data = shared.read(source, schema, encoding, roles)
    with shared.progress("comparing") as progress:
        found = run(
            data,
            plans,
            budget=None if budget is None else seconds(budget),
            bound=bound,
            seeds=seeds,
            seed=seed,
            risk=risk,
            loss=loss,
            attackers=shared.split(attackers),
            informed=informed,
            workers=workers,
            resume=resume,
            progress=progress,
        )
    shared.show_or_write(found, show, json_file, force=force)
    if svg is not None:
        with io.replacing(svg, force=force) as temporary:
            temporary.write_text(found.to_svg(), encoding="utf-8")
    if html is not None:
        found.to_html(html, force=force)
    if save_plan is not None and found.recommended is not None:
        found.recommended.plan.save(save_plan, force=force)
    if found.recommended is None:
        raise typer.Exit(2)


def seconds(text: str) -> float:
    """'90', '90s', '10m', '1.5h' -> seconds."""
    from tacit.errors import ParameterError

    units = {"s": 1, "m": 60, "h": 3600}
    number, unit = (text[:-1], units[text[-1]]) if text[-1:] in units else (text, 1)
    try:
        return float(number) * unit
    except ValueError:
        raise ParameterError(f"--budget {text}: write a time such as 90s, 10m or 1h") from None


ROWS = 40


def show(found: Any) -> None:
    """The comparison on the terminal: the frontier first, then the others by score."""
    from rich.table import Table

    out = shared.console()
    title = f"{len(found.trials)} plans on {found.records:,} records, {found.seconds:.0f} s "
    title += f"({found.settings['computing_seconds']:.0f} s of computing); * = beaten by none"
    table = Table(title=title, title_justify="left")
    for heading in ("", "plan", f"risk ({found.risk_name})", "95 % interval", f"loss ({found.loss_name})", "score"):
        table.add_column(heading, justify="left" if heading in ("", "plan") else "right")
    rows = found.table
    for row in rows[:ROWS]:
        mark = ">" if row["recommended"] else "*" if row["frontier"] else ""
        if row.get("failed") and row["risk"] is None:
            table.add_row("", row["name"], "[bold red]did not run[/]", row["failed"], "", "")
            continue
        low, high = row["risk_interval"]
        table.add_row(
            mark,
            row["name"],
            f"{row['risk']:.4f}" + (f" {row['attacker']}" if row["attacker"] else ""),
            f"{low:.4f} - {high:.4f}" if high > low else "one run",
            _number(row["loss"]),
            _number(row["score"]),
        )
    out.print(table)
    if len(rows) > ROWS:
        out.print(f"... and {len(rows) - ROWS} more plans (--json shows all)")
    for note in found.notes:
        shared.say(f"Note: {note}")
    if found.recommended is not None:
        shared.say(f"Recommended: {found.recommended.name}")
    shared.say(f"Why: {found.why}")


def _number(value: float | None) -> str:
    return "not computed" if value is None else f"{value:.4f}"


def register(app: typer.Typer) -> None:
    """Add the command."""
    app.command()(compare)
