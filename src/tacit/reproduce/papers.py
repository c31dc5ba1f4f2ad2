"""The five documents whose tables are recomputed, each a page of the results."""

from __future__ import annotations

from dataclasses import dataclass

from tacit.reproduce.target_result import Result


@dataclass(frozen=True)
class Paper:
    """One document: its targets are called after ``key``, and so is its page.

    ``about`` is one sentence on what was done there.
    """

    key: str
    source: str
    title: str
    about: str


PAPERS = (
    Paper(
        "assignment",
        "Rodriguez Fernandez (2013)",
        "optimal assignment as a measure of risk",
        "Noise is added to census files, and the intruder links them by nearest record, by optimal "
        "assignment, and in blocks that vote.",
    ),
    Paper(
        "weights",
        "Abril, Navarro-Arribas and Torra (2012)",
        "learned weights of linkage",
        "An intruder who knows some true links learns how much each variable should count, and "
        "links 400 records of a census file that was protected in three ways.",
    ),
    Paper(
        "orthtree",
        "Domingo-Ferrer (2008)",
        "blocks by a 2^d-tree",
        "Files of millions of records are cut into blocks, by one attribute or by a tree over all "
        "of them, and each block is microaggregated by itself.",
    ),
    Paper(
        "mahalanobis",
        "Muralidhar and Domingo-Ferrer",
        "linkage that knows the masking",
        "Three kinds of synthetic data (IPSO) and files with noise are linked by the Euclidean and "
        "by the Mahalanobis distance.",
    ),
    Paper(
        "stream",
        "Martinez Rodriguez (2015)",
        "filters for data streams",
        "Four filters protect 100,000 records of a stream as they pass, and an estimator follows "
        "risk and loss.",
    ),
)


def of_paper(results: list[Result], paper: Paper) -> list[Result]:
    """Those of the results that recompute the paper."""
    return [r for r in results if r.target.name.partition("-")[0] == paper.key]
