"""What commands share: options for roles and kinds, reading, ``--set``, progress, JSON."""

from __future__ import annotations

import json
import os
import sys
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from functools import partial, wraps
from inspect import Parameter, Signature, signature
from pathlib import Path
from typing import (
    TYPE_CHECKING,
    Annotated,
    Any,
    Protocol,
    TypeVar,
    cast,
    get_type_hints,
)

import typer

from tacit.base import toml_text
from tacit.base.errors import ColumnError, ParameterError, TacitError
from tacit.base.visible import escaped
from tacit.cli import terminal
from tacit.cli.progress import progress as progress
from tacit.cli.screen import Screen

if TYPE_CHECKING:
    from tacit.data.microdata import Microdata
    from tacit.data.schema import Schema
    from tacit.scale.any_size import Place
    from tacit.scale.block_step import Room
    from tacit.scale.kept_pieces import Kept

# `tacit --help` imports this file. What loads numpy, pyarrow or scikit-learn is therefore imported
# inside the command that needs it.

# Columns of a table when there is no terminal: wide enough that no cell is broken.
WIDTH = 120
# Tables are made to be read in this width and more.
NARROWEST = 60

# Bytes of a CSV file that may not fit in memory; looking whether it does takes a tenth of a second.
LARGE_CSV = 100 * 10**6

# -- options: each is declared once, so that it has the same name and help in every command

Quasi = Annotated[
    str | None,
    typer.Option(help="Quasi-identifiers: columns that an intruder may know. a,b,c"),
]
Confidential = Annotated[
    str | None, typer.Option(help="Confidential columns, released as they are. a,b,c")
]
Identifier = Annotated[
    str | None, typer.Option(help="Direct identifiers, dropped on release. a,b,c")
]
Weight = Annotated[str | None, typer.Option(help="The sampling weight.")]
Person = Annotated[
    str | None,
    typer.Option(help="The column that says whose record this is; many rows each."),
]
Household = Annotated[str | None, typer.Option(help="The household number.")]
Other = Annotated[
    str | None,
    typer.Option(
        help="Columns that are neither protected nor known to an intruder. a,b,c"
    ),
]
Continuous = Annotated[
    str | None, typer.Option(help="Columns that hold numbers. a,b,c")
]
Ordinal = Annotated[
    str | None, typer.Option(help="Columns whose values are ordered. a,b,c")
]
Nominal = Annotated[
    str | None,
    typer.Option(help="Columns whose values are unordered categories. a,b,c"),
]
Count = Annotated[str | None, typer.Option(help="Columns that hold counts. a,b,c")]
Code = Annotated[
    str | None,
    typer.Option(
        help="Columns that hold codes with a hierarchy (ICD, postcode). a,b,c"
    ),
]
Date = Annotated[str | None, typer.Option(help="Columns that hold dates. a,b,c")]
Boolean = Annotated[str | None, typer.Option(help="Columns that say yes or no. a,b,c")]
Text = Annotated[str | None, typer.Option(help="Columns of free text. a,b,c")]
SchemaFile = Annotated[
    Path | None,
    typer.Option("--schema", help="A schema file (TOML) that 'tacit schema' wrote."),
]
Encoding = Annotated[
    str | None,
    typer.Option(help="Text encoding of a CSV file (detected unless given)."),
]
Force = Annotated[
    bool, typer.Option("--force", help="Overwrite existing output files.")
]
Roles = dict[str, Any]
"""Roles and kinds with the names of columns, and missing codes by column."""
AsJson = Annotated[bool, typer.Option("--json", help="Print JSON instead of a table.")]
JsonFile = Annotated[
    Path | None, typer.Option("--json", help="Write JSON to this file; - for stdout.")
]
SafeFormulas = Annotated[
    bool,
    typer.Option(
        "--safe-formulas/--raw-formulas",
        help="CSV: put ' before text and names that a spreadsheet would run; "
        "tacit takes it off when it reads.",
    ),
]
Memory = Annotated[
    str | None,
    typer.Option(
        help="How much memory may be used, such as 4GB (default: 80 % of what is free). A larger "
        "Parquet or CSV file is worked on from the disk, with the same bytes."
    ),
]
Engine = Annotated[
    str | None,
    typer.Option(
        help="Where a large file is worked on: local (this machine), or a Spark master "
        "(local[2], spark://..., yarn, k8s://...)."
    ),
]
Key = Annotated[
    str | None,
    typer.Option(
        help="A column of both files that says whose record it is; not part of the release."
    ),
]
Aligned = Annotated[
    bool,
    typer.Option(
        "--aligned",
        help="Row i of MASKED is row i of ORIGINAL, whatever the values seem to say.",
    ),
]
Seed = Annotated[
    int | None,
    typer.Option(
        help="For tests: same seed, same bytes, and whoever tries this seed takes the noise off. "
        "Unless given, 128 bits are drawn from the system.",
        min=0,
    ),
]
TestSeed = Annotated[
    bool,
    typer.Option(
        "--test-seed",
        help="This is a test: let a differentially private method take --seed, too.",
    ),
]
Settings = Annotated[
    list[str] | None,
    typer.Option("--set", help="A parameter: name=value; repeat for more."),
]


