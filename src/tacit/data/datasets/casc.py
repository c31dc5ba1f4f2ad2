"""The reference files of the CASC project, or a generated stand-in where a file is absent.

The files are not part of tacit. They were published by the European project CASC (Brand,
Domingo-Ferrer and Mateo-Sanz 2002) and are inside the R package sdcMicro, as ``data/*.rda``.
Put them into one directory, as ``NAME.csv`` or ``NAME.rda``, and name the directory in
``TACIT_DATA`` (or with ``--data``).
"""

from __future__ import annotations

import os
from dataclasses import dataclass
from pathlib import Path

import pyarrow as pa
from pyarrow import csv

from tacit.base.errors import InputError, MissingExtra
from tacit.data.datasets.census import make_census

Folder = str | os.PathLike[str]


@dataclass(frozen=True)
class Reference:
    """One reference file: its name, its shape as published, and where it is published."""

    name: str
    records: int
    attributes: int
    about: str
    published: str
    aliases: tuple[str, ...] = ()
    stand_in: str = ""


_SDCMICRO = (
    "R package sdcMicro (https://cran.r-project.org/package=sdcMicro), file data/{}.rda"
)
_CASC = (
    "European project CASC, test sets (https://research.cbs.nl/casc/CASCtestsets.html)"
)

_FILES = (
    Reference(
        "census",
        1080,
        13,
        "incomes and taxes, Current Population Survey 1995",
        f"{_SDCMICRO.format('CASCrefmicrodata')}; or {_CASC}",
        ("CASCrefmicrodata", "Census"),
        "make_census(1080, seed=0)",
    ),
    Reference(
        "eia",
        4092,
        11,
        "electricity revenue and sales of utilities, "
        "U.S. Energy Information Authority 1996",
        f"{_SDCMICRO.format('EIA')}; or {_CASC}",
        ("EIA",),
    ),
    Reference(
        "tarragona",
        834,
        13,
        "companies of the Tarragona area 1995",
        f"{_SDCMICRO.format('Tarragona')}; or {_CASC}",
        ("Tarragona",),
    ),
    Reference(
        "testdata",
        4580,
        15,
        "household survey with categorical keys and weights",
        _SDCMICRO.format("testdata"),
    ),
    Reference(
        "francdat",
        8,
        8,
        "eight records, for checking a risk by hand",
        _SDCMICRO.format("francdat"),
    ),
)
#: the reference files by name
REFERENCES = {reference.name: reference for reference in _FILES}


def directory(data: Folder | None = None) -> Path | None:
    """The directory of reference files: the argument, or ``TACIT_DATA``, or none."""
    folder = data if data is not None else os.environ.get("TACIT_DATA")
    return Path(folder) if folder else None


def _find(reference: Reference, folder: Path | None) -> Path | None:
    """The file under its name here or a published one, as text before R's format."""
    if folder is None:
        return None
    for stem in (reference.name, *reference.aliases):
        for suffix in (".csv", ".rda", ".RData"):
            path = folder / f"{stem}{suffix}"
            if path.is_file():
                return path
    return None


def _read_rda(path: Path) -> pa.Table:
    """The one data frame in a file of R."""
    try:
        # an optional package, which brings pandas with it
        import rdata
    except ImportError:
        raise MissingExtra("rdata", "rda", f"reading {path.name}") from None
    objects = rdata.read_rda(str(path)).values()
    frames = [thing for thing in objects if hasattr(thing, "columns")]
    if len(frames) != 1:
        raise InputError(f"{path.name}: expected one data frame, found {len(frames)}.")
    return pa.Table.from_pandas(frames[0], preserve_index=False)


def missing(name: str, data: Folder | None = None) -> str | None:
    """What is missing and where it is published, in one sentence; None: it is there."""
    reference = REFERENCES[name]
    folder = directory(data)
    if _find(reference, folder) is not None:
        return None
    place = f"not in {folder}" if folder is not None else "TACIT_DATA is not set"
    shape = f"{reference.records} x {reference.attributes}"
    return (
        f"reference file '{name}' ({shape}, {reference.about}) is "
        f"missing ({place}); published in: {reference.published}"
    )


def reference(name: str, data: Folder | None = None) -> pa.Table:
    """Read one reference file.

    Parameters
    ----------
    name : str
        Its name in ``REFERENCES``; an absent file is an error that says where to get it.
    data : path, optional
        Directory of the files; ``TACIT_DATA`` unless given.
    """
    if name not in REFERENCES:
        raise InputError(f"no reference file {name!r}; known: {', '.join(REFERENCES)}.")
    path = _find(REFERENCES[name], directory(data))
    if path is None:
        raise InputError(f"{missing(name, data)}.")
    return csv.read_csv(path) if path.suffix == ".csv" else _read_rda(path)


def load(name: str = "census", data: Folder | None = None) -> tuple[pa.Table, str]:
    """The reference file and an empty note; or a stand-in and a note to be shown.

    Only ``census`` has a stand-in (the copula generator). For the others an absent file is
    an error.

    Parameters
    ----------
    name : str
        Its name in ``REFERENCES``.
    data : path, optional
        Directory of the files; ``TACIT_DATA`` unless given.
    """
    absent = missing(name, data) if name in REFERENCES else None
    if absent is None or not REFERENCES[name].stand_in:
        return reference(name, data), ""
    # whoever reads a result must see that it is not of the published file
    stand_in = REFERENCES[name].stand_in
    note = f"STAND-IN DATA: {stand_in} is used, because {absent}."
    return make_census(REFERENCES[name].records, seed=0), note
