"""IPSO: information preserving statistical obfuscation."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Literal

import numpy as np
import pyarrow as pa

from tacit.base.errors import ColumnError, InputError
from tacit.base.typing import Floats
from tacit.data.frames import NativeFrame
from tacit.data.io.on_disk import OnDisk
from tacit.data.microdata import Kind, Microdata, Role, Schema
from tacit.protect import by_address
from tacit.protect.base import Protector, Seed
from tacit.protect.covariance import ROUNDING, fill
from tacit.protect.ipso_in_blocks import Release

RANK = 1e-10
"""Singular values below this share of the largest count as zero (of standardised columns)."""


class IPSO(Protector):
    """Replace the quasi-identifiers Y by synthetic ones that follow the confidential columns X.

    Parameters
    ----------
    variant : {'A', 'B', 'C'}
        How much is kept exactly: nothing, means and regression on X, or also the covariances.
    quasi : list of str, optional
        Columns Y to replace; those of role quasi unless given.
    confidential : list of str, optional
        Columns X that Y follows; those of role confidential unless given (with none, only the
        moments of Y are used).
    random_state : int, optional
        Seed: the same seed gives the same bytes; drawn from the system unless given.

    Notes
    -----
    **Definition.** With B the least-squares coefficients (with intercept) of Y on X and
    R = Y - X B the residuals, ``Y' = X B + E``:

    - variant A: rows of E drawn from N(0, R'R / (n - 1 - rank X)): moments kept in
      expectation;
    - variant B: E of A made orthogonal to 1 and X: means and regression coefficients of Y' on
      X equal B exactly;
    - variant C: moreover E'E = R'R: mean and covariance of Y' and its covariance with X equal
      the original's.

    In C, ``E = Q S V'`` where ``R = U S V'`` (singular values) and Q is a random orthonormal
    basis, orthogonal to 1 and X, of as many columns as R has rank: nothing is inverted, so
    rank-deficient files (a column that is the sum of others) work.

    **Guarantee.** As above, to rounding error; the columns come back as real numbers, because
    rounding them to integers would break it. Missing values of Y stay missing; then the
    promises hold in expectation only.

    **Cost.** A singular value decomposition, linear in records.

    **Known attacks.** Mahalanobis distance between y and x B with the residual covariance, all
    of it computable from the release (Muralidhar and Domingo-Ferrer). B and C keep every mean
    exactly: whoever knows all records but one subtracts them from n times the mean and has the
    last one's values, to rounding error. C keeps the sums of squares as well, so that two
    unknown records follow. Noise-free statistics are not differentially private at any epsilon.

    References
    ----------
    Burridge (2003); Muralidhar and Domingo-Ferrer.

    Examples
    --------
    >>> import numpy as np
    >>> y = np.random.default_rng(1).normal(size=(50, 2))
    >>> masked = IPSO(variant="C", random_state=1).fit_transform(y)
    >>> bool(np.allclose(np.cov(masked.T), np.cov(y.T)))
    True
    """

    title = "IPSO"
    family = "synthetic"
    purpose = "draw the columns anew with the same means and covariances"
    goal = "release fewer or made-up records"
    plain = {
        "variant": "how much of the data is kept",
        "quasi": "columns that are drawn anew",
        "confidential": "columns that they depend on",
    }
    attacker = "informed.synthetic:AwareIPSO"
    example = {"quasi": ["income", "age"], "confidential": ["debt"]}
    changes_types = "rounding to integers would break the moments that it promises"

    # regressions and covariances need numbers
    kinds = frozenset({Kind.continuous})

    passes = "sums"

    whole_file = (
        "its regression is that of the file, and every block would have one of its own"
    )

    def __init__(
        self,
        variant: Literal["A", "B", "C"] = "C",
        quasi: list[str] | None = None,
        confidential: list[str] | None = None,
        random_state: Seed = None,
    ) -> None:
        self.variant = variant
        self.quasi = quasi
        self.confidential = confidential
        self.random_state = random_state

    def touches(self, data: Microdata) -> list[str]:
        """The quasi-identifiers that are drawn anew: those named, or all that are not given."""
        if self.quasi:
            return list(self.quasi)
        return self._quasi_not_given(data)

    def _quasi_not_given(self, data: Microdata) -> list[str]:
        """The file's quasi-identifiers without those that are named as confidential."""
        given = set(self.confidential or [])
        return [name for name in data.quasi if name not in given]

    def _targets(self, data: Microdata) -> list[str]:
        if self.quasi is None:
            names = self._quasi_not_given(data)
        else:
            names = list(self.quasi)
        if not names:
            raise ColumnError(
                "there is no quasi-identifier to replace; name some: quasi=[...]"
            )
        for name in [*names, *self._given(data, names)]:
            kind = data.schema[name].scale
            if kind is not Kind.continuous:
                raise ColumnError(
                    f"IPSO works on continuous columns, but '{name}' is {kind}; "
                    "leave it out (quasi=[...], confidential=[...])"
                )
        return names

    def _given(
        self,
        data: Microdata,
        columns: list[str],
    ) -> list[str]:
        """The columns X: those named, or the continuous confidential ones."""
        if self.confidential is None:
            names = data.schema.names(role=Role.confidential, scale=Kind.continuous)
            return [name for name in names if name not in columns]
        both = [name for name in self.confidential if name in columns]
        if both:
            raise ColumnError(
                f"'{both[0]}' is both quasi and confidential; leave it out of one"
            )
        return list(self.confidential)

    def _apply(
        self,
        data: Microdata,
        columns: list[str],
        rng: np.random.Generator,
    ) -> Microdata:
        given = self._given(data, columns)
        if data.n > by_address.BLOCK:
            draws = by_address.Draws.of(rng)
            return _put(
                data, columns, Release.of(data, columns, given, self.variant, draws)
            )
        y = data.numbers(columns)
        x = data.numbers(given)
        masked = ipso(y, x, self.variant, rng)
        # column by column with its kind, so that an integer column comes back unrounded
        for j, name in enumerate(columns):
            data = data.with_column(name, masked[:, j], kind=Kind.continuous)
        return data


def _put(data: Microdata, columns: list[str], release: Release) -> Microdata:
    """The file with the columns of a release in blocks, as real numbers."""
    if not isinstance(data, OnDisk):
        masked = np.concatenate(list(release.blocks()))
        for j, name in enumerate(columns):
            data = data.with_column(name, masked[:, j], kind=Kind.continuous)
        return data
    after: list[Schema] = []

    def written() -> Iterator[pa.Table]:
        tables = data.disk.in_turn(by_address.BLOCK, columns)
        for table, masked in zip(tables, release.blocks(), strict=True):
            block = Microdata(table, data.schema.select(columns), NativeFrame.of(table))
            for j, name in enumerate(columns):
                block = block.with_column(name, masked[:, j], kind=Kind.continuous)
            after[:] = [block.schema]
            yield block.table

    spilled = data.disk.folder.write(written())
    return data.with_spilled(columns, spilled, after[0])


def ipso(
    y: Floats,
    x: Floats,
    variant: str,
    rng: np.random.Generator,
) -> Floats:
    """Y' of the variant; see ``IPSO``."""
    gaps = np.isnan(y)
    y, x = fill(y), fill(x)
    n = len(y)
    # standardised, so that columns of very different size keep their digits
    mean = y.mean(axis=0)
    size = _size(y - mean)
    target = (y - mean) / size
    # orthonormal columns that span X without its mean; all orthogonal to 1
    basis = _basis(x)
    predicted = basis @ (basis.T @ target)
    scale, axes = _residual_axes(target, target - predicted)
    rank = scale.size
    # degrees of freedom that the mean and X leave over
    free = n - 1 - basis.shape[1]
    if rank > free:
        raise InputError(
            f"{n} records are too few to replace {y.shape[1]} columns given {x.shape[1]}: "
            f"at least {rank + 1 + basis.shape[1]} are needed"
        )
    noise = rng.standard_normal((n, rank))
    if variant != "A":
        # twice is enough to be orthogonal to rounding error
        for _ in range(2):
            noise -= noise.mean(axis=0)
            noise -= basis @ (basis.T @ noise)
    if variant == "C":
        orthonormal, _ = np.linalg.qr(noise)
        error = (orthonormal * scale) @ axes
    else:
        factor = scale / np.sqrt(max(free, 1))
        error = noise * factor @ axes
    # back to the columns' own units
    out = (predicted + error) * size + mean
    out[gaps] = np.nan
    return np.asarray(out)


def _residual_axes(target: Floats, residual: Floats) -> tuple[Floats, Floats]:
    """Singular values S and axes V' of the residuals, without those that are rounding error."""
    products = residual.T @ residual
    _, squares, axes = np.linalg.svd(products, hermitian=True)
    # the cross product squares the singular values: what is below RANK^2 of the whole is
    # rounding, and so is what is below the last digits of the largest (or a column that is the
    # sum of others would not stay their sum)
    whole = max(float((target**2).sum()), 1e-300)
    of_whole = whole * RANK**2 * len(target)
    of_largest = squares.max(initial=0.0) * ROUNDING * len(squares)
    keep = squares > max(of_whole, of_largest)
    return np.sqrt(squares[keep]), np.asarray(axes[keep])


def _basis(x: Floats) -> Floats:
    """An orthonormal basis of the centred columns."""
    if x.shape[1] == 0:
        return np.empty((len(x), 0))
    centred = x - x.mean(axis=0)
    scaled = centred / _size(centred)
    vectors, values, _ = np.linalg.svd(scaled, full_matrices=False)
    keep = values > values.max(initial=0.0) * RANK
    return np.asarray(vectors[:, keep])


def _size(centred: Floats) -> Floats:
    """Standard deviation of centred columns; 1 for a constant one."""
    size = np.sqrt((centred**2).mean(axis=0))
    return np.asarray(np.where(size > 0, size, 1.0))
