"""The charts of the report and the web page: numbers in, a `Drawing` out. One chart a file, no statistics."""

from tacit.report.charts.bars import Bar, bars
from tacit.report.charts.distribution import categories, histogram, pair
from tacit.report.charts.map import Point, risk_utility_map
from tacit.report.charts.matrix import matrix
from tacit.report.charts.spark import lines, sparkline

__all__ = [
    "Bar",
    "Point",
    "bars",
    "categories",
    "histogram",
    "lines",
    "matrix",
    "pair",
    "risk_utility_map",
    "sparkline",
]
