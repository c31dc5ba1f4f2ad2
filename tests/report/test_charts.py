"""Drawings: well-formed, escaped, at the right places; numbers written for people."""

from __future__ import annotations

import xml.etree.ElementTree as ET

import numpy as np
import pytest

from tacit.base.errors import ParameterError
from tacit.report import shapes
from tacit.report.charts import (
    Bar,
    Point,
    bars,
    categories,
    for_both,
    heatmap,
    histogram,
    matrix,
    over_time,
    pair,
    partition,
    risk_utility_map,
    sparkline,
)
from tacit.report.charts.axes import LogScale, Scale, ticks
from tacit.report.charts.map import look_of
from tacit.report.charts.map_labels import meet
from tacit.report.charts.svg import wide
from tacit.report.figure import Figure
from tacit.report.words import count, inside, number, one_in, percent, seconds, title


@pytest.mark.parametrize(
    ("value", "text"),
    [
        (0, "0"), (12.5, "12.5"), (1080, "1,080"), (0.03412, "0.0341"), (149642, "150k"),
        (3.5e6, "3.5M"), (1.2e-5, "1.2e-5"), (float("nan"), "–"), (float("inf"), "∞"), (-3, "−3"),
    ],
)  # fmt: skip
def test_number(value: float, text: str) -> None:
    assert number(value) == text


def test_words() -> None:
    assert percent(0.123) == "12.3\u00a0%"
    assert percent(0.0009) == "0.09\u00a0%"
    assert percent(1.0) == "100\u00a0%"
    assert count(360.0) == "360"
    assert count(316.667) == "316.7"
    assert one_in(0.05) == "one in 20"
    assert seconds(0.25) == "250 ms"
    assert title("local_suppression") == "Local suppression"
    assert inside("pram") == "PRAM"


def test_ticks_are_round_and_inside() -> None:
    assert ticks(0, 1, 5) == [0, 0.2, 0.4, 0.6, 0.8, 1.0]
    for low, high in [(-3.7, 12.2), (0, 1e-9), (1e6, 1.3e6), (5, 5)]:
        found = ticks(low, high)
        assert all(low - 1e-9 <= t <= high + 1e-9 for t in found)


def test_scale() -> None:
    s = Scale(0, 10, 100, 200)
    assert s(5) == 150
    assert Scale(3, 3, 0, 10)(3) == 5


def test_a_logarithmic_scale_makes_equal_factors_equal_distances() -> None:
    s = LogScale(1, 100, 0, 200)
    assert s(10) == 100
    assert s(0) == 0
    assert s.ticks() == [1, 10, 100]
    assert LogScale(2, 5, 0, 1).ticks() == [2, 5]


def parse(drawing: object) -> ET.Element:
    return ET.fromstring(str(drawing))


HOSTILE = '<b onload="x">&"name'


def test_every_chart_is_well_formed_and_escapes() -> None:
    drawings = [
        bars(HOSTILE, [Bar(HOSTILE, 0.3, 0.2, 0.4, 0.01), Bar("b", 0.1)], bound=0.05),
        categories(HOSTILE, [HOSTILE, "b"], [0.5, 0.5], [0.4, 0.6]),
        pair(HOSTILE, [0, 1, 2], [0.5, 0.5], [0.2, 0.8]),
        histogram(HOSTILE, [0, 1, 2], [3, 0], x_name=HOSTILE),
        matrix(HOSTILE, [HOSTILE, "b"], [[1.0, -0.4], [-0.4, float("nan")]]),
        over_time(
            HOSTILE, [0, 1, 2], [0.1, float("nan"), 0.2], chance=0.01, bound=0.15
        ),
        sparkline([1, 2, 3], title=HOSTILE),
        risk_utility_map(
            [Point(HOSTILE, 0.2, 3, HOSTILE, chosen=True, frontier=True, id='1"')],
            bound=0.05,
        ),
        risk_utility_map([]),
    ]
    for drawing in drawings:
        root = parse(drawing)
        assert not [e for e in root.iter() if e.tag == "b" or "onload" in e.attrib]
        # a page with a strict policy must be able to show it
        assert not [e for e in root.iter() if "style" in e.attrib]


def test_map_places_points_and_names_the_release() -> None:
    root = parse(
        risk_utility_map(
            [Point("low", 0.1, 1, "a"), Point("high", 0.9, 1, "b", chosen=True, id="7")]
        )
    )
    picks = [e for e in root.iter() if e.attrib.get("data-choose") == "7"]
    assert len(picks) == 1
    assert picks[0].attrib["tabindex"] == "0"
    assert "risk 90.0\u00a0%" in picks[0].attrib["aria-label"]
    # higher risk is drawn higher; families differ in shape, not only in colour
    marks = [e for e in root.iter() if "point" in e.attrib.get("class", "").split()]
    assert {e.tag for e in marks} == {"circle", "path"}


