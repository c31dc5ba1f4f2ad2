"""Projects of ARX: a ``.deid`` file is a zip of settings in XML, hierarchies and the data.

What is read: ``input/config.xml`` (privacy models, suppression limit, quality model, weights),
``input/definition.xml`` (type of each attribute, its data type, the levels that may be used),
``input/hierarchies/NAME.csv`` and ``data/input.csv``. The Java objects beside them
(``config.dat`` and others) are never looked at: reading them would run what they say.
"""

from __future__ import annotations

import csv
import html
import io as text_io
import re
import zipfile
from dataclasses import dataclass, field
from html.entities import name2codepoint
from pathlib import Path
from xml.etree import ElementTree

from tacit.base.errors import InputError
from tacit.data.hierarchies.table import Row

LARGEST = 2**28
"""Bytes of an entry that is read; a zip may claim to hold more than any memory."""
IN_XML = ("amp", "lt", "gt", "quot", "apos")
"""Entities that XML knows by itself; ARX writes those of HTML as well."""


@dataclass(frozen=True)
class Attribute:
    """A column as ARX defines it."""

    name: str
    type: str
    """QUASI_IDENTIFYING_ATTRIBUTE, IDENTIFYING_, SENSITIVE_ or INSENSITIVE_ATTRIBUTE."""
    datatype: str
    hierarchy: tuple[Row, ...] = ()
    lowest: int | None = None
    """The lowest level that may be used; None: any."""
    highest: int | None = None
    microaggregation: str = ""
    response: bool = False
    """It is what a classifier should tell."""


@dataclass(frozen=True)
class Project:
    """What a project says."""

    attributes: tuple[Attribute, ...]
    criteria: tuple[str, ...]
    """Privacy models, in the words of ARX: '5-anonymity'."""
    suppression_limit: float
    metric: str
    weights: dict[str, float] = field(default_factory=dict)
    data: bytes | None = field(default=None, repr=False)
    """The file, as text with separators."""


def read_project(path: Path) -> Project:
    """Read a ``.deid`` file; one sentence where it is none."""
    try:
        with zipfile.ZipFile(path) as archive:
            config = _xml(archive, "input/config.xml", path)
            definition = _xml(archive, "input/definition.xml", path)
            names = set(archive.namelist())
            attributes = [
                _attribute(archive, names, entry, path)
                # the tag is spelt like this in all versions
                for entry in definition.iter("assigment")
            ]
            held = "data/input.csv" in names
            data = _bytes(archive, "data/input.csv", path) if held else None
    except (OSError, zipfile.BadZipFile) as error:
        raise InputError(f"{path}: not a project of ARX ({error})") from None
    if not attributes:
        raise InputError(f"{path}: the project defines no attribute")
    weights = {}
    for entry in config.iter("attributeWeight"):
        weights[_text(entry, "attribute")] = _number(_text(entry, "weight"), 1.0, path)
    limit = _text(config, "relativeMaxOutliers")
    return Project(
        tuple(attributes),
        tuple((entry.text or "").strip() for entry in config.iter("criterion")),
        _number(limit, 0.0, path),
        _text(config, "metric"),
        weights,
        data,
    )


def _attribute(
    archive: zipfile.ZipFile,
    names: set[str],
    entry: ElementTree.Element,
    path: Path,
) -> Attribute:
    name = _text(entry, "name")
    reference = _text(entry, "ref")
    rows: tuple[Row, ...] = ()
    if reference:
        inside = f"input/{reference}"
        if inside not in names:
            raise InputError(
                f"{path}: the hierarchy of '{name}' ({inside}) is not in the project"
            )
        rows = _table(_bytes(archive, inside, path), f"{path}: {inside}")
    return Attribute(
        name,
        _text(entry, "type"),
        _text(entry, "datatype"),
        rows,
        _level(_text(entry, "min"), path),
        _level(_text(entry, "max"), path),
        _text(entry, "microAggregationFunction"),
        _text(entry, "responseVariable") == "true",
    )


def _table(
    raw: bytes,
    where: str,
) -> tuple[Row, ...]:
    text = _decoded(raw)
    first = text.partition("\n")[0]
    separator = max((";", ",", "\t", "|"), key=first.count)
    try:
        reader = csv.reader(text_io.StringIO(text), delimiter=separator, strict=True)
        return tuple(tuple(row) for row in reader if row)
    except csv.Error as error:
        raise InputError(f"{where}: not a table of a hierarchy ({error})") from None


def _bytes(
    archive: zipfile.ZipFile,
    name: str,
    path: Path,
) -> bytes:
    with archive.open(name) as entry:
        # what the zip says of its size may be a lie, so that it is counted
        raw = entry.read(LARGEST + 1)
    if len(raw) > LARGEST:
        raise InputError(f"{path}: {name} is larger than {LARGEST >> 20} MB")
    return raw


def _decoded(raw: bytes) -> str:
    try:
        return raw.decode("utf-8-sig")
    except UnicodeDecodeError:
        # ARX writes settings in the encoding of the machine, which on Windows was this one
        return raw.decode("cp1252", errors="replace")


def _xml(
    archive: zipfile.ZipFile,
    name: str,
    path: Path,
) -> ElementTree.Element:
    try:
        raw = _bytes(archive, name, path)
    except KeyError:
        raise InputError(f"{path}: not a project of ARX (it has no {name})") from None
    text = _decoded(raw)
    # ARX writes no document type, and one could hold entities that fill the memory
    if "<!DOCTYPE" in text:
        raise InputError(
            f"{path}: {name} has a document type, which ARX does not write"
        )
    text = re.sub(r"&(\w+);", _entity, text)
    try:
        return ElementTree.fromstring(text)
    except ElementTree.ParseError as error:
        raise InputError(f"{path}: {name} cannot be read ({error})") from None


def _entity(found: re.Match[str]) -> str:
    """An entity of HTML as its letter."""
    name = found[1]
    if name in IN_XML or name not in name2codepoint:
        return found[0]
    return html.unescape(found[0])


def _text(
    entry: ElementTree.Element,
    tag: str,
) -> str:
    return (entry.findtext(f".//{tag}") or "").strip()


def _number(
    text: str,
    default: float,
    path: Path,
) -> float:
    if not text:
        return default
    try:
        return float(text)
    except ValueError:
        raise InputError(f"{path}: {text!r} is no number") from None


def _level(
    text: str,
    path: Path,
) -> int | None:
    # 'All' says that any level may be used
    return int(_number(text, 0.0, path)) if text and text != "All" else None
