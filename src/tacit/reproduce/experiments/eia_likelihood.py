"""How likely is each split of the EIA file, given all nine counts of the slides together?

For one split and one variant of IPSO a draw gives three counts. Over draws each of the nine counts
has a mean and a standard deviation; the likelihood of the published nine is the product of normal
densities at the printed counts, with a standard deviation of at least `LEAST` because ties and
digits of the file could move a count that nothing draws. With equal probabilities before, the
probability of a split afterwards is its likelihood over the sum over all 1,022. What was found is
in docs/explanation/literature.md; readings that were chosen because they fit are named there.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from scipy.special import logsumexp

from tacit.attack.whiten import spread, whitener
from tacit.base.typing import Floats
from tacit.protect.ipso import ipso
from tacit.reproduce.experiments.eia_roles import nearest_links

# Slide 'Record Linkage Results': modified Mahalanobis, Mahalanobis, Euclidean.
PUBLISHED = {
    ("A", "aware"): 3219.0,
    ("A", "naive"): 3206.0,
    ("A", "euclidean"): 66.0,
    ("B", "aware"): 3196.0,
    ("B", "naive"): 3194.0,
    ("B", "euclidean"): 65.0,
    ("C", "aware"): 3206.0,
    ("C", "naive"): 773.0,
    ("C", "euclidean"): 65.0,
}
# A count that nothing draws can still move by ties and digits: two records, as a guess.
LEAST = 2.0


def counts(
    values: Floats, places: tuple[int, ...], variant: str, seed: int
) -> dict[str, float]:
    """Correct links of one draw when the columns at ``places`` are masked given the others.

    `naive` is read as in the target: the covariance of the true differences, and for A and B the
    comparison with xB. `printed` is the formula of the slides, cov Y + cov Z, for all variants.
    """
    y = values[:, list(places)]
    others = [k for k in range(values.shape[1]) if k not in places]
    x = values[:, others]
    with_one = np.column_stack([np.ones(len(x)), x])
    z = ipso(y, x, variant, np.random.default_rng([seed, ord(variant)]))
    true = with_one @ np.linalg.lstsq(with_one, y, rcond=None)[0]
    released = with_one @ np.linalg.lstsq(with_one, z, rcond=None)[0]
    compared = z if variant == "C" else true
    apart = spread(y - z) if variant == "C" else spread(z - true)
    return {
        "aware": _links(y, released, spread(z - released)),
        "naive": _links(y, compared, apart),
        "euclidean": nearest_links(y, z),
        "printed": _links(y, z, spread(y) + spread(z)),
    }


def _links(y: Floats, z: Floats, covariance: Floats) -> float:
    turn = whitener(covariance, covariance)
    return nearest_links(y @ turn, z @ turn)


@dataclass(frozen=True)
class Fit:
    """Mean and standard deviation of each count over draws, and the log likelihood."""

    places: tuple[int, ...]
    mean: dict[tuple[str, str], float]
    sd: dict[tuple[str, str], float]

    @property
    def log_likelihood(self) -> float:
        """Sum of the logarithms of nine normal densities."""
        total = 0.0
        for count, published in PUBLISHED.items():
            sd = max(self.sd[count], LEAST)
            z = (published - self.mean[count]) / sd
            total -= 0.5 * z * z + np.log(sd) + 0.5 * np.log(2.0 * np.pi)
        return float(total)


def fit(values: Floats, places: tuple[int, ...], draws: int = 20) -> Fit:
    """Draw each variant so many times."""
    seen: dict[tuple[str, str], list[float]] = {}
    for variant in "ABC":
        for seed in range(draws):
            for name, links in counts(values, places, variant, seed).items():
                seen.setdefault((variant, name), []).append(links)
    mean = {count: float(np.mean(links)) for count, links in seen.items()}
    sd = {count: float(np.std(links, ddof=1)) for count, links in seen.items()}
    return Fit(places, mean, sd)


def posterior(fits: list[Fit]) -> list[float]:
    """Probability of each split after the nine counts, when all were alike before."""
    logs = np.array([found.log_likelihood for found in fits])
    return [float(p) for p in np.exp(logs - logsumexp(logs))]
