"""Side-by-side measurements: ours and the alternatives, in one run on one machine, as ratios.

The protocol. Each module ``bench/NAME.py`` has

    def run(full: bool) -> list[Row]

and nothing else is asked of it. ``python -m bench`` (minutes) and ``python -m bench --full`` run every
module in a process of its own, print one table, write JSON to ``bench/results/`` and the page
``docs/bench.md`` with plots.

    from bench import Row, best

    def run(full):
        ours = best(lambda: solve(a, b))
        theirs = best(lambda: peer.solve(a, b))
        return [Row("assignment, sigma=25", ours, "scipy", theirs, size=1080, series="assignment")]

Rows that share a ``series`` and differ in ``size`` get a fitted growth exponent.
"""

from bench.row import Row, best, peak_memory_mb

__all__ = ["Row", "best", "peak_memory_mb"]
