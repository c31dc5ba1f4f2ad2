"""What the steps of a plan did, as the manifest holds it, one sentence each."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from tacit.protect import registry


def sentences(outcomes: Sequence[Mapping[str, Any]]) -> Iterator[str]:
    """What manifests hold of steps (``outcomes``): what was done, and what became of gaps."""
    for outcome in outcomes:
        which = f"step {outcome['step']} ({outcome['method']})"
        method = registry.get(outcome["method"])
        told = "" if method is None else method.told(outcome)
        if told:
            yield f"{which.capitalize()}: {told}."
        gaps = outcome.get("gaps")
        # a method that blanks cells has said how many
        if gaps and not (told and set(gaps) <= {"made"}):
            yield f"Gaps in {which}: {_of_gaps(gaps)}"


def sentences_of(manifest: Mapping[str, Any]) -> list[str]:
    """As ``sentences``, of a manifest that somebody else may have written; [] if it has none."""
    outcomes = manifest.get("outcomes")
    try:
        return list(sentences(outcomes)) if isinstance(outcomes, list) else []
    except (ArithmeticError, AttributeError, KeyError, TypeError, ValueError):
        return []  # of another version, or changed by hand


def _of_gaps(gaps: Mapping[str, Any]) -> str:
    parts = [
        f"{sum(gaps[word].values()):,} {what}"
        for word, what in (
            ("kept", "stayed gaps"),
            ("filled", "were filled"),
            ("made", "values became gaps"),
        )
        if word in gaps
    ]
    text = f"{', '.join(parts)}."
    rare = gaps.get("rare_patterns", 0)
    if rare:
        text += (
            f" {rare:,} records can be told by which of their cells are blank: fewer than k "
            "have the same ones."
        )
    return text