Missing = Annotated[
    list[str] | None,
    typer.Option(
        "--missing",
        help="Codes for missing values: 'income=-8,-9', 'age=97..99', '*=-8' (every column that "
        "holds it), 'income=' (no value is a code); repeat for more.",
    ),
]

#: the options that ``with_roles`` adds, in the order of the help
ROLES: dict[str, object] = {
    "quasi": Quasi,
    "confidential": Confidential,
    "identifier": Identifier,
    "person": Person,
    "household": Household,
    "weight": Weight,
    "other": Other,
    "continuous": Continuous,
    "count": Count,
    "ordinal": Ordinal,
    "nominal": Nominal,
    "code": Code,
    "date": Date,
    "boolean": Boolean,
    "text": Text,
}


def with_roles(command: Callable[..., None]) -> Callable[..., None]:
    """Give a command one option for each role and kind.

    The command receives them together as ``roles``, which is what ``read`` takes.
    """

    @wraps(command)
    def run(**options: object) -> None:
        roles: Roles = {}
        for word in ROLES:
            names = options.pop(word)
            roles[word] = None if names is None else split(str(names))
        codes = options.pop("missing")
        if codes:
            from tacit.data.declared_codes import parsed

            roles["missing"] = parsed(cast("list[str]", codes))
        command(**options, roles=roles)

    # Typer makes the command line from the signature: ours is that of the command, with `roles`
    # replaced by the options it is made of.
    hints = get_type_hints(command, include_extras=True)
    own = [
        parameter.replace(annotation=hints[name], kind=Parameter.KEYWORD_ONLY)
        for name, parameter in signature(command).parameters.items()
        if name != "roles"
    ]
    added = [
        Parameter(word, Parameter.KEYWORD_ONLY, default=None, annotation=kind)
        for word, kind in [*ROLES.items(), ("missing", Missing)]
    ]
    run.__signature__ = Signature([*own, *added])  # type: ignore[attr-defined]
    run.__annotations__ = {
        parameter.name: parameter.annotation for parameter in (*own, *added)
    }
    del run.__wrapped__  # typer would look through it and miss the added options
    return run


# -- input ---------------------------------------------------------------------------------------


def split(names: str) -> list[str]:
    """'a, b' -> ['a', 'b']."""
    return [name.strip() for name in names.split(",") if name.strip()]


def read(
    path: Path,
    schema: Schema | Path | None,
    encoding: str | None,
    roles: Roles,
    place: Place | None = None,
) -> Microdata:
    """Read a file with its roles, where it is worked on; errors about columns name the file."""
    from tacit.data import io
    from tacit.data.notes import note
    from tacit.data.schema import Schema

    known = Schema.load(schema) if isinstance(schema, Path) else schema
    try:
        reader = io.read if place is None else place.read
        with progress(f"reading {path}"):
            data = reader(path, known, encoding=encoding, **roles)
    except ColumnError as error:
        raise ColumnError(f"{path}: {error}") from None
    # A guess about the encoding may garble names: the user must know that it was one.
    dialect = note(data.table, "dialect") or {}
    used = dialect.get("encoding", "utf8")
    if encoding is None and used not in ("utf8", "utf-8"):
        print(
            f"Note: {path} is not UTF-8; it was read as {used} (change with --encoding)",
            file=sys.stderr,
        )
    return data


@contextmanager
def naming(path: Path) -> Iterator[None]:
    """Errors about data inside this block name the file."""
    try:
        yield
    except TacitError as error:
        text = str(error)
        error.args = (text if text.startswith(str(path)) else f"{path}: {text}",)
        raise


def place_for(
    context: typer.Context,
    source: Path,
    beside: Path,
    memory: str | None,
    engine: str | None,
    kept: Kept | None = None,
    progress: Callable[[int, int], None] | None = None,
    files: int = 1,
    held: int = 0,
) -> Place | None:
    """Where a file is worked on, until the command ends; None: in memory, as small files are.

    Only Parquet and CSV can be read in parts; another file is in memory unless somebody asks.
    """
    in_parts = source.is_dir() or source.suffix.lower() in (".parquet", ".pq")
    in_parts = in_parts or is_table(source) or _is_large_csv(source)
    if not in_parts and memory is None and engine is None and kept is None:
        return None
    from tacit.scale.any_size import place_of

    chosen = place_of(
        source,
        beside,
        memory,
        engine,
        kept=kept,
        progress=progress,
        files=files,
        held=held,
    )
    place: Place = context.with_resource(chosen)
    # Who asked gets an answer, and who did not should know why it takes longer.
    if place.on_disk or memory is not None or engine is not None:
        tell(place.sentence)
    return place


