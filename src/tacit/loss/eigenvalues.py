"""What happened to the principal axes: their shares of variance."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

import numpy as np

from tacit.base import facts
from tacit.base.measure import Measure
from tacit.base.typing import Floats
from tacit.data.pair import Pair
from tacit.loss import class_means
from tacit.loss.moments import moments

if TYPE_CHECKING:
    from tacit.data.out_of_core.disk_rows import Rows


@facts.measure("Eigenvalues", passes="runs")
def eigenvalues(
    original: object,
    masked: object,
    *,
    columns: Sequence[str] | None = None,
) -> Measure:
    """Change of the principal axes' shares of variance: 1/2 sum of |e_i - e'_i| / d.

    Parameters
    ----------
    original, masked : frame or Microdata
        The file before and after protection.
    columns : list of str, optional
        Columns that are compared; the common quasi-identifiers unless given.

    Notes
    -----
    **Definition.** e are the eigenvalues of the correlation matrix in falling order; they
    add up to d. Nothing is divided by an eigenvalue, so data of less than full rank are
    fine.
    **Range.** [0, 1]. 0: variance is spread over the principal axes as it was. Higher:
    differently.
    """
    pair = Pair.of(original, masked, columns)
    if why := class_means.why_not(pair):
        return Measure.absent("eigenvalues", why)
    x, z = class_means.rows(pair)
    before, after = _falling(x), _falling(z)
    # both add up to d, so what some axes lose others gain: half the sum is what moved
    moved = np.abs(before - after).sum() / (2 * x.shape[1])
    return Measure(
        "eigenvalues",
        float(moved),
        (0.0, 1.0),
        "variance is spread over the principal axes as it was",
        "variance is spread differently",
        {"before": before.tolist(), "after": after.tolist()},
    )


def _falling(values: Rows) -> Floats:
    """Eigenvalues of the correlation matrix, the largest first."""
    return np.asarray(np.linalg.eigvalsh(moments(values).correlation)[::-1])
