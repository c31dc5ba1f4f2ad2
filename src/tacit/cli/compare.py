"""``tacit compare``: many plans on one file, the map of risk and loss, and the plan to take."""

from __future__ import annotations

import shlex
import time
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer
from rich.text import Text

from tacit.base.errors import ParameterError
from tacit.base.stopping import Stop
from tacit.cli import clock, own_files
from tacit.cli import options as shared
from tacit.cli.progress import INTERRUPTED
from tacit.cli.tables import Head, print_table

if TYPE_CHECKING:
    from tacit.compare.frontier import Frontier
    from tacit.data.microdata import Microdata

# `tacit --help` imports this file. What loads numpy, pyarrow or scikit-learn is therefore imported
# inside the command that needs it.

# Plans on the terminal: what fits on one screen or two; --json has all.
ROWS = 40
SHORTEST = 0.01
"""Seconds of a search that begins when its time is over: it ends at once, and says so."""
ENDING = 0.05
"""Share of a budget that is kept for showing the answer and ending the worker processes."""
LONGEST_ENDING = 3.0
"""Seconds of it at the most."""
# A time may end with a unit; without one it is in seconds.
UNITS = {"s": 1, "m": 60, "h": 3600}


@shared.with_roles
def compare(
    context: typer.Context,
    source: Annotated[
        Path,
        typer.Argument(
            metavar="IN",
            help="The file to protect, a folder of Parquet files, or table:NAME.",
        ),
    ],
    plans: Annotated[Path, typer.Option(help="Plans with ranges (TOML).")],
    budget: Annotated[
        str | None,
        typer.Option(
            help="Search for this long instead of running every plan: 90s, 10m, 1h."
        ),
    ] = None,
    bound: Annotated[
        float, typer.Option(help="The risk that is still acceptable.")
    ] = 0.05,
    seeds: Annotated[
        int,
        typer.Option(help="How often a plan that draws random numbers is repeated."),
    ] = 3,
    seed: Annotated[
        int | None,
        typer.Option(
            help="Same seed, same figures; drawn unless given. Nothing is released here.",
            min=0,
        ),
    ] = None,
    risk: Annotated[
        str, typer.Option(help="'strongest attack', or a risk measure.")
    ] = "strongest attack",
    loss: Annotated[str, typer.Option(help="The loss measure of the map.")] = "IL",
    attackers: Annotated[
        str, typer.Option(help="Attackers to run. a,b,c")
    ] = "nearest,assignment",
    informed: Annotated[
        bool,
        typer.Option(
            "--informed/--uninformed",
            help="Does the intruder know the plan? The worst case does.",
        ),
    ] = True,
    workers: Annotated[
        int | None, typer.Option(help="Processes (all cores unless given).")
    ] = None,
    resume: Annotated[
        Path | None,
        typer.Option(
            help="Keep finished runs in this file, and do not run them again."
        ),
    ] = None,
    json_file: shared.JsonFile = None,
    html: Annotated[
        Path | None,
        typer.Option(help="Write the comparison: one file that opens offline."),
    ] = None,
    svg: Annotated[
        Path | None, typer.Option(help="Write the risk-utility map as SVG.")
    ] = None,
    save_plan: Annotated[
        Path | None, typer.Option(help="Write the recommended plan to this file.")
    ] = None,
    memory: shared.Memory = None,
    engine: shared.Engine = None,
    schema: shared.SchemaFile = None,
    encoding: shared.Encoding = None,
    force: shared.Force = False,
    *,
    roles: shared.Roles,
) -> None:
    """Run many plans: what each risks and loses, which are beaten by none, and which to take.

    Of a file that is larger than memory, plans are run on a sample: whole households, persons or
    records. The answer says so, no plan is recommended (exit code 2), and the commands are named
    that protect and assess the whole file with the plan that looks best.

    Examples:

      tacit compare survey.csv --plans plans.toml --html map.html

      tacit compare survey.csv --plans plans.toml --budget 10m --save-plan best.toml

      tacit compare survey.csv --plans plans.toml --resume runs.jsonl --bound 0.01

      tacit compare survey-by-year --plans plans.toml --memory 4GB --budget 10m
    """
    start = clock.began()
    from tacit.compare.comparison import compare as run
    from tacit.data import io

    # The comparison may run for an hour: an output that cannot be written is refused before it.
    inputs = {"IN": source, "--plans": plans, "--schema": schema}
    # the journal of finished runs is read and written
    own_files.refuse_collisions(inputs, {"--resume": resume})
    own_files.refuse(
        inputs={**inputs, "--resume": resume},
        outputs={
            "--json": json_file,
            "--html": html,
            "--svg": svg,
            "--save-plan": save_plan,
        },
        force=force,
    )
    place = shared.place_for(context, source, json_file or source, memory, engine)
    data = shared.read(source, schema, encoding, roles, place)
    sampled_of = None
    if not data.in_memory and place is not None:
        data, sampled_of = _sampled(data, place.limit, workers)
    stop = Stop()
    with shared.progress("comparing", stop) as progress:
        frontier = run(
            data,
            plans,
            budget=None if budget is None else _left(seconds(budget), start),
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
            stop=stop,
            sampled_of=sampled_of,
        )
    if budget is not None and not stop.asked and frontier.records_seen == 0:
        # an empty map would be in the way of the next try
        raise ParameterError(
            f"--budget {budget}: no plan had ended on {data.n:,} records when the time was over, "
            "so there is nothing to compare and nothing was written; give more time, fewer plans, "
            "or the attacker nearest alone (--attackers nearest)"
        )
    shared.show_or_write(frontier, show, json_file, force=force)
    if svg is not None:
        with io.replacing(svg, force=force) as temporary:
            temporary.write_text(frontier.to_svg(), encoding="utf-8")
    if html is not None:
        frontier.to_html(html, force=force)
    if stop.asked:
        go_on = "" if resume is None else " Run it again to go on from there."
        shared.tell(f"Stopped: the plans above had ended, none is recommended.{go_on}")
        raise typer.Exit(INTERRUPTED)
    if sampled_of is not None:
        _say_full_run(frontier, source, memory, engine)
    if frontier.recommended is None:
        # No plan keeps the bound: a script must not go on as if there were one.
        raise typer.Exit(2)
    if save_plan is not None:
        frontier.recommended.plan.save(save_plan, force=force)


