"""MASSC: micro-agglomeration, substitution, subsampling and calibration."""

from __future__ import annotations

from typing import Annotated

import numpy as np
from annotated_types import Ge, Gt, Le

from tacit.base.errors import ColumnError
from tacit.base.typing import Floats, Ints
from tacit.data.io.on_disk import OnDisk
from tacit.data.microdata import Kind, Microdata, Role
from tacit.protect import by_address
from tacit.protect.base import Passes, Protector, Seed
from tacit.protect.by_rank import ties_of
from tacit.protect.grouping.key_classes import compress
from tacit.protect.lattice.distinct_records import DistinctRecords
from tacit.protect.local_suppression import coded
from tacit.protect.massc_in_blocks import (
    Classes,
    Moves,
    StratumOf,
    recalibrated,
    substituted_on_disk,
    weighted_totals,
)
from tacit.protect.sample_from_disk import (
    InSample,
    raised,
    raised_on_disk,
    sample_sizes,
)

Share = Annotated[float, Ge(0), Le(1)]
Positive = Annotated[float, Gt(0), Le(1)]

SMALLEST = 1e-300
"""Stands for the size of a column of zeros, so that nothing is divided by zero."""
RANK = 1e-12
"""Singular values below this share of the largest are zero: calibrated columns may be related."""