def test_map_shows_the_interval_of_the_risk_inside_the_frame() -> None:
    drawing = risk_utility_map([Point("a", 0.5, 1, "f", interval=(0.4, 0.9))])
    whiskers = [e for e in parse(drawing).iter() if e.attrib.get("class") == "whisker"]
    assert len(whiskers) == 1
    ends = [float(whiskers[0].attrib[name]) for name in ("y1", "y2")]
    assert ends[0] > ends[1] >= 18
    flat = risk_utility_map([Point("a", 0.5, 1, "f", interval=(0.5, 0.5))])
    assert "whisker" not in str(flat)


def test_partition_is_drawn_with_its_blocks() -> None:
    values = np.random.default_rng(0).normal(size=(300, 2))
    text = partition.draw(values)
    root = ET.fromstring(text)
    looks = [e.attrib.get("class", "") for e in root.iter()]
    assert looks.count("record") == 300
    assert "cell" in looks
    with pytest.raises(ParameterError, match="two columns"):
        partition.draw(values[:, :1])


def test_bar_length_is_proportional() -> None:
    root = parse(bars("t", [Bar("a", 0.2), Bar("b", 0.1)]))
    widths = [
        float(e.attrib["width"])
        for e in root.iter()
        if "masked" in e.attrib.get("class", "")
    ]
    assert widths[0] == pytest.approx(2 * widths[1], rel=1e-2)


def test_a_telephone_has_a_drawing_of_its_own() -> None:
    """Labels above the bars, which then have the width; one of the two is hidden."""
    rows = [Bar("A label that is rather long", 0.2)]
    both = for_both(lambda width: bars("t", rows, width=width), 720)
    screen, phone = ET.fromstring(f"<div>{both}</div>")
    assert screen.attrib["class"].endswith("for-screen")
    assert phone.attrib["class"].endswith("for-phone")
    labels = {
        kind: next(e for e in drawing.iter() if e.text == rows[0].label)
        for kind, drawing in (("screen", screen), ("phone", phone))
    }
    tracks = {
        kind: next(e for e in drawing.iter() if e.attrib.get("class") == "track")
        for kind, drawing in (("screen", screen), ("phone", phone))
    }
    assert float(labels["phone"].attrib["y"]) <= float(tracks["phone"].attrib["y"])
    assert float(labels["screen"].attrib["y"]) > float(tracks["screen"].attrib["y"])
    assert float(tracks["phone"].attrib["width"]) > 0.8 * 340


def test_a_plan_that_was_run_twice_is_named_once() -> None:
    one = Point("k=5", 0.5, 1, "f", frontier=True)
    drawing = risk_utility_map([one, one, Point("k=9", 0.2, 2, "f", frontier=True)])
    assert str(drawing).count(">k=5</text>") == 1
    assert str(drawing).count(">k=9</text>") == 1


def test_words_on_the_bound_and_labels_do_not_meet() -> None:
    """They did: 'k=20: Borderline' lay over 'accepted up to 5 %'."""
    points = [Point(f"k={k}", r, x, "a") for k, r, x in ((1, 0.06, 9), (2, 0.055, 10))]
    root = parse(risk_utility_map(points, bound=0.05, width=720, height=220))
    words = [e for e in root.iter() if (e.text or "").startswith("accepted")]
    assert len(words) == 1
    assert float(words[0].attrib["x"]) < 200


def boxes(root: ET.Element) -> dict[str, tuple[float, float, float, float]]:
    """Where each name stands, by its text."""
    found = {}
    for one in root.iter():
        if "label" not in one.attrib.get("class", "").split():
            continue
        span = wide(one.text or "")
        shift = {"end": span, "middle": span / 2}.get(
            one.attrib.get("text-anchor", ""), 0.0
        )
        left, base = float(one.attrib["x"]) - shift, float(one.attrib["y"])
        found[one.text or ""] = (left, base - 11, left + span, base + 3)
    return found