def _sampled(data: Microdata, limit: int, workers: int | None) -> tuple[Microdata, int]:
    """A sample that fits in memory as often as it is held, and how many records there are."""
    from tacit.compare.comparison import cores
    from tacit.scale.sample import fitting, sample

    number = workers or cores()
    most = fitting(limit, len(data.names), number)
    some = sample(data, most)  # type: ignore[arg-type]  # it is not in memory
    shared.tell(
        f"Comparing on a SAMPLE of {some.n:,} of {data.n:,} records: what is safe there need not "
        "be safe in the file, so no plan will be recommended."
    )
    return some, data.n


def _say_full_run(
    frontier: Frontier, source: Path, memory: str | None, engine: str | None
) -> None:
    """The commands that protect and attack the whole file with the plan that looks best."""
    best = frontier.candidate
    if best is None:
        return
    how = ["--memory", memory] if memory is not None else []
    how += ["--engine", engine] if engine is not None else []
    protect = ["tacit", "protect", str(source), "release.parquet"]
    assess = ["tacit", "assess", str(source), "release.parquet", "--plan"]
    shared.tell("The whole file: save this as plan.toml,")
    shared.tell(best.plan.without_seeds().to_toml())
    shared.tell("then " + shlex.join([*protect, "--plan", "plan.toml", *how]))
    shared.tell("and " + shlex.join([*assess, "release.parquet.manifest.json", *how]))


def _left(budget: float, start: float) -> float:
    """What loading the library and reading the file have left of the time; none is no time.

    Showing the answer and ending the worker processes take a little, too.
    """
    spent = time.perf_counter() - start
    ending = min(ENDING * budget, LONGEST_ENDING)
    return max(budget - spent - ending, min(budget, SHORTEST))


def seconds(text: str) -> float:
    """'90', '90s', '10m', '1.5h' -> seconds."""
    unit = text[-1:]
    number = text[:-1] if unit in UNITS else text
    try:
        return float(number) * UNITS.get(unit, 1)
    except ValueError:
        raise ParameterError(
            f"--budget {text}: write a time such as 90s, 10m or 1h"
        ) from None


def show(frontier: Frontier) -> None:
    """The comparison on the terminal: which plan to take, then all of them.

    In the table those on the frontier come first, then the others by score.
    """
    _say_which(frontier)
    out = shared.console()
    computing = frontier.settings["computing_seconds"]
    heads = [
        Head(""),
        Head("plan"),
        Head(f"risk ({frontier.risk_name})", number=True),
        Head("95 % interval", number=True, spare=1),
        Head(f"loss ({frontier.loss_name})", number=True),
        Head("score", number=True, spare=2),
        Head("attacker", spare=3),
    ]
    rows = frontier.table
    lines: list[list[str | Text]] = []
    failed: list[tuple[str, str, str]] = []
    for row in rows[:ROWS]:
        if row.get("failed") and row["risk"] is None:
            failed.append((row["name"], "did not run", row["failed"]))
            continue
        mark = ">" if row["recommended"] else "*" if row["frontier"] else ""
        if row["verdict"] == "not assessed" and not row.get("late"):
            why = row.get("unknown") or row.get("failed") or "no attack was run"
            failed.append((row["name"], "not assessed", why))
            continue
        low, high = row["risk_interval"]
        # Without repetitions there is nothing to make an interval of.
        interval = f"{low:.2%} to {high:.2%}" if high > low else "one run"
        figures = [f"{row['risk']:.2%}", interval, _number(row["loss"])]
        attacker = str(row["attacker"] or "")
        lines.append([mark, row["name"], *figures, _number(row["score"]), attacker])
    number = len(frontier.trials)
    plans = f"{number} plan{'' if number == 1 else 's'}"
    title = (
        f"{plans} on {frontier.records_seen:,} records, "
        f"{frontier.seconds:.0f} s ({computing:.0f} s of computing); * = beaten by none"
    )
    print_table(out, title, heads, lines)
    for name, what, why in failed:
        out.print(Text.assemble(name, " ", (what, "bold red"), f": {why}"))
    if len(rows) > ROWS:
        out.print(f"... and {len(rows) - ROWS} more plans (--json shows all)")
    for note in frontier.notes:
        shared.say(f"Note: {note}")


def _say_which(frontier: Frontier) -> None:
    """The plan to take and why, or that there is none and what to do next."""
    if frontier.recommended is not None:
        shared.say(f"Recommended: {frontier.recommended.name}")
    shared.say(f"Why: {frontier.why}")
    closest = frontier.closest
    if frontier.recommended is None and closest is not None:
        shared.say(f"Next: {frontier.verdict(closest).next_step}")


def _number(value: float | None) -> str:
    return "not computed" if value is None else f"{value:.4f}"


def register(app: typer.Typer) -> None:
    """Add the command."""
    app.command()(compare)
