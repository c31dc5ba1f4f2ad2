"""Muralidhar and Domingo-Ferrer: Mahalanobis linkage of IPSO, and the table of 24 cells.

The file of the slides (EIA, 4,092 records) is not ours to ship, and the roles of its columns are
not printed (`eia_roles` finds them). Where it is absent, `firms` draws one of its size in which, as
in it, released columns explain the small differences between firms of one size.
The simulation does not print its settings; ours are stated in `CORRELATION` and `LEVEL`.
"""

from __future__ import annotations

from typing import Literal, TypedDict

import numpy as np

from tacit.attack.informed import for_plan
from tacit.attack.informed.aware import Aware
from tacit.attack.informed.evidence import Evidence, link_by, nearest
from tacit.attack.informed.synthetic import AwareIPSO
from tacit.attack.whiten import spread, whitener
from tacit.base.typing import Floats
from tacit.data.microdata import Microdata, Role
from tacit.protect import registry
from tacit.protect.base import Protector

COLUMNS = 6
RECORDS = 3000
# The EIA file has so many records.
FIRMS = 4092
# Correlations far enough apart that low, medium and high mean something.
CORRELATION = {"low": 0.15, "medium": 0.5, "high": 0.95}
# Standard deviation of the noise as a share of that of a column.
LEVEL = {"low": 0.2, "medium": 0.4, "high": 0.7}
CELLS = [
    (correlation, level, noise)
    for correlation in ("low", "medium", "high", "mixed")
    for level in ("low", "medium", "high")
    for noise in ("independent", "correlated")
]
# Slide 'Results showing best record linkage performance', in the order of CELLS.
PUBLISHED = dict(zip(CELLS, "ebeebeemebebbmbmbmememem", strict=True))
NAMES = {"e": "euclidean", "m": "mahalanobis", "b": "both"}


class Cell(TypedDict):
    """One cell of the table: percentages as means over seeds, and who wins."""

    correlation: str
    level: str
    noise: str
    euclidean: float
    mahalanobis: float
    aware: float
    likeliest: float
    winner: str
    published: str


def firm_columns(n: int, rng: np.random.Generator) -> tuple[Floats, Floats]:
    """Quasi-identifiers that follow the size of a firm, and released columns.

    The released columns explain what size does not.
    """
    size, small = rng.normal(size=n), rng.normal(size=(n, 5))
    # size rules; the released `small` explain most of what is left
    unexplained = 0.25 * rng.normal(size=(n, 5))
    quasi = 2.0 * size[:, None] + 0.2 * (small + unexplained)
    given = np.column_stack([size + rng.normal(size=n), small])
    return quasi, given


def firms(n: int = FIRMS, seed: int = 0) -> Microdata:
    """Firms of very different size: five quasi-identifiers and six released columns."""
    quasi, given = firm_columns(n, np.random.default_rng(seed))
    columns = {f"q{k}": column for k, column in enumerate(quasi.T)}
    released = {f"c{k}": column for k, column in enumerate(given.T)}
    return Microdata.of(
        columns | released,
        quasi=list(columns),
        confidential=list(released),
    )


def ipso_links(
    data: Microdata,
    variant: str,
    seed: int = 0,
) -> dict[str, float]:
    """Correct links by nearest record.

    `aware`: the modified Mahalanobis distance, `naive`: the plain one (`by_differences`), and
    `euclidean`.
    """
    ipso = registry["ipso"](variant=variant, random_state=seed)
    masked = ipso.fit_transform(data)
    distances: dict[str, Literal["modified", "euclidean"]] = {
        "aware": "modified",
        "euclidean": "euclidean",
    }
    links = {}
    for name, distance in distances.items():
        attack = AwareIPSO(distance=distance, rule="nearest")
        links[name] = attack.link(data, masked).correct
    y, z = data.numbers(data.quasi), masked.numbers(data.quasi)
    links["naive"] = own_links(by_differences(y, z))
    return links


def by_differences(y: Floats, z: Floats) -> Evidence:
    """The Mahalanobis distance with the covariance of the true differences, which takes the true
    links to compute.

    The slides also print S = cov Y + cov Z. On EIA in the roles of `eia_roles` that one links 41
    records and not 773.
    """
    apart = spread(y - z)
    turn = whitener(apart, apart)
    return Evidence(y @ turn, z @ turn)


def own_links(evidence: Evidence) -> float:
    """How many originals are nearest to their own masked record."""
    match = nearest(evidence).match
    own = np.arange(len(match))
    return float((match == own).sum())


def without_noise(
    data: Microdata,
    variant: str,
    seed: int = 0,
) -> dict[str, float]:
    """The naive distance when y is compared with xB alone, what the released columns predict.

    This is what the slides say of the earlier study's IPSO-A and B: y - z is about y - xB. The
    covariance is that of the noise that the variant draws.
    """
    y = data.numbers(data.quasi)
    given = data.numbers(data.schema.names(role=Role.confidential))
    x = np.column_stack([np.ones(data.n), given])
    expected = x @ np.linalg.lstsq(x, y, rcond=None)[0]
    ipso = registry["ipso"](variant=variant, random_state=seed)
    masked = ipso.fit_transform(data)
    noise = spread(masked.numbers(data.quasi) - expected)
    turn = whitener(noise, noise)
    return {"naive": own_links(Evidence(y @ turn, expected @ turn))}


