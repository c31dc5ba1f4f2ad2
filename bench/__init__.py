"""Side-by-side measurements: ours and the alternatives, in one run on one machine, as ratios.

The protocol. Each module ``bench/NAME.py`` has

    def run(full: bool) -> list[Row]

and nothing else is asked of it. ``python -m bench`` (minutes) and ``python -m bench --full`` run
every
module in a process of its own, print one table, write JSON to ``bench/results/`` and the page
``docs/bench.md`` with plots.

    from bench import side_by_side

    def run(full):
        return side_by_side("assignment", lambda: solve(a, b), {"scipy": lambda: peer.solve(a, b)},
                            lambda ours, theirs: f"costs {ours} and {theirs}", size=1080,
                            series="assignment")

Rows that share a ``series`` and differ in ``size`` get a fitted growth exponent. Peers that pin
old versions run in
environments of their own (``bench.venvs``, ``bench/peer/NAME.py``). A peer that fails is a row
that says why.
"""

from bench.row import Row, beside, best, measure, peak_memory_mb, side_by_side

__all__ = ["Row", "beside", "best", "measure", "peak_memory_mb", "side_by_side"]
