"""Columns whose values are new: what moments and likelihoods say about how they were made."""

from __future__ import annotations

from typing import Literal

import numpy as np

from tacit.attack.informed.column_laws import LAWS, Law, column_laws
from tacit.attack.informed.drawn_anew import drawn_anew
from tacit.attack.informed.estimated import AwareEstimated
from tacit.attack.informed.guessed_plan import Guess
from tacit.attack.informed.noise import AwareNoise
from tacit.attack.informed.noise_with_gaps import AwareNoiseWithGaps
from tacit.attack.informed.synthetic import AwareIPSO, confidential_columns
from tacit.attack.whiten import spread
from tacit.base.typing import Floats
from tacit.data.microdata import Microdata

# Second moments of fewer records do not tell the form of the noise
FEWEST_RECORDS = 30
# Nats, over all columns, by which multiplying must fit better to rule drawing anew out
SURELY_MULTIPLIED = 30.0


def new_values(
    original: Microdata,
    masked: Microdata,
    names: list[str],
) -> list[Guess]:
    """Guess how columns came to have new values: synthetic, added noise, or multiplied.

    Parameters
    ----------
    original, masked : Microdata
        Both files.
    names : list of str
        Continuous columns whose values are new.
    """
    x = original.numbers(names)
    z = masked.numbers(names)
    if min(len(x), len(z)) < FEWEST_RECORDS:
        why = "values are new; too few records to tell the form"
        return [Guess("noise", names, why, AwareEstimated())]
    laws, sizes, lead = column_laws(x, z)
    given = confidential_columns(masked, names)
    # values that were drawn anew have kept no sign: they do not look multiplied
    if given and len(x) == len(z) and lead < SURELY_MULTIPLIED:
        why = drawn_anew(x, z, masked.numbers(given))
        if why:
            return [Guess("ipso", names, why, AwareIPSO(confidential=given))]
    guesses = []
    for law in LAWS:
        own = [c for c, found in enumerate(laws) if found == law]
        if not own:
            continue
        columns = [names[c] for c in own]
        if law == "added":
            known = {names[c]: sizes[c] for c in own}
            guesses.append(_added(x[:, own], z[:, own], known))
        else:
            size = float(np.median([sizes[c] for c in own]))
            guesses.append(_multiplied(columns, law, size))
    return guesses


def _multiplied(names: list[str], law: Law, size: float) -> Guess:
    """Factors of one distribution and about one size."""
    why = (
        f"signs are kept, and the values are likeliest if multiplied by {law} factors "
        f"of about {100 * size:.0f} percent"
    )
    factor: Literal["lognormal", "normal"] = "normal"
    if law == "lognormal":
        factor = "lognormal"
    attacker = AwareNoise("multiplicative", percent=100 * size, factor=factor)
    return Guess("noise", names, why, attacker)


def _added(
    x: Floats,
    z: Floats,
    sizes: dict[str, float],
) -> Guess:
    """Added noise: second moments say whether it is correlated as the file is."""
    names = list(sizes)
    before = spread(x)
    after = spread(z)
    size = np.sqrt(np.maximum(np.diag(before), 1e-300))
    change = (after - before) / np.outer(size, size)
    growth = 100 * float(np.diag(change).mean())
    why = f"values are new; variances grew by {growth:.1f} percent on average"
    if len(names) > 1 and _correlated(before / np.outer(size, size), change, len(x)):
        why += ", covariances with them: correlated"
        return Guess("noise", names, why, AwareNoise("correlated"))
    if np.isnan(x).any() or np.isnan(z).any():
        return Guess("noise", names, why, AwareNoiseWithGaps(sizes))
    return Guess("noise", names, why, AwareEstimated())


def _correlated(
    correlation: Floats,
    change: Floats,
    n: int,
) -> bool:
    """Did covariances grow in proportion to the correlations?

    The slope of their growth on the correlations is that of the variances for correlated
    noise and 0 for independent noise: half of it decides.
    """
    off = ~np.eye(len(correlation), dtype=bool)
    r = correlation[off]
    slope = float((change[off] * r).sum() / max((r * r).sum(), 1e-12))
    level = float(np.diag(change).mean())
    # sd of a covariance of x with noise of this size, generously
    error = np.sqrt(8.0 * max(level, 1e-9) / n)
    is_told = (r * r).sum() > 0.5 and level > 3 * error
    return bool(is_told and slope > 0.5 * level)
