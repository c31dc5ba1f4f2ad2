"""``tacit assess``: attack a release, measure its risk and its loss."""

from __future__ import annotations

import math
from collections.abc import Mapping
from contextlib import nullcontext
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer
from rich.console import Console
from rich.padding import Padding
from rich.text import Text

from tacit.base.errors import InputError, ParameterError
from tacit.base.stopping import Stop
from tacit.cli import assess_costs, computing, own_files, two_files
from tacit.cli import options as shared
from tacit.cli.progress import INTERRUPTED
from tacit.cli.tables import Head, print_table

if TYPE_CHECKING:
    from tacit.assess.assessment import Assessment, Failure
    from tacit.base.measure import Measure
    from tacit.scale.kept_parts import KeptParts

# `tacit --help` imports this file. What loads numpy, pyarrow or scikit-learn is therefore imported
# inside the command that needs it.

DID_NOT_RUN = Text("did not run", "bold red")


@shared.with_roles
def assess(
    context: typer.Context,
    original: Annotated[
        Path, typer.Argument(metavar="ORIGINAL", help="The file before protection.")
    ],
    masked: Annotated[Path, typer.Argument(metavar="MASKED", help="The release.")],
    plan: Annotated[
        Path | None,
        typer.Option(
            help="The manifest (or plan) of the release: the intruder knows the method."
        ),
    ] = None,
    attackers: Annotated[
        str | None,
        typer.Option(help="Attackers to run. a,b,c ('tacit methods' lists them)"),
    ] = None,
    json_file: shared.JsonFile = None,
    html: Annotated[
        Path | None, typer.Option(help="Write the report: one file that opens offline.")
    ] = None,
    records: Annotated[
        Path | None,
        typer.Option(
            help="Write the risk of every record to this file, to treat records by."
        ),
    ] = None,
    external: Annotated[
        bool,
        typer.Option(
            "--external",
            help="Report and JSON in bands, without what helps an intruder.",
        ),
    ] = False,
    fail_above: Annotated[
        float | None,
        typer.Option(
            metavar="RATE",
            help="Exit with 1 unless every attack stays below this rate, at the upper end of its "
            "interval, nobody is far worse off, and nothing in the release is raw.",
        ),
    ] = None,
    key: shared.Key = None,
    aligned: shared.Aligned = False,
    threshold: Annotated[
        list[str] | None,
        typer.Option(
            help="A threshold of the verdict: name=value, or attack=value; repeat for more."
        ),
    ] = None,
    model: Annotated[
        list[str] | None,
        typer.Option(
            help="A regression to compare before and after: 'y ~ a + b'; repeat for more."
        ),
    ] = None,
    target: Annotated[
        str | None, typer.Option(help="The column that the classifier predicts.")
    ] = None,
    release_as_is: Annotated[
        str | None,
        typer.Option(
            help="Columns of the release alone that may leave although no attack can compare them "
            "with the original. a,b,c"
        ),
    ] = None,
    resume: Annotated[
        bool,
        typer.Option(
            "--resume",
            help="Keep finished attacks and measures in OUT.work beside --json or --html, and go "
            "on from them if the same command was stopped or killed before.",
        ),
    ] = False,
    dry_run: Annotated[
        bool,
        typer.Option(
            "--dry-run",
            help="Only say what it would cost and what would not run. Nothing is attacked.",
        ),
    ] = False,
    schema: shared.SchemaFile = None,
    encoding: shared.Encoding = None,
    memory: shared.Memory = None,
    engine: shared.Engine = None,
    force: shared.Force = False,
    *,
    roles: shared.Roles,
) -> None:
    """Attack MASKED as an intruder who knows ORIGINAL would, and measure what was lost.

    Roles and kinds of columns come from --schema, or from the manifest given as --plan, or are
    guessed; options such as --quasi change them. The manifest also says whose record each row
    of MASKED is: rows are shuffled when a release is written.

    Examples:

      tacit assess survey.csv release.csv --plan release.csv.manifest.json --html report.html

      tacit assess survey.csv release.csv --plan release.csv.manifest.json --fail-above 0.05

      tacit assess survey.csv made-elsewhere.csv --key id --json -

      tacit assess survey.csv made-elsewhere.csv --aligned --model "income ~ age + hours"

      tacit assess survey.parquet release.parquet --plan release.parquet.manifest.json --memory 4GB

      tacit assess big.parquet out.parquet --plan out.parquet.manifest.json --html a.html --resume
    """
    from tacit.assess import exposure
    from tacit.assess.assessment import assess as run
    from tacit.data import io
    from tacit.plan import manifest

    # Attacks may take minutes: an output that cannot be written is refused before them.
    own_files.refuse(
        inputs={
            "ORIGINAL": original,
            "MASKED": masked,
            "--plan": plan,
            "--schema": schema,
        },
        outputs={"--json": json_file, "--html": html, "--records": records},
        force=force,
    )
    record = manifest.load(plan) if plan and plan.suffix == ".json" else None
    described = None if record is None else manifest.schema_of(record, str(plan))
    names = None if attackers is None else shared.split(attackers)
    if dry_run:
        assess_costs.say(
            (original, masked),
            plan,
            names,
            memory,
            engine,
            (schema or described, encoding, roles),
            json_file,
            force,
        )
        return
    parts = None
    if resume:
        parts = _parts(
            context,
            (original, masked),
            (json_file, html),
            {
                "plan": None if plan is None else plan.read_text(encoding="utf-8"),
                "schema": None
                if schema is None
                else schema.read_text(encoding="utf-8"),
                "encoding": encoding,
                "roles": roles,
                "attackers": names,
                "rows": [key, aligned],
                "options": [model, target],
            },
        )
    held = assess_costs.held_in_memory(
        (original, masked),
        (schema or described, encoding, roles),
        partial(assess_costs.panel_of, names, plan),
    )
    # pieces of both files are written beside the release
    place = shared.place_for(
        context, original, masked, memory, engine, files=2, held=held
    )
    before, after = two_files.read(
        (original, masked), (schema or described, encoding, roles), place, record, key
    )
    if fail_above is not None and not 0 <= fail_above <= 1:
        raise InputError(
            f"--fail-above {fail_above} is not a rate; give a number from 0 to 1"
        )
    limits = _limits(threshold)
    options: dict[str, dict[str, object]] = {}
    if model:
        options["regression"] = {"models": model}
    if target:
        options["classifier"] = {"target": target}
    stop = Stop()
    # from the disk, what a part frees is for the next part, which may be another process
    kept = computing.all_held() if place is None else nullcontext()
    with kept, shared.progress("assessing", stop) as progress:
        result = run(
            before,
            after,
            plan=plan,
            done=two_files.done(record, plan, place, memory),
            truth="rows" if aligned and key is None else None,
            key=key,
            attackers=names,
            thresholds=limits,
            options=options,
            progress=progress,
            stop=stop,
            memory=None if place is None else place.limit,
            parts=parts,
            release_as_is=shared.split(release_as_is or ""),
        )
    if parts is not None and stop.asked:
        typer.echo(
            f"Stopped: the same command goes on from {parts.kept.folder}.", err=True
        )
        raise typer.Exit(INTERRUPTED)
    # files first: whoever pipes the tables into `head` ends the command in the middle of them
    if records is not None:
        io.write(exposure.table(result), records, force=force)
    if html is not None:
        result.to_html(html, external=external, force=force, manifest=record)
    content = _published if external else None
    shared.show_or_write(result, show, json_file, force=force, content=content)
    if parts is not None:
        parts.kept.finished = True
        if parts.kept.taken:
            shared.tell(f"{parts.kept.taken} parts of an earlier run were kept.")
    if stop.asked:
        typer.echo("Stopped: the tables above are what was known by then.", err=True)
        raise typer.Exit(INTERRUPTED)
    if place is not None and place.on_disk:
        assess_costs.say_how_far_off(result, original, masked, place.limit)
    if fail_above is None:
        return
    # What did not run is not zero: a failed attack fails the release, too.
    verdict = result.attacked_verdict(fail_above)
    if verdict.state != "safe":
        typer.echo(f"--fail-above {fail_above:g}: {verdict}", err=True)
        raise typer.Exit(1)


