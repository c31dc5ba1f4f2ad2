"""What commands share: options for roles and kinds, reading with them, ``--set``, progress, JSON."""

from __future__ import annotations

import json
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import wraps
from inspect import Parameter, Signature, signature
from pathlib import Path
from typing import Annotated, Any, get_type_hints

import typer

Quasi = Annotated[str | None, typer.Option(help="Quasi-identifiers: columns that an intruder may know. a,b,c")]
Confidential = Annotated[str | None, typer.Option(help="Confidential columns, released as they are. a,b,c")]
Identifier = Annotated[str | None, typer.Option(help="Direct identifiers, dropped on release. a,b,c")]
Weight = Annotated[str | None, typer.Option(help="The sampling weight.")]
Household = Annotated[str | None, typer.Option(help="The household number.")]
Other = Annotated[str | None, typer.Option(help="Columns that are neither protected nor known to an intruder. a,b,c")]
Continuous = Annotated[str | None, typer.Option(help="Columns that hold numbers. a,b,c")]
Ordinal = Annotated[str | None, typer.Option(help="Columns whose values are ordered. a,b,c")]
Nominal = Annotated[str | None, typer.Option(help="Columns whose values are unordered categories. a,b,c")]
SchemaFile = Annotated[Path | None, typer.Option("--schema", help="A schema file (TOML) that 'tacit schema' wrote.")]
Encoding = Annotated[str | None, typer.Option(help="Text encoding of a CSV file (detected unless given).")]
Force = Annotated[bool, typer.Option("--force", help="Overwrite existing output files.")]
Roles = dict[str, list[str] | None]
AsJson = Annotated[bool, typer.Option("--json", help="Print JSON instead of a table.")]
JsonFile = Annotated[Path | None, typer.Option("--json", help="Write JSON to this file; - for stdout.")]
Settings = Annotated[list[str] | None, typer.Option("--set", help="A parameter: name=value; repeat for more.")]


#: the options that ``with_roles`` adds, in the order of the help
ROLES: dict[str, Any] = {
    "quasi": Quasi,
    "confidential": Confidential,
    "identifier": Identifier,
    "weight": Weight,
    "household": Household,
    "other": Other,
    "continuous": Continuous,
    "ordinal": Ordinal,
    "nominal": Nominal,
}


def with_roles(command: Callable[..., None]) -> Callable[..., None]:
    """Give a command one option for each role and kind; it receives them as ``roles`` (what ``read`` takes)."""

    @wraps(command)
    def run(**options: Any) -> None:
        roles = {word: None if options[word] is None else split(options[word]) for word in ROLES}
        command(**{name: value for name, value in options.items() if name not in ROLES}, roles=roles)

    hints = get_type_hints(command, include_extras=True)
    own = [
        parameter.replace(annotation=hints[name], kind=Parameter.KEYWORD_ONLY)
        for name, parameter in signature(command).parameters.items()
        if name != "roles"
    ]
    added = [Parameter(word, Parameter.KEYWORD_ONLY, default=None, annotation=kind) for word, kind in ROLES.items()]
    run.__signature__ = Signature([*own, *added])  # type: ignore[attr-defined]
    run.__annotations__ = {parameter.name: parameter.annotation for parameter in (*own, *added)}
    del run.__wrapped__  # typer would look through it and miss the added options
    return run


def split(names: str) -> list[str]:
    """'a, b' -> ['a', 'b']."""
    return [name.strip() for name in names.split(",") if name.strip()]


def read(path: Path, schema: Any, encoding: str | None, roles: dict[str, list[str] | None]) -> Any:
    """Read a file with its roles (``schema``: a file, or a ``Schema``); errors about columns name the file."""
    from tacit import io
    from tacit.errors import ColumnError
    from tacit.io.labels import note
    from tacit.microdata import Schema

    try:
        data = io.read(path, Schema.load(schema) if isinstance(schema, Path) else schema, encoding=encoding, **roles)
    except ColumnError as error:
        raise ColumnError(f"{path}: {error}") from None
    found = (note(data.table, "dialect") or {}).get("encoding", "utf8")
    if encoding is None and found not in ("utf8", "utf-8"):
        print(f"Note: {path} is not UTF-8; it was read as {found} (change with --encoding)", file=sys.stderr)
    return data


@contextmanager
def naming(path: Path) -> Iterator[None]:
    """Errors about data inside this block name the file."""
    from tacit.errors import TacitError

    try:
        yield
    except TacitError as error:
        text = str(error)
        error.args = (text if text.startswith(str(path)) else f"{path}: {text}",)
        raise


def settings(pairs: list[str] | None) -> dict[str, Any]:
    """``['k=5', 'columns=a,b']`` -> ``{'k': 5, 'columns': 'a,b'}``: values are TOML where they parse as TOML."""
    import tomllib

    from tacit.errors import ParameterError

    out: dict[str, Any] = {}
    for pair in pairs or []:
        name, equals, value = pair.partition("=")
        if not equals or not name.strip():
            raise ParameterError(f"--set {pair}: write name=value")
        try:
            out[name.strip()] = tomllib.loads(f"v = {value}")["v"]
        except tomllib.TOMLDecodeError:
            out[name.strip()] = split(value) if "," in value else value
    return out


def console() -> Any:
    """Tables go to stdout, as wide as the terminal or, without one, as wide as they need."""
    from rich.console import Console

    return Console(width=None if sys.stdout.isatty() else 120, highlight=False)


def say(sentence: str) -> None:
    """A sentence on stdout, never broken into lines: it may hold a command or a path to copy."""
    console().print(sentence, soft_wrap=True, markup=False)


def emit(value: Any) -> None:
    """JSON on stdout."""
    print(_json(value), end="")


def _json(value: Any) -> str:
    from tacit.measure import jsonable

    return json.dumps(jsonable(value), indent=1, ensure_ascii=False) + "\n"


def refuse(*paths: Path | None, force: bool) -> None:
    """Say now, before any work, that an output cannot be written; ``-`` is stdout."""
    from tacit import io

    for path in paths:
        if path is not None and str(path) != "-":
            io.refuse_overwrite(path, force=force)


def show_or_write(found: Any, show: Callable[[Any], None], target: Path | None, *, force: bool) -> None:
    """Tables on the terminal and, if asked for, JSON in a file; or, for ``-``, JSON on stdout instead."""
    from tacit import io

    if str(target) == "-":
        emit(found.to_dict())
        return
    show(found)
    if target is not None:
        with io.replacing(target, force=force) as temporary:
            temporary.write_text(_json(found.to_dict()), encoding="utf-8")


@contextmanager
def progress(title: str) -> Iterator[Any]:
    """A bar with time left on stderr, quiet when it is not a terminal: ``report(what, done, total)``."""
    if not sys.stderr.isatty():
        yield lambda what, done, total: None
        return
    from rich.console import Console
    from rich.progress import BarColumn, Progress, TextColumn, TimeElapsedColumn, TimeRemainingColumn

    columns = (TextColumn("{task.description}"), BarColumn(), TimeElapsedColumn(), TimeRemainingColumn())
    with Progress(*columns, console=Console(stderr=True), transient=True) as bar:
        task = bar.add_task(title, total=None)
        yield lambda what, done, total: bar.update(task, description=f"{title}: {what}", completed=done, total=total)
