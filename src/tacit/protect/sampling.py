"""Release a sample."""

from __future__ import annotations

from typing import Annotated, TypeGuard

import numpy as np
from annotated_types import Gt, Le

from tacit.base.typing import Floats, Ints
from tacit.data.io.on_disk import OnDisk
from tacit.data.microdata import Microdata, Role
from tacit.protect import by_address
from tacit.protect.base import Protector, Seed
from tacit.protect.by_rank import ties_of
from tacit.protect.sample_from_disk import raised, sample_sizes, sampled_on_disk


class Sampling(Protector):
    """Release a simple random sample of the records instead of all of them.

    Parameters
    ----------
    fraction : float
        Share of the records that is released.
    strata : list of str, optional
        Columns; the share is drawn in each combination of their values.
    random_state : int, optional
        Seed: the same seed gives the same bytes; drawn from the system unless given.

    Attributes
    ----------
    rows_ : array
        The positions of the records that were released, of a file in memory.

    Notes
    -----
    **Definition.** ``m = max(1, round(fraction n))`` records drawn without replacement, in
    file order; a weight column is multiplied by n / m. With ``strata``, m is drawn in each
    combination of their values.

    **Guarantee.** Each record is released with probability m / n; values are untouched.

    **Cost.** Linear.

    **Known attacks.** A sample unique that is also a population unique is as exposed as
    before.

    References
    ----------
    Willenborg and De Waal (2001).

    Examples
    --------
    >>> import numpy as np
    >>> x = np.arange(8.0).reshape(4, 2)
    >>> Sampling(fraction=0.5, random_state=1).fit_transform(x).shape
    (2, 2)
    """

    title = "Sampling"
    family = "sampling"
    purpose = "release some records only, so that nobody is sure to be in the file"
    goal = "release fewer or made-up records"
    plain = {
        "fraction": "share of the records that is released",
        "strata": "drawn within each class of",
    }
    # values are untouched: there is nothing that an intruder could know of the masking
    attacker = ""
    changes_length = "releases a sample"
    whole_file = "it draws from the whole file, and blocks keep every record"
    passes = "sorts"

    def __init__(
        self,
        fraction: Annotated[float, Gt(0), Le(1)] = 0.5,
        strata: list[str] | None = None,
        random_state: Seed = None,
    ) -> None:
        self.fraction = fraction
        self.strata = strata
        self.random_state = random_state

    def _targets(self, data: Microdata) -> list[str]:
        return []

    def _fit(
        self,
        data: Microdata,
        columns: list[str],
        rng: np.random.Generator,
    ) -> None:
        # of a file on the disk the positions are not held
        if not self._from_disk(data):
            self.rows_, _ = self._draw(data, rng)

    def _apply(
        self,
        data: Microdata,
        columns: list[str],
        rng: np.random.Generator,
    ) -> Microdata:
        weights = data.schema.names(role=Role.weight)
        if self._from_disk(data):
            how = self.strata or [], self.fraction, weights, ties_of(rng)
            return sampled_on_disk(data, *how)
        rows, factor = self._draw(data, rng)
        sample = data.take(rows)
        # a record of the sample stands for n / m of the file
        for name in weights:
            sample = raised(sample, name, factor)
        return sample

    def _from_disk(self, data: Microdata) -> TypeGuard[OnDisk]:
        return isinstance(data, OnDisk) and data.n > by_address.BLOCK

    def _draw(
        self,
        data: Microdata,
        rng: np.random.Generator,
    ) -> tuple[Ints, Floats]:
        """The rows that are released, and n / m of the stratum of each."""
        stratum = self._strata(data)
        # records in random order, stratum after stratum: the first m of each are the sample
        if data.n > by_address.BLOCK:
            shuffled = np.argsort(ties_of(rng)(0, data.n), kind="stable")
        else:
            shuffled = rng.permutation(data.n)
        by_stratum = np.argsort(stratum[shuffled], kind="stable")
        order = shuffled[by_stratum]
        size = np.bincount(stratum)
        wanted = sample_sizes(size, self.fraction)
        first = np.cumsum(size) - size
        place_in_stratum = np.arange(data.n) - np.repeat(first, size)
        chosen = place_in_stratum < wanted[stratum[order]]
        rows = np.sort(order[chosen])
        return rows, (size / wanted)[stratum[rows]]

    def _strata(self, data: Microdata) -> Ints:
        """The number of each record's stratum; without strata all are in one."""
        if not self.strata:
            return np.zeros(data.n, dtype=np.int64)
        # NaN differs from NaN, infinity equals itself: missing values are one value
        codes = np.nan_to_num(data.numbers(self.strata), nan=np.inf)
        _, stratum = np.unique(codes, axis=0, return_inverse=True)
        return np.asarray(stratum.ravel(), dtype=np.int64)
