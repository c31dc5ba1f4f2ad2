"""``tacit methods``: what there is, with parameters."""

from __future__ import annotations

import inspect
from importlib import import_module
from typing import Annotated

import typer
from rich.table import Table
from rich.text import Text

from tacit.base.docs import card_of
from tacit.base.errors import ParameterError
from tacit.cli import options as shared
from tacit.cli.tables import Head, print_table

# `tacit --help` imports this file. What loads numpy, pyarrow or scikit-learn is therefore imported
# inside the command that needs it.

# The rooms that have a registry, in the order of the work.
ROOMS = ("protect", "attack", "risk", "loss", "stream")
# Rooms whose entries are classes with parameters; measures are functions.
WITH_PARAMETERS = ("protect", "attack", "stream")


def methods(
    name: Annotated[
        str | None,
        typer.Argument(help="One method: its card (definition, source, guarantee)."),
    ] = None,
    as_json: shared.AsJson = False,
) -> None:
    """List protectors, attackers, measures and stream filters; or show one method's card.

    Examples:

      tacit methods

      tacit methods microaggregation
    """
    # One name may stand in several rooms (noise is a protector and a filter): all are shown.
    rooms: dict[str, dict[str, type]] = {}
    for room in ROOMS:
        registry = getattr(import_module(f"tacit.{room}"), "registry", {})
        rooms[room] = {key: registry[key] for key in registry if name in (None, key)}
    if name is not None and not any(rooms.values()):
        raise ParameterError(
            f"there is no method '{name}'; 'tacit methods' lists them all"
        )
    if as_json:
        shared.emit(
            {
                room: {key: _first_sentence(method) for key, method in entries.items()}
                for room, entries in rooms.items()
            }
        )
        return
    for room, entries in rooms.items():
        if name is None:
            _print_list(room, entries)
        for key, method in entries.items() if name is not None else ():
            _print_card(room, key, method)


def _print_list(room: str, entries: dict[str, type]) -> None:
    """A room: each method with the first line of its card."""
    rows = [[key, _first_sentence(method)] for key, method in entries.items()]
    print_table(shared.console(), room, [Head("method"), Head("what it does")], rows)


def _print_card(room: str, key: str, method: type) -> None:
    """A method: its card as it is written, and a table of its parameters."""
    out = shared.console()
    out.print(Text.assemble((f"{room}.{method.__name__}", "bold"), f" ({key})"))
    out.print(inspect.getdoc(method) or "")
    if room in WITH_PARAMETERS:
        out.print(_parameters(method))


def _parameters(method: type) -> Table:
    """Every parameter with its default and what it means."""
    from tacit.base.parameters import model_of

    table = Table(
        "parameter",
        "default",
        "meaning",
        box=None,
        title="Parameters",
        title_justify="left",
    )
    meanings = card_of(method).parameters
    for name, field in model_of(method).model_fields.items():
        default = "required" if field.is_required() else repr(field.default)
        table.add_row(name, default, meanings.get(name, ""))
    return table


def _first_sentence(method: type) -> str:
    """The first paragraph of the card, whole: a line may end in the middle of a clause."""
    paragraph = inspect.cleandoc(method.__doc__ or "").split("\n\n")[0]
    return " ".join(paragraph.split())


def register(app: typer.Typer) -> None:
    """Add the command."""
    app.command()(methods)
