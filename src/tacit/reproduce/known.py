"""Differences that are known and explained in words. Anything else that is not reproduced turns the run red.

``published/known.json``: target -> {"why": sentence, "cells": [prefix, ...]}; a prefix matches "cell
measure" or a claim's text, and an empty list matches the whole target. The list hides nothing: a known
difference is still printed as *differs*, in the terminal, the CSV and the summary. A target without its
parts is never known.
"""

from __future__ import annotations

import json
from importlib.resources import files
from typing import Any

from tacit.reproduce.run import Result
from tacit.reproduce.verdict import Judged


def known() -> dict[str, Any]:
    """The list as committed."""
    text = files("tacit.reproduce").joinpath("published").joinpath("known.json").read_text(encoding="utf-8")
    return dict(json.loads(text))


def _ours(judged: Judged) -> str:
    return judged.why if judged.ours is None else f"ours {judged.ours:.6g}"


def surprises(results: list[Result]) -> list[str]:
    """What is not reproduced and not known: missing parts, errors, unexplained differences, claims that
    fail.
    """
    listed = known()
    out = []
    for result in results:
        name = result.target.name
        if result.missing:
            out.append(f"{name}: not available ({result.missing})")
        out += [f"{name}: error ({error})" for error in result.errors]
        prefixes = listed.get(name, {}).get("cells") if name in listed else None

        def is_known(text: str, prefixes: list[str] | None = prefixes) -> bool:
            return prefixes is not None and (not prefixes or any(text.startswith(p) for p in prefixes))

        for cell, measure, judged in result.lines:
            if judged.verdict == "differs" and not is_known(f"{cell} {measure}"):
                out.append(f"{name}: {cell} {measure}: published {judged.published}, {_ours(judged)}")
        out += [
            f"{name}: does not hold: {text} ({fig})"
            for text, held, fig in result.claims
            if not held and not is_known(text)
        ]
    return out
