"""IPSO of a file of more than one block, from sums: the same bits in memory and from the disk.

What a decomposition of all records gives is found from cross products, which are added block by
block in file order, in a few passes over the file. A basis Q of columns A is A times the inverse of
the Cholesky root of A'A, and the same once more of Q, after which it is orthonormal to rounding
(Yamamoto et al. 2015, CholeskyQR2). Each block of 8,192 records draws its normal numbers
from a generator of its own (``by_address``), again in every pass that needs them.

``Release.of(...)`` learns; ``release.blocks()`` gives the masked columns, block after block.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field, replace

import numpy as np

from tacit.base.errors import InputError
from tacit.base.typing import Floats
from tacit.data.microdata import Microdata
from tacit.protect import by_address
from tacit.protect.covariance import ROUNDING

TWICE = 2
"""Projections and orthonormalisations until only rounding error is left."""


@dataclass(frozen=True)
class Release:
    """Y' of a variant as a function of a block: its number, and its columns Y and X."""

    data: Microdata
    columns: tuple[str, ...]
    given: tuple[str, ...]
    variant: str
    draws: by_address.Draws
    # of Y and X: mean of what is there, mean after filling, and size
    fill: Floats = field(default_factory=lambda: np.zeros(0))
    size: Floats = field(default_factory=lambda: np.ones(0))
    # X standardised times this is an orthonormal basis of its span
    to_basis: Floats = field(default_factory=lambda: np.zeros((0, 0)))
    coefficients: Floats = field(default_factory=lambda: np.zeros((0, 0)))
    scale: Floats = field(default_factory=lambda: np.zeros(0))
    axes: Floats = field(default_factory=lambda: np.zeros((0, 0)))
    # what the noise loses to be orthogonal to 1 and X, and its root
    shifts: tuple[tuple[Floats, Floats], ...] = ()
    to_unit: tuple[Floats, ...] = ()

    @classmethod
    def of(
        cls,
        data: Microdata,
        columns: Sequence[str],
        given: Sequence[str],
        variant: str,
        draws: by_address.Draws,
    ) -> Release:
        """Learn from the file, pass after pass."""
        out = cls(data, tuple(columns), tuple(given), variant, draws)
        out = out._with_moments()
        out = out._with_basis()
        total = out._sum(
            lambda _, block: _joined(out._basis(block), out._target(block))
        )
        q = out.to_basis.shape[1]
        out = replace(out, coefficients=total[:q])
        out = out._with_residuals(float(total[q:].sum()))
        free = data.n - 1 - q
        if out.scale.size > free:
            raise InputError(
                f"{data.n} records are too few to replace {len(columns)} columns given "
                f"{len(given)}: at least {out.scale.size + 1 + q} are needed"
            )
        if variant != "A":
            for _ in range(TWICE):
                out = out._with_shift()
        if variant == "C":
            for _ in range(TWICE):
                out = out._with_root()
        return out

    def blocks(self) -> Iterator[Floats]:
        """The masked columns, block after block; missing values stay missing."""
        factor = self.scale
        if self.variant != "C":
            free = self.data.n - 1 - self.to_basis.shape[1]
            factor = self.scale / np.sqrt(max(free, 1))
        d = len(self.columns)
        for number, block in self._in_turn():
            predicted = self._basis(block) @ self.coefficients
            error = (self._noise(number, block) * factor) @ self.axes
            masked = (predicted + error) * self.size[:d] + self.fill[:d]
            masked[np.isnan(block[:, :d])] = np.nan
            yield masked

    def _in_turn(self) -> Iterator[tuple[int, Floats]]:
        names = [*self.columns, *self.given]
        return enumerate(self.data.in_turn(names, by_address.BLOCK))

    def _sum(self, of_block: Callable[[int, Floats], Floats]) -> Floats:
        """One pass: what each block gives, added in file order."""
        total: Floats | None = None
        for number, block in self._in_turn():
            found = of_block(number, block)
            total = found if total is None else total + found
        assert total is not None, "a file has records"
        return total

    def _with_moments(self) -> Release:
        """Gaps sit at their column's mean, which therefore stays the mean; then sizes."""

        def count_and_sum(_: int, block: Floats) -> Floats:
            gaps = np.isnan(block)
            return np.stack(
                [(~gaps).sum(axis=0), np.where(gaps, 0.0, block).sum(axis=0)]
            )

        present, total = self._sum(count_and_sum)
        out = replace(self, fill=total / np.maximum(present, 1))
        squares = out._sum(lambda _, block: (out._centred(block) ** 2).sum(axis=0))
        size = np.sqrt(squares / self.data.n)
        return replace(out, size=np.where(size > 0, size, 1.0))

    def _centred(self, block: Floats) -> Floats:
        return np.where(np.isnan(block), 0.0, block - self.fill)

    def _target(self, block: Floats) -> Floats:
        """Y standardised."""
        d = len(self.columns)
        return np.ascontiguousarray((self._centred(block) / self.size)[:, :d])

    def _given(self, block: Floats) -> Floats:
        """X standardised."""
        d = len(self.columns)
        return np.ascontiguousarray((self._centred(block) / self.size)[:, d:])

    def _basis(self, block: Floats) -> Floats:
        """The rows of the orthonormal basis that belong to a block."""
        return self._given(block) @ self.to_basis

    def _with_basis(self) -> Release:
        """Principal axes of X that are not rounding error, scaled to length one; and again."""
        products = self._sum(lambda _, block: _square(self._given(block)))
        values, vectors = np.linalg.eigh(products)
        keep = values > max(values.max(initial=0.0), 0.0) * ROUNDING * len(values)
        out = replace(self, to_basis=vectors[:, keep] / np.sqrt(values[keep]))
        if not keep.any():
            return out
        again = out._sum(lambda _, block: _square(out._basis(block)))
        return replace(out, to_basis=out.to_basis @ _inverse_root(again))

    def _with_residuals(self, whole: float) -> Release:
        """Singular values and axes of what the regression leaves over, without rounding error."""

        def products(_: int, block: Floats) -> Floats:
            return _square(self._target(block) - self._basis(block) @ self.coefficients)

        _, squares, axes = np.linalg.svd(self._sum(products), hermitian=True)
        smallest = max(whole, squares.max(initial=0.0), 1e-300)
        keep = squares > smallest * ROUNDING * len(squares)
        return replace(self, scale=np.sqrt(squares[keep]), axes=axes[keep])

    def _with_shift(self) -> Release:
        """Mean of the noise and its regression on X, as it is now."""
        q = self.to_basis.shape[1]

        def means(number: int, block: Floats) -> Floats:
            noise = self._noise(number, block)
            basis = self._basis(block)
            return np.vstack([noise.sum(axis=0)[None], basis.T @ noise])

        total = self._sum(means)
        # the basis is orthogonal to 1: both are taken off at once
        shift = (total[0] / self.data.n, total[1 : q + 1])
        return replace(self, shifts=(*self.shifts, shift))

    def _with_root(self) -> Release:
        """What makes the columns of the noise, as it is now, orthonormal."""
        products = self._sum(lambda i, block: _square(self._noise(i, block)))
        return replace(self, to_unit=(*self.to_unit, _inverse_root(products)))

    def _noise(self, number: int, block: Floats) -> Floats:
        """The normal numbers of a block, orthogonal to 1 and X as far as is known."""
        rng = self.draws.at(number)
        noise = rng.standard_normal((len(block), self.scale.size))
        for mean, slope in self.shifts:
            noise = noise - mean - self._basis(block) @ slope
        for root in self.to_unit:
            noise = noise @ root
        return noise


def _square(rows: Floats) -> Floats:
    return np.asarray(rows.T @ rows)


def _joined(basis: Floats, target: Floats) -> Floats:
    """Products of basis and target, and below them the squares of the target."""
    return np.vstack([basis.T @ target, (target**2).sum(axis=0)[None]])


def _inverse_root(products: Floats) -> Floats:
    """The matrix that makes columns with these cross products orthonormal."""
    return np.asarray(np.linalg.inv(np.linalg.cholesky(products)).T)
