"""The codebook as a file: a page, JSON, or DDI-Codebook 2.5 as data archives exchange it."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from xml.etree import ElementTree as xml

from tacit.base.errors import InputError
from tacit.data.io import replacing
from tacit.report.assets import font, text
from tacit.report.codebook import Codebook, Variable
from tacit.report.render import environment
from tacit.report.words import count

# the name space of the version that archives read
DDI = "ddi:codebook:2_5"


def write_codebook(
    book: Codebook,
    path: str | Path,
    *,
    force: bool = False,
) -> Path:
    """Write a codebook; the ending says the form: .html, .json or .xml (DDI-Codebook 2.5).

    Parameters
    ----------
    book : Codebook
        What ``tacit.report.codebook.codebook`` made.
    path : path
        The file to write.
    force : bool
        Replace a file that is there.
    """
    path = Path(path)
    form = form_of(path)
    with replacing(path, force=force) as temporary:
        temporary.write_text(form(book), encoding="utf-8")
    return path


def form_of(path: Path) -> Callable[[Codebook], str]:
    """The form that the ending of a name asks for."""
    form = FORMS.get(path.suffix.lower())
    if form is None:
        raise InputError(
            f"{path}: a codebook is written as {', '.join(FORMS)}; choose one of these endings"
        )
    return form


def html(book: Codebook) -> str:
    """The codebook as one page that opens offline."""
    style = text("tokens.css") + text("report.css")
    template = environment().get_template("codebook.html.j2")
    page: str = template.render(b=book, font=font(), style=style, count=count)
    return page


def as_json(book: Codebook) -> str:
    """The codebook as JSON."""
    return json.dumps(book.to_dict(), indent=1, ensure_ascii=False) + "\n"


def ddi(book: Codebook) -> str:
    """The codebook as DDI-Codebook 2.5: the study, the file, and its variables."""
    root = xml.Element("codeBook", {"xmlns": DDI, "version": "2.5"})
    study = xml.SubElement(root, "stdyDscr")
    titles = xml.SubElement(xml.SubElement(study, "citation"), "titlStmt")
    xml.SubElement(titles, "titl").text = book.title
    if book.notes:
        about = xml.SubElement(study, "stdyInfo")
        xml.SubElement(about, "abstract").text = "\n".join(book.notes)
    if book.steps:
        method = xml.SubElement(study, "method")
        collected = xml.SubElement(method, "dataColl")
        for step in book.steps:
            # what was done to the data against disclosure
            xml.SubElement(collected, "cleanOps").text = step
    described = xml.SubElement(root, "fileDscr", {"ID": "F1"})
    file = xml.SubElement(described, "fileTxt")
    xml.SubElement(file, "fileName").text = book.file
    size = xml.SubElement(file, "dimensns")
    xml.SubElement(size, "caseQnty").text = str(book.records)
    xml.SubElement(size, "varQnty").text = str(len(book.variables))
    variables = xml.SubElement(root, "dataDscr")
    for number, variable in enumerate(book.variables, start=1):
        _ddi_variable(variables, variable, number)
    xml.indent(root)
    declared = '<?xml version="1.0" encoding="UTF-8"?>\n'
    return declared + xml.tostring(root, encoding="unicode") + "\n"


# our kinds in DDI's words
_INTERVALS = {"number": "contin", "count": "discrete"}


def _ddi_variable(parent: xml.Element, variable: Variable, number: int) -> None:
    attributes = {"ID": f"V{number}", "name": variable.name, "files": "F1"}
    interval = _INTERVALS.get(variable.kind)
    if interval:
        attributes["intrvl"] = interval
    if variable.level:
        # SPSS says scale where DDI says ratio
        attributes["nature"] = {"scale": "ratio"}.get(variable.level, variable.level)
    element = xml.SubElement(parent, "var", attributes)
    # the name in the file may be cut or changed
    label = variable.label or variable.original_name
    xml.SubElement(element, "labl").text = _allowed(label)
    if variable.lowest:
        valid = xml.SubElement(element, "valrng")
        ends = {"min": variable.lowest, "max": variable.highest}
        xml.SubElement(valid, "range", ends)
    if variable.missing:
        invalid = xml.SubElement(element, "invalrng")
        for value in variable.missing:
            xml.SubElement(invalid, "item", {"VALUE": _allowed(value.value)})
    for kind, size in (("vald", variable.values), ("invd", variable.gaps)):
        xml.SubElement(element, "sumStat", {"type": kind}).text = str(size)
    codes = {value.value for value in variable.missing}
    for value in (*variable.categories, *variable.missing):
        is_missing = "Y" if value.value in codes else "N"
        category = xml.SubElement(element, "catgry", {"missing": is_missing})
        xml.SubElement(category, "catValu").text = _allowed(value.value)
        if value.label:
            xml.SubElement(category, "labl").text = _allowed(value.label)
        xml.SubElement(category, "catStat", {"type": "freq"}).text = str(value.count)
    is_number = "numeric" if interval else "character"
    xml.SubElement(element, "varFormat", {"type": is_number})
    for words in variable.done:
        xml.SubElement(element, "notes", {"subject": "disclosure control"}).text = words


def _allowed(words: str) -> str:
    """Without the control characters that XML cannot hold."""
    return "".join(letter for letter in words if letter >= " " or letter in "\t\n")


FORMS: dict[str, Callable[[Codebook], str]] = {
    ".html": html,
    ".json": as_json,
    ".xml": ddi,
}
"""Ending -> the form of the file."""
