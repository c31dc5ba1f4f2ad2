"""What an intruder computes from the external report: no parameter, seed or number of groups."""

from __future__ import annotations

import re
from html import unescape

import pytest

import tacit as tc
from tacit import report
from tacit.report import external
from tacit.report.bands import band, ends, share_band

RECORDS = 400
PLANS = {
    "microaggregation": ({"k": 13}, [13, RECORDS // 13]),
    "noise": ({"percent": 17.3}, [17.3, 0.173]),
    "rank_swapping": ({"p": 7}, [7]),
    "laplace": ({"epsilon": 3.7}, [3.7]),
}
SEED = 918273


def figures(text: str) -> list[float]:
    """Every number that the body shows; of the glossary and the head none was computed."""
    body = text[text.index("<main") : text.index('<section id="words"')]
    # what is drawn and what screen readers say is published, too
    body = re.sub(r"<style.*?</style>", "", body, flags=re.S)
    plain = unescape(
        re.sub(r"<(?!/?title)[^>]*?(aria-label=\"[^\"]*\")?[^>]*>", r" \1 ", body)
    )
    return [float(one) for one in re.findall(r"\d+(?:\.\d+)?", plain.replace(",", ""))]


@pytest.fixture(scope="module")
def data() -> tc.Microdata:
    table = tc.datasets.make_census(RECORDS, seed=2)
    return tc.Microdata.of(table)


def published(
    data: tc.Microdata,
    method: str,
    external: bool = True,
    given: dict[str, float] | None = None,
) -> str:
    """The report of one plan."""
    parameters = {**PLANS[method][0], **(given or {})}
    seed: int | None = SEED
    if method == "laplace":
        # bounds that are wide enough for any income, and noise from the system
        bounds = {name: [-1e6, 1e6] for name in data.quasi}
        parameters = {**parameters, "bounds": bounds}
        seed = None
    plan = tc.Plan((tc.Step(method, parameters, seed),))
    masked = plan.mask(data)
    # every measure: each figure that is shown narrows a parameter further
    result = tc.assess(
        data, masked, plan=plan, attackers=("nearest", "assignment"), truth="rows"
    )
    return report.html(result, external=external, plan=plan)


def gives_away(shown: list[float], secret: float) -> list[float]:
    """Figures that are the secret, or its inverse, as a number, a share or a count of records."""
    part = secret / RECORDS
    wanted = {secret, 1 / secret, 100 / secret, RECORDS / secret, part, 100 * part}
    return [
        one
        for one in shown
        for target in wanted
        # with two digits a parameter is as good as known; small whole numbers are everywhere
        if one not in (0, 1, 100) and abs(one - target) <= 0.02 * abs(target)
    ]


@pytest.mark.few(2)
@pytest.mark.parametrize("method", list(PLANS))
def test_no_parameter_can_be_computed(data: tc.Microdata, method: str) -> None:
    text = published(data, method)
    for secret in [*PLANS[method][1], SEED]:
        # the ends of bands are the same for every release: 5 % says nothing of k = 20
        ends_of_bands = {1, 2, 5, 10, 20, 50, 0.1, 0.2, 0.5}
        shown = [one for one in figures(text) if one not in ends_of_bands]
        assert gives_away(shown, secret) == [], (method, secret)
    assert str(SEED) not in text


NEIGHBOURS = {
    "microaggregation": ("k", [6, 7, 8, 12, 13, 14, 15]),
    "noise": ("percent", [8.5, 9.0, 10.0, 11.0, 12.0, 16.0, 400.0, 500.0]),
    "rank_swapping": ("p", [4, 5, 6, 7]),
}


@pytest.mark.slow
@pytest.mark.parametrize("method", list(NEIGHBOURS))
def test_another_parameter_gives_the_same_report(
    data: tc.Microdata, method: str
) -> None:
    """An intruder with the very file tries parameters: none of them stands alone.

    With every attack and measure in bands of its own each of these values was known: twenty bands
    end in twenty places.
    """
    parameter, values = NEIGHBOURS[method]
    alike: dict[str, list[float]] = {}
    for value in values:
        text = published(data, method, given={parameter: value})
        body = text[text.index("<main") : text.index('<section id="words"')]
        alike.setdefault(body, []).append(value)
    assert all(len(group) > 1 for group in alike.values()), list(alike.values())


@pytest.mark.slow
def test_epsilon_cannot_be_told_from_its_double(data: tc.Microdata) -> None:
    """The noise comes from the system, so words and figures are compared, not bytes."""
    one, two = (
        figures(published(data, "laplace", given={"epsilon": value}))
        for value in (1.0, 2.0)
    )
    # what is left moves by chance: rates of some records of 400, whose band ends at 2 %
    assert {number for number in one if number > 2} == {
        number for number in two if number > 2
    }


def test_nothing_exact_is_hidden_in_the_markup(data: tc.Microdata) -> None:
    """Tables sort by exact values, which must not leave."""
    assert "data-o=" in published(data, "noise", external=False)
    assert "data-o=" not in published(data, "noise")


def test_the_attack_works_on_exact_figures(data: tc.Microdata) -> None:
    """On the internal report the same reader finds k: the test above can fail."""
    text = published(data, "microaggregation", external=False)
    assert gives_away(figures(text), 13)


def test_neighbours_cannot_be_told_apart(data: tc.Microdata) -> None:
    """The strongest rate of k = 13 and of k = 16 is the same band."""
    assert share_band(1 / 13) == share_band(1 / 16) == "5 to 10\u00a0%"


def test_bands() -> None:
    assert share_band(0) == share_band(0.0009) == "under 0.1\u00a0%"
    assert share_band(0.5) == share_band(1.0) == "over 50\u00a0%"
    assert share_band(0.0499) == "2 to 5\u00a0%"
    assert share_band(float("nan")) == "–"
    assert band(17.2) == "10 to 20"
    assert band(-3) == "−2 to −5"
    assert band(0.0) == "under 0.001"
    for value in (0.001, 0.002, 0.005, 0.01, 0.02, 0.1, 1, 2, 5, 7, 99.9):
        low, high = ends(value)
        assert low <= value * (1 + 1e-9) < high * (1 + 1e-9)
        assert high / low >= 2


def test_the_verdict_says_of_other_checks_only_that_they_fail(
    data: tc.Microdata,
) -> None:
    """A band for each of them in its sentence would be one more figure."""
    weak = tc.Plan((tc.Step("noise", {"percent": 3.0}, SEED),))
    who = ("nearest", "assignment")
    result = tc.assess(data, weak.mask(data), plan=weak, attackers=who, truth="rows")
    sentence = external.published(result)["verdict"]["sentence"]
    assert "records named with certainty is above 0.5" in sentence
    # how many are left unnamed is no figure of theirs
    others = re.sub(r"and \d+ more", "", sentence.partition("Also, ")[2])
    assert re.findall(r"\d+(?:\.\d+)?", others)
    assert not re.findall(r"(?<!above )(?<![\d.])\d+(?:\.\d+)?", others)
