"""Why a peer is the faster one, row by row: what it leaves out that ours must do.

A row below 1 without a reason here is shown as such on the page: it is work to be done.
"""

from __future__ import annotations

from bench.row import Row

LINKS_ONLY = (
    "the peer gives links and nothing that proves them. Ours also gives both duals, the bound that they "
    "prove over all pairs, and the margin of every link: shortest paths over the matrix in both directions and "
    "two more passes over it. Distances and links alone (noise 25 %: 5 ms) take ours less time than the "
    "distances take the peer (7 ms)"
)
UNKNOWN_FRAME = (
    "ours is given a frame of which nothing is known, and looks at every column (what kind it is, "
    "whether it tells people apart, whether a weight is above 0) before it counts: most of its two and a "
    "half milliseconds at 10,000 records. The peer takes the columns for what they are. In larger files the counting is what takes time"
)
REASONS: dict[tuple[str, str], str] = {
    ("optimal assignment", "lapx lapjv"): LINKS_ONLY,
    ("optimal assignment", "scipy linear_sum_assignment"): LINKS_ONLY,
    (
        "push: rank swapping",
        "river RollingQuantile",
    ): "the peer only takes values in: nothing leaves it in this row. The row above is the nearer one, "
    "where both take a record and give one",
    (
        "push: clusters of 3",
        "river StandardScaler",
    ): "the peer adds each value to a mean and a variance and gives the record back at once; ours "
    "looks for its cluster among those that wait, and releases whole clusters",
    (
        "push: rank swapping, window 1000",
        "river StandardScaler",
    ): "the peer keeps a mean and a variance for each column; ours a sorted window of 1,000 values",
    (
        "batch: DP, window 100, safe sampler",
        "Java program (quoted)",
    ): "the quoted program draws floating-point noise from a seeded generator; this sampler is exact "
    "on integers and draws from the system's cryptographic generator. The row above, with a sampler "
    "like the program's, is the comparison of like with like",
    ("frequencies, 8 keys and weights", "pandas groupby"): UNKNOWN_FRAME,
    (
        "frequencies, 8 keys and weights",
        "pandas groupby, count and weight",
    ): UNKNOWN_FRAME,
}


def reason(row: Row) -> str:
    """The reason of a row below 1: the longest name that fits; empty where there is none."""
    fitting = [
        (len(name), why)
        for (name, peer), why in REASONS.items()
        if row.name.startswith(name) and row.peer == peer
    ]
    return max(fitting)[1] if fitting else ""
