"""The chart is well-formed XML, escapes its text, and puts larger values higher."""

import re
from xml.etree import ElementTree

import pytest

from tacit.report.charts.lines import Line, chart


def circles(svg):
    return [
        (float(x), float(y))
        for x, y in re.findall(r'<circle cx="([\d.]+)" cy="([\d.]+)"', svg)
    ]


@pytest.mark.parametrize(
    ("log_x", "log_y"), [(False, False), (True, True), (False, True)]
)
def test_points_are_placed_in_order(log_x, log_y):
    line = Line(
        "a < b & c",
        [(1, 10), (10, 100), (100, 1000)],
        [(9, 11), (90, 110), (900, 1100)],
    )
    svg = chart("T", "x", "y", [line], log_x=log_x, log_y=log_y, note="n")
    ElementTree.fromstring(svg)
    xs, ys = zip(*circles(svg), strict=True)
    assert list(xs) == sorted(xs)
    assert list(ys) == sorted(ys, reverse=True)
    if log_x:
        assert xs[1] - xs[0] == pytest.approx(xs[2] - xs[1], abs=0.2)


def test_degenerate_input_still_draws():
    for points in ([], [(1.0, 0.0)], [(2.0, float("nan"))], [(5.0, 5.0), (5.0, 5.0)]):
        ElementTree.fromstring(chart("T", "x", "y", [Line("a", points)], log_y=True))
