"""Why a peer is the faster one, row by row: what it leaves out that ours must do.

A row below 1 without a reason here is shown as such on the page: it is work to be done.
"""

from __future__ import annotations

from bench.row import Row

LINKS_ONLY = (
    "the peer gives links; ours also gives the duals that prove them optimal over all pairs and the "
    "margin of every link, which is a second pass over the matrix. A file of this size must not "
    "wait for a compiler, so both sides spend most of their time filling the same matrix"
)
REASONS: dict[tuple[str, str], str] = {
    ("optimal assignment", "lapx lapjv"): LINKS_ONLY,
    ("optimal assignment", "scipy linear_sum_assignment"): LINKS_ONLY,
    (
        "push: rank swapping",
        "river RollingQuantile",
    ): "the peer keeps the same sorted windows in C++ and puts out medians; ours also draws a "
    "partner for every value, takes both out of the window, checks the columns of every record "
    "before it may enter and keeps the books of what left",
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
    (
        "frequencies, 8 keys and weights",
        "pandas groupby",
    ): "the peer counts groups; ours also gives every record the count and the weight of its group",
}


def reason(row: Row) -> str:
    """The reason of a row below 1: the longest name that fits; empty where there is none."""
    fitting = [
        (len(name), why)
        for (name, peer), why in REASONS.items()
        if row.name.startswith(name) and row.peer == peer
    ]
    return max(fitting)[1] if fitting else ""
