"""The layout of a fixed-width file: where each column stands in a line.

The layout lies beside its file, as NAME.layout.toml or NAME.layout.csv.
"""

from __future__ import annotations

import csv
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass
from itertools import pairwise
from pathlib import Path
from typing import Any

import tomli_w

from tacit.base import toml_text
from tacit.base.errors import InputError
from tacit.data.column import Kind

ENDINGS = (".layout.toml", ".layout.csv")


@dataclass(frozen=True)
class Place:
    """Where one column stands.

    Parameters
    ----------
    name : str
        Its name.
    start : int
        Its first character; the first of a line is 1.
    width : int
        How many characters it takes.
    kind : str
        Its kind, if it is said.
    decimals : int
        Digits that stand after a point that is not written: 1234 with two decimals is 12.34.
    zeros : bool
        Numbers are filled with zeros to the left, and not with blanks.
    """

    name: str
    start: int
    width: int
    kind: str = ""
    decimals: int = 0
    zeros: bool = False

    @property
    def end(self) -> int:
        """The character after the last one, counted from 0."""
        return self.start - 1 + self.width


def beside(path: Path) -> list[Path]:
    """The names that the layout of a file may have."""
    return [Path(f"{path}{ending}") for ending in ENDINGS]


def of_file(path: Path) -> list[Place]:
    """The layout that lies beside a file."""
    for layout in beside(path):
        if layout.exists():
            return load(layout)
    toml, table = beside(path)
    raise InputError(
        f"{path}: is a fixed-width file and has no layout beside it; "
        f"write {toml.name} or {table.name} (name, start, width, kind, decimals)"
    )


def load(path: Path) -> list[Place]:
    """Read a layout file."""
    try:
        # Excel writes a mark at the beginning of a CSV file
        text = path.read_text(encoding="utf-8-sig")
        if path.suffix.lower() == ".csv":
            reader = csv.DictReader(text.splitlines())
            entries: Iterable[Mapping[str, Any]] = list(reader)
        else:
            entries = toml_text.loads(text)["columns"]
        places = [_place(entry) for entry in entries]
        return checked(path, places)
    except OSError as error:
        raise InputError(f"{path}: cannot be read ({error.strerror})") from None
    except (
        toml_text.Problem,
        UnicodeDecodeError,
        KeyError,
        ValueError,
        TypeError,
    ) as error:
        raise InputError(
            f"{path}: is not a layout ({error}); "
            "each column has a name, a start and a width, and may have kind and decimals"
        ) from None


def checked(path: Path, places: Sequence[Place]) -> list[Place]:
    """The places in order, or one sentence about what cannot be."""
    if not places:
        raise InputError(f"{path}: the layout has no columns")
    for place in places:
        outside = place.start < 1 or place.width < 1
        if outside or place.decimals < 0:
            raise InputError(
                f"{path}: column '{place.name}' must start at 1 or later, be one character "
                "wide or more, and have no negative decimals"
            )
        if place.kind and place.kind not in Kind.__members__:
            raise InputError(
                f"{path}: column '{place.name}' has the kind '{place.kind}'; "
                f"there are: {', '.join(Kind.__members__)}"
            )
    ordered = sorted(places, key=lambda place: place.start)
    # in order of places only neighbours can overlap
    for left, right in pairwise(ordered):
        if left.end >= right.start:
            raise InputError(
                f"{path}: the columns '{left.name}' and '{right.name}' overlap "
                f"at character {right.start}"
            )
    return list(places)


def to_toml(places: Iterable[Place]) -> str:
    """The layout file that is written beside a release."""
    entries = []
    for place in places:
        said = asdict(place)
        # what is as usual is left out
        entries.append({name: value for name, value in said.items() if value})
    return tomli_w.dumps({"columns": entries})


def _place(entry: Mapping[str, Any]) -> Place:
    # empty cells of a CSV layout are not said
    known = {name: value for name, value in entry.items() if value not in ("", None)}
    unknown = set(known) - set(Place.__dataclass_fields__)
    if unknown:
        raise ValueError(f"'{min(unknown, key=str)}' is not known")
    filled = str(known.get("zeros", "")).lower()
    zeros = filled in ("true", "1", "yes")
    return Place(
        name=str(known["name"]).strip(),
        start=int(known["start"]),
        width=int(known["width"]),
        kind=str(known.get("kind", "")).strip(),
        decimals=int(known.get("decimals", 0)),
        zeros=zeros,
    )