def room(
    place: Place | None,
    memory: str | None,
    progress: Callable[[int, int], None] | None = None,
) -> Room:
    """What steps in blocks may use: memory, a folder, workers."""
    from tacit.scale.any_size import limit_of
    from tacit.scale.block_step import Room

    if place is None:
        return Room(limit_of(memory), progress=progress)
    return place.room


def is_table(source: Path) -> bool:
    """Is it the name of a table, as in table:db.name?"""
    return str(source).startswith("table:")


def _is_large_csv(source: Path) -> bool:
    text = source.suffix.lower() in (".csv", ".tsv", ".txt")
    return text and source.exists() and source.stat().st_size > LARGE_CSV


def settings(pairs: list[str] | None) -> dict[str, Any]:
    """``['k=5', 'columns=a,b']`` -> ``{'k': 5, 'columns': ['a', 'b']}``.

    Values are TOML where they parse as TOML; the method checks their types.
    """
    values: dict[str, Any] = {}
    for pair in pairs or []:
        name, equals, text = pair.partition("=")
        name = name.strip()
        if not equals or not name:
            raise ParameterError(f"--set {pair}: write name=value")
        try:
            values[name] = toml_text.loads(f"v = {text}")["v"]
        except toml_text.Problem:
            # Nobody wants to quote quotes in a shell: words are text, with commas a list.
            values[name] = split(text) if "," in text else text
    return values


def for_test(
    method: str, parameters: dict[str, object], seed: int | None, test_seed: bool
) -> dict[str, object]:
    """The parameters; with --seed and --test-seed a private method is told that this is a test."""
    from tacit.protect import registry

    # Noise with a known seed is no protection: such a method takes one only when told so.
    if seed is None or not test_seed:
        return parameters
    is_private = getattr(registry[method], "unseeded", False)
    return parameters | {"test_seed": True} if is_private else parameters


# -- output --------------------------------------------------------------------------------------


def console() -> Screen:
    """Tables go to stdout, as wide as the terminal or, without one, wide enough to read.

    Names of files, columns and categories are text and never markup: `temp [/day]` is a name.
    What has a colour is a `rich.text.Text`.
    """
    return Screen(width=_width(), highlight=False, markup=False)


def _width() -> int | None:
    """Of the terminal (None: it is asked), or what COLUMNS says, or enough to read."""
    if sys.stdout.isatty():
        return None
    said = os.environ.get("COLUMNS", "")
    return max(int(said), NARROWEST) if said.isdecimal() else WIDTH


def tell(line: str) -> None:
    """Progress of a long search, on stderr also where that is a file."""
    print(line, file=sys.stderr, flush=True)


def say(sentence: str, *, copied: bool = False) -> None:
    """A sentence on stdout, in lines of whole words where the width is known.

    What is `copied`, such as a command or a path, is one line.
    """
    has_width = sys.stdout.isatty() or "COLUMNS" in os.environ
    console().print(sentence, soft_wrap=copied or not has_width)


def emit(value: object) -> None:
    """JSON on stdout; letters that it cannot show are escaped as JSON has it."""
    print(_json(value, ascii=not terminal.shows_unicode(sys.stdout)), end="")


def _json(value: object, *, ascii: bool = False) -> str:
    """JSON as people read it: indented, and with letters of every language as they are."""
    from tacit.base.measure import jsonable

    text = json.dumps(jsonable(value), indent=1, ensure_ascii=ascii)
    return escaped(text) + "\n"


class Result(Protocol):
    """Whatever has a form for JSON."""

    def to_dict(self) -> Mapping[str, object]:
        """Plain types."""


Shown = TypeVar("Shown", bound=Result)


def show_or_write(
    result: Shown,
    show: Callable[[Shown], None],
    target: Path | None,
    *,
    force: bool,
    content: Callable[[Shown], dict[str, object]] | None = None,
) -> None:
    """Tables on the terminal and, if asked for, JSON in a file; ``-`` is JSON on stdout alone.

    ``content``: what the JSON holds, if not all of the result.
    """
    from tacit.data import io

    held = result.to_dict if content is None else partial(content, result)
    if str(target) == "-":
        emit(held())
        return
    show(result)
    if target is not None:
        # The file appears when it is whole.
        with io.replacing(target, force=force) as temporary:
            temporary.write_text(_json(held()), encoding="utf-8")