@pytest.mark.parametrize("width", [980, 340])
def test_names_on_a_crowded_map_meet_nothing_and_stand_by_their_point(width) -> None:
    """The name of k=29 stood beside the point of k=5, and lines went through names."""
    rates = {5: 0.2, 6: 0.167, 10: 0.1, 12: 0.083, 20: 0.05, 24: 0.042, 29: 0.034}
    points = [
        Point(
            f"Microaggregation k={k}",
            rate,
            0.03 + 0.02 * k**0.5 / 2,
            "microaggregation",
            chosen=k == 29,
            frontier=True,
        )
        for k, rate in rates.items()
    ]
    points.append(Point("as it is, before protection", 1.0, 0.0, "as it is"))
    drawing = risk_utility_map(points, bound=0.05, width=width, height=min(420, width))
    root = parse(drawing)
    names = boxes(root)
    # every plan is microaggregation: the key says so once
    assert "k=29" in names
    assert len(names) >= 3
    places = list(names.values())
    for place, one in enumerate(places):
        assert not any(meet(one, other) for other in places[place + 1 :])
    marks = [e for e in root.iter() if "point" in e.attrib.get("class", "").split()]
    circles = {
        e.find("title").text.split(":")[0]: (
            float(e.attrib["cx"]),
            float(e.attrib["cy"]),
        )
        for e in marks
        # those of the key have no words of their own
        if "cx" in e.attrib and e.find("title") is not None
    }
    tied = len([e for e in root.iter() if e.attrib.get("class") == "leader"])
    far = 0
    for name, (left, top, right, bottom) in names.items():
        own = circles.get(f"Microaggregation {name}")
        if own is None:
            continue
        down = max(top - own[1], own[1] - bottom, 0)
        across = max(left - own[0], own[0] - right, 0)
        assert across <= 20, name
        far += down > 20
    assert far == tied


def test_no_two_families_share_a_mark() -> None:
    """After six families the marks began again: three methods were a blue circle."""
    looks = [look_of(place) for place in range(36)]
    assert len(set(looks)) == 36


def test_figure_is_a_standalone_file(tmp_path: object) -> None:
    figure = Figure(bars("t", [Bar("a", 0.2)]))
    ET.fromstring(figure.svg)
    assert "--tc-masked" in figure.svg
    assert figure._repr_html_().startswith("<div")


def test_bins_share_all_records_and_cut_is_told() -> None:
    rng = np.random.default_rng(1)
    x = rng.normal(size=5000)
    found = shapes.bins(x, x + 1)
    assert found is not None
    assert sum(found.before) + found.cut == pytest.approx(1.0, abs=0.02)
    tail = np.concatenate([x, [1e6]])
    found = shapes.bins(tail, tail)
    assert found is not None
    assert found.edges[-1] < 100
    assert found.cut > 0
    assert shapes.bins(np.array([np.nan]), np.array([np.nan])) is None
    constant = shapes.bins(np.full(9, 4.0), np.full(9, 4.0))
    assert constant is not None
    assert sum(constant.before) == pytest.approx(1.0)


def test_shares_add_up_and_missing_is_named() -> None:
    labels, before, after = shapes.shares([*"aaab", None], list("abcdefghijkl"))
    assert "(missing)" in labels or "(others)" in labels
    assert sum(before) == pytest.approx(1)
    assert sum(after) == pytest.approx(1)


def test_correlations_equal_numpy_and_survive_constants() -> None:
    rng = np.random.default_rng(0)
    x = rng.normal(size=(60, 3))
    np.testing.assert_allclose(shapes.correlations(x), np.corrcoef(x.T), atol=1e-12)
    x[:, 1] = 7
    found = shapes.correlations(x)
    assert np.isnan(found[1]).all()
    assert found[0, 2] == pytest.approx(np.corrcoef(x[:, 0], x[:, 2])[0, 1])


def test_a_heatmap_has_every_figure_and_tells_losses_apart() -> None:
    values = [[0.0, 0.5], [1.0, float("nan")], [-0.5, 0.25]]
    text = str(heatmap("Risk", ["a", "b", "c"], ["first", "second"], values))
    for said in ("a, first: 0", "a, second: 50.0", "b, first: 100", "b, second: none"):
        assert said in text
    assert text.count("heat-5") == 1
    assert "lost-3" in text
    assert text.count('class="cell') == 6
    # on the darkest shades letters are light
    assert text.count("on-dark") == 1


def test_on_a_telephone_the_limit_goes_behind_the_names_of_bars() -> None:
    """It went through them: 'Nearest record' was crossed by the dashed line."""
    drawn = str(bars("t", [Bar("Nearest record", 0.3)], bound=0.05, width=340))
    assert 'class="bound"' in drawn
    assert drawn.count(">Nearest record<") == 1
    assert drawn.index('class="bound"') < drawn.index(">Nearest record<")


def test_words_on_the_bound_go_beside_a_point_where_both_ends_are_taken() -> None:
    """A lattice has points on a bound of zero at both ends: its words lay over one of them."""
    points = [
        Point("a", risk=0, loss=0.1),
        Point("b", risk=0, loss=0.5),
        Point("c", risk=0, loss=1),
        Point("d", risk=0.7, loss=0.7),
    ]
    root = parse(risk_utility_map(points, bound=0))
    words = next(e for e in root.iter() if (e.text or "").startswith("accepted"))
    start = float(words.attrib["x"])
    end = start + wide(words.text or "")
    marks = [float(e.attrib["cx"]) for e in root.iter() if "cx" in e.attrib]
    assert len(marks) == len(points)
    assert not [cx for cx in marks[:3] if start - 8 < cx < end + 8]