def _parts(
    context: typer.Context,
    files: tuple[Path, Path],
    outputs: tuple[Path | None, Path | None],
    request: dict[str, object],
) -> KeptParts:
    """Where finished parts are kept, until the command has written what it was asked for."""
    from tacit.scale.kept_parts import kept_parts

    written = [path for path in outputs if path is not None and str(path) != "-"]
    if not written:
        raise ParameterError(
            "--resume keeps finished parts beside the result; name it (--json FILE or --html FILE)"
        )
    parts: KeptParts = context.with_resource(kept_parts(files, written[0], request))
    if parts.kept.goes_on:
        shared.tell(f"Going on from {parts.kept.folder}.")
    return parts


def _published(result: Assessment) -> dict[str, object]:
    """What an external JSON holds."""
    from tacit.report.external import published

    return published(result)


def _limits(pairs: list[str] | None) -> dict[str, float]:
    """The thresholds by name; each is a number."""
    limits: dict[str, float] = {}
    for name, value in shared.settings(pairs).items():
        is_number = isinstance(value, int | float) and not isinstance(value, bool)
        if not is_number or not value >= 0:
            raise InputError(
                f"--threshold {name}={value}: a threshold is a number, zero or more; "
                "write name=value, for example attack=0.05"
            )
        limits[name] = value
    return limits


def show(result: Assessment) -> None:
    """The assessment on the terminal: verdict, why and what to do, then what it rests on."""
    out = shared.console()
    _print_verdict(out, result)
    out.print(f"Score: {result.score}\n")
    _print_attacks(out, result)
    for title, measures in (("Risk", result.risk), ("Loss", result.loss)):
        if measures:
            _print_measures(out, title, measures)
    _print_evidence(out, result)


