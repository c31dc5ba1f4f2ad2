"""The charts of the report and the web page: numbers in, a `Drawing` out.

One chart per file, no statistics. Line charts of results folders are in `lines`, pictures
of blocks in `partition`; both give SVG text that stands alone.
"""

from tacit.report.charts.bars import Bar, bars
from tacit.report.charts.correlations import matrix
from tacit.report.charts.distribution import categories, histogram, pair
from tacit.report.charts.heatmap import heatmap
from tacit.report.charts.map import Point, risk_utility_map
from tacit.report.charts.spark import over_time, sparkline
from tacit.report.charts.svg import for_both

__all__ = [
    "Bar",
    "Point",
    "bars",
    "categories",
    "for_both",
    "heatmap",
    "histogram",
    "matrix",
    "over_time",
    "pair",
    "risk_utility_map",
    "sparkline",
]