class MASSC(Protector):
    """Treat risky records more: substitute their keys, subsample, and repair totals by weights.

    Parameters
    ----------
    substitute : tuple of float
        Probability that a record takes another's keys, one for each of the four strata.
    share : tuple of float
        Share of the records that is released, one for each of the four strata.
    k : int
        Number of records with the same keys at which the last, safest stratum begins.
    calibrate : list of str, optional
        Columns whose weighted totals are kept; unless given, the continuous confidential ones.
    columns : list of str, optional
        Columns to mask, the keys; the quasi-identifiers unless given.
    random_state : int, optional
        Seed: the same seed gives the same bytes; drawn from the system unless given.

    Attributes
    ----------
    weights_, rows_ : array
        The calibrated weights of the records released, and their positions; of a file in memory.

    Notes
    -----
    **Definition.** In its simple form:

    1. micro-agglomeration: strata by the number of records f that share a record's keys:
       f = 1, f = 2, 3 .. k - 1 and f >= k (f = 1 first: the riskiest);
    2. substitution: with the stratum's probability a record takes all keys of its neighbour in
       the stratum (next in value order);
    3. subsampling: of each stratum the given share is released, drawn at random;
    4. calibration: design weights ``d = w / share`` (w the weight column, or 1) become
       ``d (1 + x'c)``, with c such that the weighted totals of 1 and of the ``calibrate``
       columns equal those of the original (linear calibration).

    The weights replace the weight column; without one they are in ``weights_``. Missing values
    move with the keys. In the paper the rates of substitution and sampling come from an
    optimisation; here they are given.

    **Guarantee.** The calibrated totals, to rounding error (a negative weight is possible;
    ``weights_`` shows).

    **Cost.** One count of the keys and a small least-squares problem.

    **Known attacks.** Keys that were not substituted are as they were; an intruder who knows
    that a record is in the sample links it as in the original.

    References
    ----------
    Singh, Yu and Dunteman (2003); Deville and Sarndal (1992).

    Examples
    --------
    >>> import numpy as np
    >>> massc = MASSC(share=[0.5] * 4, random_state=1)
    >>> released = massc.fit_transform(np.repeat(np.arange(10.0), 2).reshape(20, 1))
    >>> round(float(massc.weights_.sum()), 6)
    20.0
    """

    title = "MASSC"
    family = "grouping"
    keeps_gaps = False
    purpose = (
        "substitute and subsample records of small groups, with calibrated weights"
    )
    goal = "hide in a crowd"
    plain = {
        "k": "smallest group that is left alone",
        "share": "share of the records that is released",
    }
    attacker = "informed.massc:AwareMASSC"
    changes_length = "releases a subsample"
    one_row_each = (
        "it substitutes and draws rows, and members of a household would part"
    )
    whole_file = "it counts who is unique in the file, and in a block many more are"

    def __init__(
        self,
        substitute: tuple[Share, Share, Share, Share] = (0.5, 0.4, 0.3, 0.1),
        share: tuple[Positive, Positive, Positive, Positive] = (0.5, 0.6, 0.7, 0.8),
        k: Annotated[int, Ge(3)] = 5,
        calibrate: list[str] | None = None,
        columns: list[str] | None = None,
        random_state: Seed = None,
    ) -> None:
        self.substitute = substitute
        self.share = share
        self.k = k
        self.calibrate = calibrate
        self.columns = columns
        self.random_state = random_state

    def _apply(
        self,
        data: Microdata,
        columns: list[str],
        rng: np.random.Generator,
    ) -> Microdata:
        return self._release(data, columns, rng)[0]

    def _fit_apply(
        self,
        data: Microdata,
        columns: list[str],
        rng: np.random.Generator,
    ) -> Microdata:
        masked, weights, rows = self._release(data, columns, rng)
        # of a file on the disk neither is held
        if weights is not None and rows is not None:
            self.weights_, self.rows_ = weights, rows
        return masked

    def _release(
        self,
        data: Microdata,
        columns: list[str],
        rng: np.random.Generator,
    ) -> tuple[Microdata, Floats | None, Ints | None]:
        """The release, its weights, and the rows that are in it."""
        if isinstance(data, OnDisk) and self.passes_of(data) == "keys":
            return self._from_disk(data, columns, rng), None, None
        _, label, count = compress(coded(data, columns))
        # the strata of f = 1, f = 2, f = 3 .. k - 1 and f >= k
        stratum = self._stratum(count)[label]
        in_blocks = self._in_blocks(data, columns)
        masked = self._substituted(data, columns, label, stratum, rng)
        shuffled = None
        if in_blocks:
            # the sample of each stratum are its records with the smallest keys
            shuffled = np.argsort(ties_of(rng)(0, data.n), kind="stable")
        rows, factor = self._sample(stratum, rng, shuffled)
        weight_columns = data.schema.names(role=Role.weight)
        if in_blocks and weight_columns:
            name = weight_columns[0]
            sample = raised(masked.take(rows), name, factor[rows])
            released = self._calibrated_again(data, sample, columns)
            return released, released.column(name), rows
        base = data.column(weight_columns[0]) if weight_columns else np.ones(data.n)
        # the constant 1 among the columns keeps the number of records
        numbers = data.numbers(self._calibrated(data, columns))
        known = np.column_stack([np.ones(data.n), numbers])
        # a missing value adds nothing to a total
        known = np.where(np.isnan(known), 0.0, known)
        weighted = (base * factor)[rows]
        weights = calibrated(weighted, known[rows], base @ known)
        released = masked.take(rows)
        if weight_columns:
            name = weight_columns[0]
            released = released.with_column(name, weights, kind=Kind.continuous)
        return released, weights, rows

    # -- large files -------------------------------------------------------------------

    def passes_of(self, data: Microdata) -> Passes:
        """Combinations are counted on the disk; codes of gaps that move are those of columns."""
        columns = self._targets(data)
        coded = any(data.schema[name].missing for name in columns)
        return "keys" if self._in_blocks(data, columns) and not coded else "together"

    def _in_blocks(self, data: Microdata, columns: list[str]) -> bool:
        """Does each block of records draw for itself? Totals of masked columns are held."""
        masked = set(columns) & set(self._calibrated(data, columns))
        return data.n > by_address.BLOCK and not masked

    def _stratum(self, count: Ints) -> Ints:
        """The strata of f = 1, f = 2, f = 3 .. k - 1 and f >= k."""
        return np.searchsorted([2, 3, self.k], count, side="right")

    def _calibrated_again(
        self, data: Microdata, sample: Microdata, columns: list[str]
    ) -> Microdata:
        """The sample with weights that keep the totals of the file."""
        weight = data.schema.names(role=Role.weight)[0]
        names = [weight, *self._calibrated(data, columns)]
        return recalibrated(sample, names, weighted_totals(data, names), _solved)

    def _from_disk(
        self, data: OnDisk, columns: list[str], rng: np.random.Generator
    ) -> Microdata:
        """The release of a file on the disk."""
        found = DistinctRecords.of(data, columns)
        assert found.times is not None
        assert found.counts is not None
        number = found.counts.numbers(data.disk.folder)
        found.counts.remove()
        stratum = self._stratum(found.times)
        values, codes = found.data.numbers(columns), coded(found.data, columns)
        classes = Classes.of(values, codes, found.times, stratum)
        keys = ties_of(rng)
        moves = Moves(np.asarray(self.substitute), by_address.Draws.of(rng))
        how = number, classes, keys, moves
        masked = substituted_on_disk(data, columns, *how)
        # a stratum without records has no sample
        size = np.bincount(stratum, found.times).astype(np.int64)
        present = np.flatnonzero(size)
        size, share = size[present], np.asarray(self.share)[present]
        wanted = sample_sizes(size, share)
        of_record = StratumOf(number, np.searchsorted(present, stratum))
        chosen = InSample.of(data, of_record, wanted, size, ties_of(rng))
        weights = data.schema.names(role=Role.weight)[:1]
        masked = raised_on_disk(masked, weights, of_record, size / wanted)
        sample = masked.where(chosen)
        number.remove()
        return self._calibrated_again(data, sample, columns) if weights else sample

    # -- steps -------------------------------------------------------------------------

    def _substituted(
        self,
        data: Microdata,
        columns: list[str],
        label: Ints,
        stratum: Ints,
        rng: np.random.Generator,
    ) -> Microdata:
        """The file in which some records have the keys of their neighbour."""
        chance = np.asarray(self.substitute)
        if self._in_blocks(data, columns):
            shuffled = np.argsort(ties_of(rng)(0, data.n), kind="stable")
            moved = Moves(chance, by_address.Draws.of(rng))(0, stratum)
        else:
            shuffled = rng.permutation(label.size)
            moved = rng.random(data.n) < chance[stratum]
        # all keys move together, so that no combination arises that nobody has
        donor = neighbours(label, stratum, shuffled)
        source = np.where(moved, donor, np.arange(data.n))
        # a moved gap must not tell the reason of the gap that was there
        data = data.with_plain_gaps(columns)
        return data.with_numbers(columns, data.numbers(columns)[source])

    def _calibrated(
        self,
        data: Microdata,
        columns: list[str],
    ) -> list[str]:
        """The columns whose totals are kept."""
        if self.calibrate is None:
            names = data.schema.names(role=Role.confidential, scale=Kind.continuous)
            return [name for name in names if name not in columns]
        for name in self.calibrate:
            kind = data.schema[name].scale
            if kind is not Kind.continuous:
                raise ColumnError(
                    f"totals need numbers, but '{name}' is {kind}; leave it out"
                )
        return list(self.calibrate)

    def _sample(
        self,
        stratum: Ints,
        rng: np.random.Generator,
        shuffled: Ints | None,
    ) -> tuple[Ints, Floats]:
        """The rows that are released, and for every record n / m of its stratum."""
        chosen: list[Ints] = []
        factor = np.ones(stratum.size)
        for number, share in enumerate(self.share):
            inside = np.flatnonzero(stratum == number)
            # a stratum without records draws no random numbers
            if inside.size:
                size = max(1, round(share * inside.size))
                if shuffled is None:
                    own = rng.permutation(inside)
                else:
                    own = shuffled[stratum[shuffled] == number]
                chosen.append(own[:size])
                factor[inside] = inside.size / size
        return np.sort(np.concatenate(chosen)), factor


