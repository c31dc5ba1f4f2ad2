"""The report: what it says, what the external one must not say, and that it is one offline file."""

from __future__ import annotations

import hashlib
import re
from base64 import b64encode
from html import unescape
from html.parser import HTMLParser
from pathlib import Path

import numpy as np
import pytest

import tacit as tc
from tacit import report
from tacit.report import assets


class Page(HTMLParser):
    """Visible text, attribute values, and every address that a browser would fetch."""

    def __init__(self, text: str) -> None:
        super().__init__()
        self.words: list[str] = []
        self.attributes: list[str] = []
        self.fetched: list[str] = []
        self.inside: list[str] = []
        self.ids: list[str] = []
        self.feed(text)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        for name, value in attrs:
            if (
                name in ("src", "href", "action", "data", "srcset", "poster")
                and value
                and not value.startswith("#")
            ):
                self.fetched.append(value)
            if name == "id":
                self.ids.append(value or "")
            self.attributes.append(value or "")
        if tag not in ("meta", "link", "br", "img", "input"):
            self.inside.append(tag)

    def handle_endtag(self, tag: str) -> None:
        if tag in self.inside:
            while self.inside.pop() != tag:
                pass

    def handle_data(self, data: str) -> None:
        if not {"style", "script"} & set(self.inside):
            self.words.append(data)

    @property
    def text(self) -> str:
        return " ".join(self.words)


def test_internal_report_holds_every_part(
    assessment: tc.Assessment, tmp_path: Path
) -> None:
    path = report.write(assessment, tmp_path / "r.html", name="survey.csv")
    page = Page(path.read_text(encoding="utf-8"))
    parts = (
        "summary",
        "map",
        "attacks",
        "records",
        "columns",
        "groups",
        "risk",
        "loss",
    )
    parts += ("distributions", "correlations", "done", "words")
    for part in parts:
        assert part in page.ids, part
    link = assessment.strongest
    assert link is not None
    assert f"{100 * link[1].rate:.1f}\u00a0%" in page.text
    assert "percent = 23.4567" in page.text
    assert "918273" not in page.text  # the seed
    assert "tacit protect survey.csv" in page.text
    assert link[1].knows[1:] in page.text


def test_report_is_one_offline_file(assessment: tc.Assessment, tmp_path: Path) -> None:
    for external in (False, True):
        text = report.write(
            assessment, tmp_path / "r.html", external=external
        ).read_text(encoding="utf-8")
        page = Page(text)
        assert page.fetched == []
        # one script, that of the report, which the policy names by its hash
        scripts = re.findall(r"<script>(.*?)</script>", text, flags=re.S)
        assert scripts == [assets.text("sort.js")]
        digest = hashlib.sha256(scripts[0].encode()).digest()
        assert f"script-src 'sha256-{b64encode(digest).decode()}';" in unescape(text)
        assert text.count("<script") == 1
        assert re.findall(r"url\((?!data:)", text) == []
        assert "default-src 'none'" in text
        assert "@media print" in text
        assert "prefers-color-scheme: dark" in text


def forms_of(value: object) -> set[str]:
    """The ways in which a report might write a value."""
    if isinstance(value, float):
        whole = (
            [f"{value:.{digits}f}" for digits in range(5)]
            if abs(value) >= 100
            else [repr(value)]
        )
        return {
            repr(value),
            f"{value:,.4f}",
            f"{value:,.0f}",
            f"{value:.6g}",
            f"{value:,.6g}",
            *whole,
        }
    return {str(value)}


def test_external_report_holds_no_original_value(
    assessment: tc.Assessment, survey: tc.Microdata, tmp_path: Path
) -> None:
    text = unescape(
        report.write(
            assessment, tmp_path / "e.html", external=True, name="survey"
        ).read_text("utf-8")
    )
    page = Page(text)
    # whole words: text, and every attribute (tips of charts, labels for screen readers)
    words = set(
        re.split(r"[\s;,:()<>\"'=]+", page.text + " " + " ".join(page.attributes))
    )
    words |= {word.rstrip(".%") for word in words}
    for name in survey.names:
        for value in survey.table.column(name).to_pylist():
            assert not (forms_of(value) & words), (name, value)
            if isinstance(value, str):
                assert value not in text


def test_the_check_above_can_fail(
    assessment: tc.Assessment, survey: tc.Microdata, tmp_path: Path
) -> None:
    """The internal report does show records, and the same check finds them there."""
    text = unescape(report.write(assessment, tmp_path / "i.html").read_text("utf-8"))
    page = Page(text)
    words = set(re.split(r"[\s;:()<>\"'=]+", page.text))
    hits = [v for v in survey.table.column("income").to_pylist() if forms_of(v) & words]
    assert len(hits) >= 5


def test_external_report_holds_no_parameter(
    assessment: tc.Assessment, tmp_path: Path
) -> None:
    text = report.write(assessment, tmp_path / "e.html", external=True).read_text(
        "utf-8"
    )
    for secret in ("23.4567", "23.46", "918273", "percent = ", "person", "scaled by"):
        body = text[text.index("<body") :]
        # 'person' is also an English word of the glossary; the identifier's name must not
        # stand alone as a column
        assert (secret not in body) or (
            secret == "person" and ">person<" not in body
        ), secret
    assert "Noise" in text


def test_markup_in_names_and_values_is_text(tmp_path: Path) -> None:
    bad = "<script>alert(1)</script>"
    data = tc.Microdata.of(
        {
            bad: np.arange(40.0),
            'a" onload="x': np.arange(40.0)[::-1] ** 2,
            "c": [f"{bad}{i % 3}" for i in range(40)],
        },
        quasi=[bad, 'a" onload="x'],
    )
    plan = tc.Plan((tc.Step("noise", {}, seed=1),))
    masked = plan.apply(data)
    result = tc.assess(data, masked, risks=[], losses=["PIL"])
    for external in (False, True):
        text = report.html(result, external=external, name=bad, plan=plan)
        assert text.count("<script") == 1
        assert ' onload="x' not in text


@pytest.mark.slow
def test_report_of_100000_by_13_is_small(tmp_path: Path) -> None:
    data = tc.Microdata.of(tc.datasets.make_census(100_000, seed=1))
    plan = tc.Plan((tc.Step("noise", {"percent": 10.0}, seed=1),))
    masked = plan.apply(data)
    result = tc.assess(
        data,
        masked,
        attackers=["nearest"],
        risks=["interval"],
        losses=["PIL", "IL1", "KS"],
    )
    path = report.write(result, tmp_path / "big.html", plan=plan)
    assert path.stat().st_size < 5_000_000


def test_what_left_unprotected_stands_in_the_internal_report(
    assessment: tc.Assessment,
) -> None:
    left = {"column": "region", "reason": "untouched", "why": "no step", "accepted": 1}
    record = {"leaving": [left], "order": {"shuffled": False}}
    text = Page(report.html(assessment, manifest=record)).text
    assert "'region' leaves as it is: no step." in text
    assert "The rows keep the order of the original file." in text
    shuffled = {"leaving": [], "order": {"shuffled": True}}
    assert "keep the order" not in report.html(assessment, manifest=shuffled)
    public = Page(report.html(assessment, manifest=record, external=True)).text
    assert "leaves as it is" not in public
