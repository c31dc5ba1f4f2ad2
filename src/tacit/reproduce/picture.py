"""The picture at the head of a paper's page: every published value against ours."""

from __future__ import annotations

from tacit.report.charts.lines import Line, chart
from tacit.reproduce.judgement import (
    AGREES,
    ARTEFACT,
    BETTER,
    DIFFERS,
    OUTSIDE,
    STAND_IN,
)
from tacit.reproduce.papers import Paper
from tacit.reproduce.target_result import Result

# What is drawn, in the order of the legend, and what the legend says of it.
_SHOWN = {
    AGREES: "agrees",
    ARTEFACT: "artefact: sound computation",
    "fault": "artefact: fault, re-enacted",
    BETTER: "better",
    STAND_IN: "on stand-in data",
    OUTSIDE: "outside, within chance",
    DIFFERS: "differs",
}


def _dots(results: list[Result]) -> dict[str, list[tuple[float, float]]]:
    """(published, ours) by verdict; what has no logarithm has no place."""
    dots: dict[str, list[tuple[float, float]]] = {}
    for result in results:
        for _, _, judged in result.lines:
            if judged.verdict not in _SHOWN or judged.ours is None:
                continue
            theirs = float(judged.published)
            pairs = {judged.verdict: judged.ours}
            if judged.verdict == ARTEFACT and judged.fault is not None:
                pairs["fault"] = judged.fault
            for name, ours in pairs.items():
                if min(theirs, ours) > 0:
                    dots.setdefault(name, []).append((theirs, ours))
    return dots


def picture(paper: Paper, results: list[Result]) -> str:
    """Published against ours on logarithmic axes; on the line both are equal. Empty for nothing."""
    dots = _dots(results)
    if not dots:
        return ""
    ends = [value for pairs in dots.values() for pair in pairs for value in pair]
    low, high = min(ends), max(ends)
    lines = [
        Line(words, dots[name], scatter=True)
        for name, words in _SHOWN.items()
        if name in dots
    ]
    equal = Line("equal", [(low, low), (high, high)], dashed=True)
    return chart(
        f"{paper.source}: every value, published and ours",
        "published",
        "ours",
        [*lines, equal],
        log_x=True,
        log_y=True,
    )
