"""Added noise on columns with gaps: only values that both records show are compared."""

from __future__ import annotations

from functools import partial

import numpy as np

from tacit.attack.informed.base import Informed, continuous, numbers
from tacit.attack.informed.evidence import Evidence, Part, Rule
from tacit.base.typing import Floats
from tacit.data.microdata import Microdata

# Smallest size of the noise that is divided by
SMALLEST = 1e-6
# Size taken for columns that have none
USUAL = 0.1


class AwareNoiseWithGaps(Informed):
    """The intruder knows the size of the noise, and leaves out what either record does not show.

    Parameters
    ----------
    sizes : dict of str to float, optional
        Standard deviation of the noise over that of the column; 0.1 unless given.
    rule : {"assignment", "nearest", "likeliest"}
        Who is named: the best bijection, each original's cheapest record, or its likeliest.
    columns : list of str, optional
        The columns that the intruder compares; the quasi-identifiers unless given.

    Notes
    -----
    **Definition.** sum over the columns that both show of log p(z) - log f(z | x), where f
    is normal about x with the noise's variance, and p normal with the variance of the
    released column: how much more likely z is for this original than for any. A gap gives
    0, as it tells neither way; whether gaps stay is other evidence.

    **Guarantee.** The exact likelihood ratio of normal columns.

    **Cost.** All pairs of a file of up to 6,000 records, candidates of a larger one.

    References
    ----------
    Fellegi and Sunter (1969) for likelihood ratios and missing values.

    Examples
    --------
    >>> x = np.random.default_rng(1).normal(size=(40, 4))
    >>> z = x + 0.01
    >>> z[::2, 0] = np.nan
    >>> AwareNoiseWithGaps().link(x, z).rate > 0.9
    True
    """

    method = "noise_with_gaps"

    def __init__(
        self,
        sizes: dict[str, float] | None = None,
        rule: Rule = "assignment",
        columns: list[str] | None = None,
    ) -> None:
        self.sizes = sizes
        self.rule = rule
        self.columns = columns

    @property
    def knows(self) -> str:
        """Who the intruder is and what they know, in one phrase."""
        return self._says("that noise was added, and that missing values tell nothing")

    def evidence(
        self,
        original: Microdata,
        masked: Microdata,
        columns: list[str],
    ) -> Evidence:
        """Likelihood ratios of the values that both records show."""
        names = continuous(original, columns)
        x = original.numbers(names)
        z = masked.numbers(names)
        sizes = [max((self.sizes or {}).get(name, USUAL), SMALLEST) for name in names]
        sd = np.nanstd(x, axis=0)
        # constant columns tell nobody apart
        noise = np.where(sd > 0, sd, 1.0) * np.array(sizes)
        mean = np.nanmean(z, axis=0)
        spread = np.maximum(np.nanstd(z, axis=0), noise)
        cost = partial(_ratio, noise=noise, mean=mean, spread=spread)
        hint = numbers(original, masked, names)
        # inf marks what is missing: unlike NaN it is equal to itself
        part = Part(
            np.where(np.isnan(x), np.inf, x),
            np.where(np.isnan(z), np.inf, z),
            cost,
            (hint[0] / noise, hint[1] / noise),
        )
        return Evidence.of_part(part)


def _ratio(
    p: Floats,
    q: Floats,
    noise: Floats,
    mean: Floats,
    spread: Floats,
) -> Floats:
    """Costs of all pairs, column by column."""
    total = np.zeros((len(p), len(q)))
    for k in range(p.shape[1]):
        x = p[:, k, None]
        z = q[None, :, k]
        shown = np.isfinite(x) & np.isfinite(z)
        with np.errstate(invalid="ignore"):
            own = 0.5 * ((x - z) / noise[k]) ** 2 + np.log(noise[k])
            any_one = 0.5 * ((z - mean[k]) / spread[k]) ** 2 + np.log(spread[k])
            total += np.where(shown, own - any_one, 0.0)
    return total