def neighbours(
    label: Ints,
    stratum: Ints,
    shuffled: Ints,
) -> Ints:
    """For each record another one of its stratum, next to it in value order of the keys.

    The last of a stratum takes the one before; a record that is alone in its stratum, itself.
    Records with the same keys are in the order in which they are ``shuffled``.
    """
    by_stratum = np.lexsort((label[shuffled], stratum[shuffled]))
    order = shuffled[by_stratum]
    after = np.roll(order, -1)
    before = np.roll(order, 1)
    has_after = stratum[after] == stratum[order]
    has_after[-1] = False  # after the last comes the first, by the roll only
    has_before = stratum[before] == stratum[order]
    fallback = np.where(has_before, before, order)
    donor = np.empty(label.size, dtype=np.intp)
    donor[order] = np.where(has_after, after, fallback)
    return donor


def _solved(cross: Floats, missing: Floats) -> Floats:
    return np.asarray(np.linalg.lstsq(cross, missing, rcond=RANK)[0])


def calibrated(
    weights: Floats,
    known: Floats,
    totals: Floats,
) -> Floats:
    """``weights (1 + known c)`` with weighted totals equal to ``totals``.

    Linear calibration (Deville and Sarndal 1992).
    """
    # columns of very different size would lose digits in the cross product
    largest = np.abs(known).max(axis=0)
    size = np.maximum(largest, SMALLEST)
    scaled = known / size
    cross = scaled.T @ (weights[:, None] * scaled)
    missing = totals / size - weights @ scaled
    c = _solved(cross, missing)
    return np.asarray(weights * (1 + scaled @ c))
