"""The reference files of the CASC project, read from a directory; a generated stand-in when a file is absent.

The files are not part of tacit. They were published by the European project CASC (Brand, Domingo-Ferrer and
Mateo-Sanz 2002) and are inside the R package sdcMicro, as ``data/*.rda``. Put them into one directory, as
``NAME.csv`` or ``NAME.rda``, and name the directory in ``TACIT_DATA`` (or with ``--data``).
"""

from __future__ import annotations

import os
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    import pyarrow as pa


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


_SDCMICRO = "R package sdcMicro (https://cran.r-project.org/package=sdcMicro), file data/{}.rda"
_CASC = "European project CASC, test sets (https://research.cbs.nl/casc/CASCtestsets.html)"

#: the reference files by name
REFERENCES = {
    reference.name: reference
    for reference in (
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
            "electricity revenue and sales of utilities, U.S. Energy Information Authority 1996",
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
        Reference("francdat", 8, 8, "eight records, for checking a risk by hand", _SDCMICRO.format("francdat")),
    )
}


def directory(data: str | os.PathLike[str] | None = None) -> Path | None:
    """The directory of reference files: the argument, or ``TACIT_DATA``, or none."""
    named = data if data is not None else os.environ.get("TACIT_DATA")
    return Path(named) if named else None


def _find(reference: Reference, where: Path) -> Path | None:
    for stem in (reference.name, *reference.aliases):
        for suffix in (".csv", ".rda", ".RData"):
            path = where / f"{stem}{suffix}"
            if path.is_file():
                return path
    return None


def _read_rda(path: Path) -> pa.Table:
    import pyarrow as pa

    from tacit.errors import InputError, MissingExtra

    try:
        import rdata
    except ImportError:
        raise MissingExtra("rdata", "rda", f"reading {path.name}") from None
    frames = [v for v in rdata.read_rda(str(path)).values() if hasattr(v, "columns")]
    if len(frames) != 1:
        raise InputError(f"{path.name}: expected one data frame, found {len(frames)}.")
    return pa.Table.from_pandas(frames[0], preserve_index=False)


def _read(path: Path) -> pa.Table:
    if path.suffix == ".csv":
        from pyarrow import csv

        return csv.read_csv(path)
    return _read_rda(path)


def missing(name: str, data: str | os.PathLike[str] | None = None) -> str | None:
    """One sentence that says what is missing and where it is published, or None when the file is there."""
    reference = REFERENCES[name]
    where = directory(data)
    if where is not None and _find(reference, where) is not None:
        return None
    place = f"not in {where}" if where is not None else "TACIT_DATA is not set"
    return (
        f"reference file '{name}' ({reference.records} x {reference.attributes}, {reference.about}) is "
        f"missing ({place}); published in: {reference.published}"
    )


def reference(name: str, data: str | os.PathLike[str] | None = None) -> pa.Table:
    """Read one reference file; an absent file is an ``InputError`` that says where it is published."""
    from tacit.errors import InputError

    if name not in REFERENCES:
        raise InputError(f"no reference file {name!r}; known: {', '.join(REFERENCES)}.")
    absent = missing(name, data)
    if absent is not None:
        raise InputError(absent + ".")
    where = directory(data)
    assert where is not None
    path = _find(REFERENCES[name], where)
    assert path is not None
    return _read(path)


def load(name: str = "census", data: str | os.PathLike[str] | None = None) -> tuple[pa.Table, str]:
    """The reference file and an empty note; or a generated stand-in and a note to be shown to the reader.

    Only ``census`` has a stand-in (the copula generator). For the others an absent file is an error.
    """
    absent = missing(name, data) if name in REFERENCES else None
    if absent is not None and REFERENCES[name].stand_in:
        from tacit.datasets.census import make_census

        return make_census(REFERENCES[name].records, seed=0), (
            f"STAND-IN DATA: {REFERENCES[name].stand_in} is used, because {absent}."
        )
    return reference(name, data), ""
