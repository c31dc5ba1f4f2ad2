"""003 (Muralidhar and Domingo-Ferrer): Mahalanobis linkage of IPSO, and the table of 24 cells.

The file of 003 (EIA, 4,092 records) is not ours to ship: `firms` draws one of its size in which, as in it, released
columns explain the small differences between firms of one size. The simulation of 003 does not print its settings;
ours are stated in `CORRELATION` and `LEVEL`.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from tacit.attack.aware import for_plan
from tacit.attack.aware.plan import Aware
from tacit.attack.aware.regression import AwareIPSO
from tacit.attack.evidence import Evidence, link_by, nearest
from tacit.attack.whiten import spread
from tacit.microdata import FloatArray, Microdata
from tacit.protect import registry

COLUMNS = 6
RECORDS = 3000
CORRELATION = {"low": 0.15, "medium": 0.5, "high": 0.95}
#: sd of the noise as a share of the sd of a column
LEVEL = {"low": 0.2, "medium": 0.4, "high": 0.7}
CELLS = [
    (correlation, level, noise)
    for correlation in ("low", "medium", "high", "mixed")
    for level in ("low", "medium", "high")
    for noise in ("independent", "correlated")
]
#: 003, slide 'Results showing best record linkage performance', in the order of CELLS
PUBLISHED = dict(zip(CELLS, "ebeebeemebebbmbmbmememem", strict=True))
NAMES = {"e": "euclidean", "m": "mahalanobis", "b": "both"}


def firms(n: int = 4092, seed: int = 0) -> Microdata:
    """Firms of very different size: five quasi-identifiers that follow size, and six released columns."""
    rng = np.random.default_rng(seed)
    size, small = rng.normal(size=n), rng.normal(size=(n, 5))
    quasi = 2.0 * size[:, None] + 0.2 * (small + 0.25 * rng.normal(size=(n, 5)))
    given = np.column_stack([size + rng.normal(size=n), small])
    columns = {f"q{k}": quasi[:, k] for k in range(5)} | {f"c{k}": given[:, k] for k in range(6)}
    return Microdata.of(columns, quasi=[f"q{k}" for k in range(5)], confidential=[f"c{k}" for k in range(6)])


def ipso_links(variant: str, seed: int = 0, *, n: int = 4092) -> dict[str, float]:
    """Correct links of n by the modified, the plain Mahalanobis and the Euclidean distance, nearest record."""
    data = firms(n, seed)
    masked = registry["ipso"](variant=variant, random_state=seed).fit_transform(data)
    return {
        name: AwareIPSO(distance=distance, rule="nearest").link(data, masked).correct  # type: ignore[arg-type]
        for name, distance in (("aware", "modified"), ("naive", "mahalanobis"), ("euclidean", "euclidean"))
    }


def correlation_matrix(kind: str, seed: int) -> FloatArray:
    """Equal correlations, or `mixed`: low, medium and high ones together (two factors with loadings 0.3 to 0.95)."""
    if kind != "mixed":
        rho = CORRELATION[kind]
        return np.full((COLUMNS, COLUMNS), rho) + (1 - rho) * np.eye(COLUMNS)
    loading = np.linspace(0.3, 0.98, COLUMNS)
    matrix = np.outer(loading, loading)
    np.fill_diagonal(matrix, 1.0)
    return np.asarray(matrix)


def simulated(correlation: str, level: str, noise: str, seed: int, n: int = RECORDS) -> tuple[FloatArray, FloatArray]:
    """An original and a masked file of one cell."""
    rng = np.random.default_rng([seed, CELLS.index((correlation, level, noise))])
    matrix = correlation_matrix(correlation, seed)
    x = rng.multivariate_normal(np.zeros(COLUMNS), matrix, n)
    shape = matrix if noise == "correlated" else np.eye(COLUMNS)
    return x, x + rng.multivariate_normal(np.zeros(COLUMNS), LEVEL[level] ** 2 * shape, n)


def standardised(x: FloatArray, z: FloatArray) -> Evidence:
    """Each file by its own mean and standard deviation (DBRL1)."""
    return Evidence((x - x.mean(0)) / x.std(0), (z - z.mean(0)) / z.std(0))


def estimated_mahalanobis(x: FloatArray, z: FloatArray) -> Evidence:
    """S estimated without the links as cov Z - cov X, what an intruder can compute; eigenvalues kept above 1 % of
    their mean, because a difference of two covariances need not be positive."""
    change = spread(z) - spread(x)
    values, axes = np.linalg.eigh(change)
    values = np.maximum(values, 0.01 * max(float(np.abs(values).mean()), 1e-12))
    w = axes / np.sqrt(values)
    return Evidence(x @ w, z @ w)


def noise_plan(level: str, noise: str) -> Any:
    """The masking of a cell, as a protector that tells its attacker what was done."""
    kind = "uncorrelated" if noise == "independent" else "correlated"
    return registry["noise"](kind=kind, percent=100 * LEVEL[level])


def cell(correlation: str, level: str, noise: str, seed: int, n: int = RECORDS) -> dict[str, float]:
    """Percent of correct links in one cell.

    Nearest record by the standardised Euclidean and by the estimated Mahalanobis distance, as in 003; `aware`: the
    attacker that `assess` runs for the plan, by assignment; `likeliest`: the same evidence, each record on its own.
    """
    x, z = simulated(correlation, level, noise, seed, n)
    a, b = Microdata.of(x), Microdata.of(z)
    plan = noise_plan(level, noise)
    distances = (("euclidean", standardised(x, z)), ("mahalanobis", estimated_mahalanobis(x, z)))
    links = {name: nearest(evidence).match for name, evidence in distances}
    links["aware"] = for_plan(plan)[0].link(a, b).match
    links["likeliest"] = link_by(Aware(plan).evidence(a, b, a.names), "likeliest").match
    return {name: 100.0 * float(np.mean(match == np.arange(n))) for name, match in links.items()}


def winner(runs: list[dict[str, float]]) -> str:
    """`both` when the paired mean difference is within two standard errors or within 2 % of the better one."""
    gap = np.array([r["mahalanobis"] - r["euclidean"] for r in runs])
    best = max(np.mean([r["mahalanobis"] for r in runs]), np.mean([r["euclidean"] for r in runs]))
    error = gap.std(ddof=1) / np.sqrt(len(gap)) if len(gap) > 1 else 0.0
    if abs(gap.mean()) <= max(2 * error, 0.02 * float(best)):
        return "both"
    return "mahalanobis" if gap.mean() > 0 else "euclidean"


def table(seeds: int = 10, n: int = RECORDS) -> list[dict[str, Any]]:
    """The 24 cells: means over seeds, the winner here and the winner that 003 prints."""
    rows = []
    for correlation, level, noise in CELLS:
        runs = [cell(correlation, level, noise, seed, n) for seed in range(seeds)]
        means = {name: float(np.mean([r[name] for r in runs])) for name in runs[0]}
        printed = NAMES[PUBLISHED[correlation, level, noise]]
        rows.append(
            {"correlation": correlation, "level": level, "noise": noise, **means}
            | {"winner": winner(runs), "published": printed}
        )
    return rows