def _called(name: str) -> str:
    """The title that the report has, and the name that options take."""
    from tacit.report.words import title

    return f"{title(name)} ({name})"


def _print_attacks(out: Console, result: Assessment) -> None:
    """One row for each attacker; those that failed stand below, with the reason."""
    from tacit.assess.assessment import Failure
    from tacit.report.words import count, percent, span

    people = result.units.get("person")
    on = f"{result.records:,} records" + (f" of {people:,} persons" if people else "")
    heads = [
        Head("attacker"),
        Head("found", number=True),
        Head("95 % interval", number=True, spare=1),
        Head("chance", number=True, spare=2),
        Head("correct links", number=True, spare=3),
        Head("seconds", number=True, spare=4),
    ]
    rows: list[list[str]] = []
    failed: dict[str, list[str]] = {}
    for name, link in result.attacks.items():
        if isinstance(link, Failure):
            failed.setdefault(link.reason, []).append(name)
            continue
        cells = [percent(link.rate), span(link.interval), percent(link.chance)]
        cells += [count(round(link.correct, 1)), f"{link.seconds:.2f}"]
        rows.append([_called(name), *cells])
    print_table(out, f"Attacks on {on}", heads, rows)
    remarks: dict[str, list[str]] = {}
    for name, link in result.linkages.items():
        remarks.setdefault(link.remark, []).append(name)
    for remark, names in remarks.items():
        if remark:
            out.print(f"{', '.join(names)}: {remark}.\n")
    _say_failed(out, failed)


def _print_evidence(out: Console, result: Assessment) -> None:
    """Each released column, the ways in which it was evidence, and what the best of them tells."""
    from tacit.report.evidence import evidence_rows, needed

    heads = [
        Head("released column"),
        Head("bits", number=True),
        Head("of what names one", number=True, spare=1),
        Head("used as"),
    ]
    rows = [
        [str(row[name]) for name in ("column", "bits", "share", "used")]
        for row in evidence_rows(result)
    ]
    print_table(out, f"What was looked at ({needed(result)})", heads, rows)


def _say_failed(out: Console, failed: Mapping[str, list[str]]) -> None:
    """What did not run, gathered by reason."""
    for reason, names in failed.items():
        out.print(
            Text.assemble(", ".join(names), " ", DID_NOT_RUN, f": {reason}"),
        )
    if failed:
        out.print()


def _print_measures(
    out: Console, title: str, measures: Mapping[str, Measure | Failure]
) -> None:
    """A table of the measures that have a value; the others below it, by reason."""
    from tacit.assess.assessment import Failure
    from tacit.report.measured import measure_rows

    absent: dict[str, list[str]] = {}
    failed: dict[str, list[str]] = {}
    rows: list[list[str]] = []
    for name, measure in measures.items():
        if isinstance(measure, Failure):
            failed.setdefault(measure.reason, []).append(name)
        elif math.isnan(measure.value):
            reason = str(measure.details.get("not computed", "no value"))
            absent.setdefault(reason, []).append(name)
        else:
            # one that is made of several has a row for each, as in the report
            for row in measure_rows({name: measure}):
                called = f"{row['title']} ({name})"
                rows.append([called, str(row["value"]), str(row["reading"])])
    heads = [
        Head("measure"),
        Head("value", number=True),
        Head("how to read it", spare=1),
    ]
    print_table(out, title, heads, rows)
    _say_failed(out, failed)
    for reason, names in absent.items():
        sentence = f"Not for this file: {', '.join(names)} ({reason})\n"
        out.print(sentence, style="dim")


def _print_verdict(out: Console, result: Assessment) -> None:
    """The verdict, what to do, and each figure that is above its threshold or is not known."""
    from tacit.report.words import limit, percent

    verdict = result.verdict
    # None: something that has a threshold was not computed, so nobody knows.
    shade = {True: "green", False: "red", None: "yellow"}[verdict.safe]
    out.print(Text.assemble("Verdict: ", (verdict.word, f"bold {shade}")))
    out.print(f"Next: {verdict.next_step}")
    missing: dict[str, list[str]] = {}
    for row in verdict.rows:
        value, accepted = percent(row.value), limit(row.threshold)
        if row.standing == "fails":
            # who the attackers are stands in the report
            reason = "" if row.name in result.attacks else f" ({row.why})"
            why = f"{value} is above {accepted}{reason}"
        elif row.standing == "borderline" and row.interval is not None:
            why = f"{value}, up to {percent(row.interval[1])}, crosses {accepted}"
        elif row.standing == "not computed" and row.threshold is not None:
            missing.setdefault(row.why, []).append(row.name)
            continue
        else:
            continue
        out.print(Padding(f"{_called(row.name)}: {why}", (0, 0, 0, 2)))
    for why, names in missing.items():
        line = f"{', '.join(names)}: not computed: {why}"
        out.print(Padding(line, (0, 0, 0, 2)))


def register(app: typer.Typer) -> None:
    """Add the command."""
    app.command()(assess)
