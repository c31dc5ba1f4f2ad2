"""Differences that are known and explained in words. Any other one turns the run red.

``published/known.json``: target -> {"why": sentence, "cells": [prefix, ...]}; a prefix matches
"cell measure" or a claim's text, and an empty list matches the whole target. The list hides
nothing: a known difference is still printed as *differs*, in the terminal, the CSV and the
summary. A target without its parts is never known.
"""

from __future__ import annotations

import json
from importlib.resources import files
from typing import TypedDict

from tacit.reproduce.figures_text import p_text
from tacit.reproduce.judgement import DIFFERS, Judged
from tacit.reproduce.target_result import Result


class Entry(TypedDict):
    """Why a target differs, and where."""

    why: str
    cells: list[str]


def known() -> dict[str, Entry]:
    """The list as committed."""
    folder = files("tacit.reproduce").joinpath("published")
    text = folder.joinpath("known.json").read_text(encoding="utf-8")
    return dict(json.loads(text))


def _ours(judged: Judged) -> str:
    # a word has no number: the reason holds it
    return judged.why if judged.ours is None else f"ours {judged.ours:.6g}"


def _is_known(text: str, entry: Entry | None) -> bool:
    """A prefix of the entry matches; an entry without prefixes matches everything."""
    if entry is None:
        return False
    prefixes = entry["cells"]
    return not prefixes or any(text.startswith(prefix) for prefix in prefixes)


def reason(name: str, text: str) -> str:
    """Why this value or claim of a target differs, as far as the list knows; else empty."""
    entry = known().get(name)
    return entry["why"] if entry and _is_known(text, entry) else ""


def surprises(results: list[Result]) -> list[str]:
    """What is not reproduced and not known.

    Missing parts, errors, unexplained differences, claims that fail.
    """
    listed = known()
    out = []
    for result in results:
        name = result.target.name
        entry = listed.get(name)
        # these two can never be on the list
        if result.missing:
            out.append(f"{name}: not available ({result.missing})")
        out += [f"{name}: error ({error})" for error in result.errors]
        for cell, measure, judged in result.lines:
            where = f"{cell} {measure}"
            if judged.verdict == DIFFERS and not _is_known(where, entry):
                figures = f"published {judged.published}, {_ours(judged)}"
                if judged.likelier is not None:
                    figures += f", p {p_text(judged.likelier)}"
                out.append(f"{name}: {where}: {figures}")
        out += [
            f"{name}: does not hold: {text} ({figure})"
            for text, holds, figure in result.claims
            if not holds and not _is_known(text, entry)
        ]
    return out
