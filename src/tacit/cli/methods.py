"""``tacit methods``: what there is, with parameters."""

from __future__ import annotations

from typing import Annotated, Any

import typer

from tacit.cli import shared

ROOMS = ("protect", "attack", "risk", "loss", "stream")


def methods(
    name: Annotated[str | None, typer.Argument(help="One method: its card (definition, source, guarantee).")] = None,
    as_json: shared.AsJson = False,
) -> None:
    """List protectors, attackers, measures and stream filters; or show one method's card and parameters.

    Examples:

      tacit methods

      tacit methods microaggregation
    """
    import inspect
    from importlib import import_module

    from tacit.errors import ParameterError

    found: dict[str, dict[str, Any]] = {}
    for room in ROOMS:
        registry = getattr(import_module(f"tacit.{room}"), "registry", {})
        found[room] = {key: registry[key] for key in registry if name in (None, key)}
    if name is not None and not any(found.values()):
        raise ParameterError(f"there is no method '{name}'; 'tacit methods' lists them all")
    if as_json:
        shared.emit({room: {key: _first(thing) for key, thing in entries.items()} for room, entries in found.items()})
        return
    out = shared.console()
    for room, entries in found.items():
        for key, thing in entries.items():
            if name is None:
                continue
            out.print(f"[bold]{room}.{thing.__name__}[/] ({key})")
            out.print(inspect.getdoc(thing) or "", markup=False)
            out.print(f"\nParameters: {inspect.signature(thing)}\n", markup=False)
    if name is None:
        from rich.table import Table

        for room, entries in found.items():
            table = Table(title=room, title_justify="left", show_header=False)
            for key, thing in entries.items():
                table.add_row(key, _first(thing))
            out.print(table)


def _first(thing: Any) -> str:
    return (thing.__doc__ or "").strip().splitlines()[0] if thing.__doc__ else ""


def register(app: typer.Typer) -> None:
    """Add the command."""
    app.command()(methods)
