"""What is said of many values: counts by verdict, links to experiments, chance, what differs."""

from __future__ import annotations

from collections import Counter

from tacit.reproduce.figures_text import number, p_text
from tacit.reproduce.judgement import (
    AGREES,
    ARTEFACT,
    BETTER,
    DIFFERS,
    OUTSIDE,
    Judged,
    chance,
)
from tacit.reproduce.known import reason
from tacit.reproduce.target_result import Result

# Where the artefacts are explained and their experiments run, seen from the pages.
EXPLAINED = "../../explanation"
# The judged verdicts in the order in which they are told.
ORDER = (AGREES, ARTEFACT, BETTER, OUTSIDE, DIFFERS)


def judged_values(results: list[Result]) -> list[Judged]:
    """The values of several targets in one list."""
    return [judged for result in results for _, _, judged in result.lines]


def count(results: list[Result]) -> Counter[str]:
    """How often each verdict was given."""
    return Counter(judged.verdict for judged in judged_values(results))


def many(n: int, thing: str) -> str:
    """A number and its noun.

    >>> many(1, "value"), many(1200, "value")
    ('1 value', '1,200 values')
    """
    return f"{n:,} {thing}" + ("" if n == 1 else "s")


def link(result: Result, word: str) -> str:
    """The word, linked to the experiment that shows the target's artefact."""
    explained = result.target.explained
    return f"[{word}]({EXPLAINED}/{explained})" if explained else word


def experiments_of(results: list[Result]) -> str:
    """Links to the experiments behind the artefacts of these targets, each once."""
    places = {
        result.target.explained: result
        for result in results
        if result.target.explained and result.count(ARTEFACT)
    }
    words = [
        link(result, place.partition("#")[2].replace("-", " "))
        for place, result in places.items()
    ]
    return ", ".join(words)


def by_chance(results: list[Result]) -> str:
    """How many values are outside, how many must be, and how many are more than that."""
    found = chance(judged_values(results))
    expected = (
        f"{found.expected:.0f}" if found.tested > 200 else f"{found.expected:.1f}"
    )
    return (
        f"{found.outside} of {many(found.tested, 'value')} that depend on a draw lie outside their "
        f"95 % interval, where chance alone puts up to {expected}; {found.beyond} of "
        "them are more than chance over their table"
    )


def differing(results: list[Result], every: bool = True) -> list[str]:
    """A line for each target that is not reproduced, with the reasons that are known.

    With ``every``, also one for each value that differs and each claim that fails.
    """
    out = []
    for result in results:
        name = result.target.name
        values = [
            (f"{cell} {measure}", judged)
            for cell, measure, judged in result.lines
            if judged.verdict == DIFFERS
        ]
        failing = [(text, figure) for text, holds, figure in result.claims if not holds]
        texts = [text for text, _ in values] + [text for text, _ in failing]
        if not texts and not result.errors and not result.missing:
            continue
        told = [many(len(values), "value")] if values else []
        told += [many(len(failing), "claim")] if failing else []
        told += [many(len(result.errors), "error")] if result.errors else []
        if result.missing:
            told.append(f"not available ({result.missing}). Counted as not reproduced")
        why = " ".join(dict.fromkeys(reason(name, text) for text in texts)).strip()
        unexplained = "" if why or result.missing else "Not explained."
        head = f"- **{name}**, {result.target.title}: {', '.join(told)}."
        out.append(f"{head} {why or unexplained}".rstrip())
        if every:
            out += [_value(text, judged) for text, judged in values]
            out += [f"    - claim: {text} ({figure})" for text, figure in failing]
            out += [f"    - error: {error}" for error in result.errors]
    return out


def _value(text: str, judged: Judged) -> str:
    """One value that differs, in the list of its target."""
    ours = judged.why if judged.ours is None else f"ours {number(judged.ours)}"
    p = f", p {p_text(judged.likelier)}" if judged.likelier is not None else ""
    return f"    - {text}: published {judged.published}, {ours}{p}"


def older(results: list[Result]) -> list[str]:
    """What a resumed run must say: some figures come from another version of the code."""
    stored = sum(result.older for result in results)
    if not stored:
        return []
    warning = (
        f"**{stored:,} stored runs were made by other code than this** "
        "(`--fresh` computes them again)."
    )
    return [warning, ""]


def verdicts(result: Result) -> str:
    """How often each verdict was given in one target, the commonest first."""
    tally = count([result])
    return ", ".join(f"{n} {verdict}" for verdict, n in tally.most_common())