def correlation_matrix(kind: str, seed: int) -> Floats:
    """Equal correlations, or `mixed`: low, medium and high ones together.

    Mixed ones come from one factor with loadings from 0.3 to 0.98.
    """
    if kind != "mixed":
        rho = CORRELATION[kind]
        return np.full((COLUMNS, COLUMNS), rho) + (1 - rho) * np.eye(COLUMNS)
    loading = np.linspace(0.3, 0.98, COLUMNS)
    matrix = np.outer(loading, loading)
    np.fill_diagonal(matrix, 1.0)
    return np.asarray(matrix)


def simulated(
    correlation: str, level: str, noise: str, seed: int, n: int = RECORDS
) -> tuple[Floats, Floats]:
    """An original and a masked file of one cell."""
    rng = np.random.default_rng([seed, CELLS.index((correlation, level, noise))])
    matrix = correlation_matrix(correlation, seed)
    centre = np.zeros(COLUMNS)
    x = rng.multivariate_normal(centre, matrix, n)
    # correlated noise has the correlations of the data
    shape = matrix if noise == "correlated" else np.eye(COLUMNS)
    return x, x + rng.multivariate_normal(centre, LEVEL[level] ** 2 * shape, n)


def standardised(x: Floats, z: Floats) -> Evidence:
    """Each file by its own mean and standard deviation (DBRL1)."""
    return Evidence((x - x.mean(0)) / x.std(0), (z - z.mean(0)) / z.std(0))


def estimated_mahalanobis(x: Floats, z: Floats) -> Evidence:
    """S estimated without the links as cov Z - cov X, what an intruder can compute."""
    change = spread(z) - spread(x)
    values, axes = np.linalg.eigh(change)
    # a difference of two covariances need not be positive: eigenvalues stay above 1 % of
    # their mean
    least = 0.01 * max(float(np.abs(values).mean()), 1e-12)
    whitening = axes / np.sqrt(np.maximum(values, least))
    return Evidence(x @ whitening, z @ whitening)


def noise_plan(level: str, noise: str) -> Protector:
    """The masking of a cell, as a protector that tells its attacker what was done."""
    kind = "uncorrelated" if noise == "independent" else "correlated"
    protector: Protector = registry["noise"](kind=kind, percent=100 * LEVEL[level])
    return protector


def cell(
    correlation: str, level: str, noise: str, seed: int, n: int = RECORDS
) -> dict[str, float]:
    """Percent of correct links in one cell.

    Nearest record by the standardised Euclidean and by the estimated Mahalanobis distance, as
    in the slides; `aware`: the attacker that `assess` runs for the plan, by assignment;
    `likeliest`: the same evidence, each record on its own.
    """
    x, z = simulated(
        correlation,
        level,
        noise,
        seed,
        n,
    )
    original, masked = Microdata.of(x), Microdata.of(z)
    plan = noise_plan(level, noise)
    links = {
        "euclidean": nearest(standardised(x, z)).match,
        "mahalanobis": nearest(estimated_mahalanobis(x, z)).match,
        "aware": for_plan(plan)[0].link(original, masked).match,
    }
    evidence = Aware(plan).evidence(original, masked, original.names)
    links["likeliest"] = link_by(evidence, "likeliest").match
    return {
        name: 100.0 * float(np.mean(match == np.arange(n)))
        for name, match in links.items()
    }


def winner(runs: list[dict[str, float]]) -> str:
    """Which distance links more, or `both`.

    `both` when the paired mean difference is within two standard errors, or within 2 % of the
    better one.
    """
    mahalanobis = np.array([run["mahalanobis"] for run in runs])
    euclidean = np.array([run["euclidean"] for run in runs])
    gap = mahalanobis - euclidean
    best = max(float(mahalanobis.mean()), float(euclidean.mean()))
    error = gap.std(ddof=1) / np.sqrt(len(gap)) if len(gap) > 1 else 0.0
    if abs(gap.mean()) <= max(2 * error, 0.02 * best):
        return "both"
    return "mahalanobis" if gap.mean() > 0 else "euclidean"


def table(seeds: int = 10, n: int = RECORDS) -> list[Cell]:
    """The 24 cells: means over seeds, the winner here and the winner that is printed."""
    rows: list[Cell] = []
    for correlation, level, noise in CELLS:
        runs = [
            cell(
                correlation,
                level,
                noise,
                seed,
                n,
            )
            for seed in range(seeds)
        ]
        means = {name: float(np.mean([run[name] for run in runs])) for name in runs[0]}
        rows.append(
            {
                "correlation": correlation,
                "level": level,
                "noise": noise,
                "euclidean": means["euclidean"],
                "mahalanobis": means["mahalanobis"],
                "aware": means["aware"],
                "likeliest": means["likeliest"],
                "winner": winner(runs),
                "published": NAMES[PUBLISHED[correlation, level, noise]],
            }
        )
    return rows
