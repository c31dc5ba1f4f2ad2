"""Columns of public files are guessed as a person judged them.

Run as a script it prints the table of docs/reference/inference.md:
``PYTHONPATH=src:tests python -m data.inference.test_public_files``.
"""

from __future__ import annotations

import pytest

from data.inference.judged import FILES, HELD_OUT, UNTOUCHED
from data.inference.judged_last import FRESH, LAST
from data.inference.judged_more import MORE
from data.inference.public import Score, score

# the packages that hold the files are of the extra `dev`, which only `make test-all` installs
pytestmark = pytest.mark.slow


def _all(files: dict[str, dict[str, str]], *, with_labels: bool) -> list[Score]:
    return [score(key, file, with_labels=with_labels) for key, file in files.items()]


def _right(scores: list[Score]) -> float:
    return sum(one.right for one in scores) / sum(one.columns for one in scores)


@pytest.mark.parametrize("with_labels", [False, True])
def test_twelve_files(with_labels: bool) -> None:
    scores = _all(FILES, with_labels=with_labels)
    assert len(scores) == 12
    assert _right(scores) >= 0.95
    assert not [one.dangerous for one in scores if one.dangerous]


@pytest.mark.parametrize("files", [HELD_OUT, UNTOUCHED])
def test_files_that_no_rule_was_written_for(files: dict[str, dict[str, str]]) -> None:
    scores = _all(files, with_labels=False)
    assert _right(scores) >= 0.95
    assert not [one.dangerous for one in scores if one.dangerous]


def test_no_dangerous_guess_few_others_and_few_questions() -> None:
    """What issue 33 asks for: of all files at most 3 % wrong, and 5 questions each."""
    files = {**FILES, **HELD_OUT, **UNTOUCHED, **MORE, **LAST, **FRESH}
    scores = _all(files, with_labels=False)
    assert len(scores) == 152
    assert not [one.dangerous for one in scores if one.dangerous]
    assert _right(scores) >= 0.97
    assert max(one.questions for one in scores) <= 5
    # what is wrong and not even asked about
    silent = sum(len(one.wrong) - one.asked for one in scores)
    assert silent <= 0.01 * sum(one.columns for one in scores)


def _print() -> None:
    for title, files in (
        ("The twelve files", FILES),
        ("Eight more", HELD_OUT),
        ("Four more", UNTOUCHED),
        ("Persons, weights, surveys, trials", MORE),
        ("Thirty more", LAST),
        ("Twenty more", FRESH),
    ):
        print(f"\n### {title}\n")
        print(
            "| file | columns | right by names and values | right with labels "
            "| questions | wrong |"
        )
        print("|---|---:|---:|---:|---:|---|")
        sums = [0, 0, 0]
        for key, file in files.items():
            plain = score(key, file, with_labels=False)
            told = score(key, file, with_labels=True)
            wrong = "; ".join(plain.wrong).replace("|", " or ")
            figures = (plain.columns, plain.right, told.right, plain.questions)
            print(f"| {key} | {' | '.join(map(str, figures))} | {wrong} |")
            sums = [
                a + b
                for a, b in zip(
                    sums, (plain.columns, plain.right, told.right), strict=True
                )
            ]
        shares = [f"{n} ({100 * n / sums[0]:.1f} %)" for n in sums[1:]]
        print(f"| all | {sums[0]} | {shares[0]} | {shares[1]} | | |")


if __name__ == "__main__":
    _print()
