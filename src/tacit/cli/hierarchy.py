"""``tacit hierarchy``: make, check and draw the hierarchy of a column."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from tacit.base.errors import ParameterError
from tacit.base.visible import visible
from tacit.cli import options as shared
from tacit.cli import own_files

# `tacit --help` imports this file. What loads numpy, pyarrow or scikit-learn is therefore imported
# inside the command that needs it.


@shared.with_roles
def hierarchy(
    source: Annotated[
        Path, typer.Argument(metavar="FILE", help="The file with the column.")
    ],
    column: Annotated[str, typer.Option(help="The column.")],
    rule: Annotated[
        str | None,
        typer.Option(
            help="How values are put into classes: 'prefix=[3, 1]', 'ladder=[5, 10, 20]', "
            "'dates=[\"month\", \"year\"]', 'mask=[2, 4]', 'automatic=\"frequency\"'."
        ),
    ] = None,
    table: Annotated[
        Path | None,
        typer.Option(help="A table to check, as ARX writes it: value;level 1;..."),
    ] = None,
    unseen: Annotated[
        str | None,
        typer.Option(help="The class of values that the hierarchy does not cover."),
    ] = None,
    output: Annotated[
        Path | None,
        typer.Option("--output", "-o", help="Write it as a table that ARX reads."),
    ] = None,
    svg: Annotated[
        Path | None, typer.Option(help="Draw it to this file (SVG).")
    ] = None,
    schema: shared.SchemaFile = None,
    encoding: shared.Encoding = None,
    force: shared.Force = False,
    as_json: shared.AsJson = False,
    *,
    roles: shared.Roles,
) -> None:
    """Make, check and draw the hierarchy of a column.

    Every value of the file is put into its classes, and what is wrong is one sentence: a value
    that is not covered, a class with two parents. Without --rule and --table an automatic
    hierarchy is found in the file.

    Examples:

      tacit hierarchy hospital.csv --column icd --rule "prefix=[3, 1]" -o hierarchies/icd.csv

      tacit hierarchy hospital.csv --column town --table town.csv --unseen elsewhere

      tacit hierarchy hospital.csv --column age --rule "ladder=[5, 10, 20]" --svg age.svg
    """
    from tacit.data import io
    from tacit.data.hierarchies import drawn, fitted, rule_of, write_table
    from tacit.data.hierarchies.tree import coded

    if rule is not None and table is not None:
        raise ParameterError("give --rule or --table, not both")
    own_files.refuse(
        inputs={"FILE": source, "--table": table, "--schema": schema},
        outputs={"-o": output, "--svg": svg},
        force=force,
    )
    entry = _entry(rule, table)
    if unseen is not None:
        entry["other"] = unseen
    wanted = rule_of(entry, column)
    data = shared.read(source, schema, encoding, roles)
    with shared.naming(source):
        found = fitted(wanted, data, column)
        tree = coded(found, data, column).tree
    if output is not None:
        write_table(tree.rows, output, force=force)
    if svg is not None:
        from tacit.report.charts.hierarchy import hierarchy as picture

        with io.replacing(svg, force=force) as temporary:
            text = picture(tree, f"The hierarchy of {column}")
            temporary.write_text(text, encoding="utf-8")
    if as_json:
        sizes = [len(labels) for labels in tree.labels]
        shared.emit({"column": column, "rule": found.entry(), "classes": sizes})
        return
    sizes_in_words = ", ".join(str(len(labels)) for labels in tree.labels)
    shared.say(
        f"{column}: {tree.height} levels above the values; classes by level: {sizes_in_words}."
    )
    # a tree of labels, which are text and never markup
    print(visible(drawn(tree)))


def _entry(
    rule: str | None,
    table: Path | None,
) -> dict[str, object]:
    """The rule as a plan holds it."""
    if table is not None:
        return {"file": str(table)}
    if rule is None:
        return {"automatic": "by kind"}
    return shared.settings([rule])


def register(app: typer.Typer) -> None:
    """Add the command."""
    app.command()(hierarchy)
