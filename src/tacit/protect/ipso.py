"""IPSO: information preserving statistical obfuscation."""

from __future__ import annotations

from typing import Literal

import numpy as np

from tacit.errors import ColumnError, InputError
from tacit.microdata import FloatArray, Kind, Microdata, Role
from tacit.protect.base import Protector, Seed
from tacit.protect.moments import fill

RANK = 1e-10
"""Singular values below this fraction of the largest count as zero (columns are standardised first)."""


class IPSO(Protector):
    """Replace the quasi-identifiers Y by synthetic ones that follow the confidential columns X in the same way.

    Definition: with B the least-squares coefficients (with intercept) of Y on X and R = Y - X B the residuals,
    ``Y' = X B + E``:

    - variant A: rows of E drawn from N(0, R'R / (n - 1 - rank X)): moments kept in expectation;
    - variant B: E of A made orthogonal to 1 and X: means and regression coefficients of Y' on X equal B exactly;
    - variant C: moreover E'E = R'R: mean and covariance of Y' and its covariance with X equal the original's.

    In C, ``E = Q S V'`` where ``R = U S V'`` (singular values) and Q is a random orthonormal basis, orthogonal to 1
    and X, of as many columns as R has rank: nothing is inverted, so rank-deficient files (a column that is the sum
    of others) work. Source: Burridge (2003); 003. Guarantee: as above, to rounding error; the columns come back as
    real numbers, because rounding them to integers would break it. Missing values of Y stay missing; then the
    promises hold in expectation only. Cost: a singular value decomposition, linear in records. Known attacks:
    Mahalanobis distance between y and x B with the residual covariance, all of it computable from the release
    (003).

    Parameters: ``quasi``: columns to replace (default: role quasi). ``confidential``: columns X (default: role
    confidential; with none, only the moments of Y are used).

    >>> import numpy as np
    >>> y = np.random.default_rng(1).normal(size=(50, 2))
    >>> bool(np.allclose(np.cov(IPSO(variant="C", random_state=1).fit_transform(y).T), np.cov(y.T)))
    True
    """

    kinds = frozenset({Kind.continuous})

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

    def _targets(self, data: Microdata) -> list[str]:
        if self.quasi is None and self.confidential is not None:
            given = set(self.confidential)
            asked: list[str] | None = [name for name in data.quasi if name not in given]
        else:
            asked = self.quasi
        names = data.quasi if asked is None else list(asked)
        if not names:
            raise ColumnError("there is no quasi-identifier to replace; name some: quasi=[...]")
        for name in [*names, *self._given(data, names)]:
            if data.schema[name].kind is not Kind.continuous:
                raise ColumnError(
                    f"IPSO works on continuous columns, but '{name}' is {data.schema[name].kind}; "
                    "leave it out (quasi=[...], confidential=[...])"
                )
        return names

    def _given(self, data: Microdata, columns: list[str]) -> list[str]:
        if self.confidential is None:
            names = data.schema.names(role=Role.confidential)
            return [n for n in names if n not in columns and data.schema[n].kind is Kind.continuous]
        both = [name for name in self.confidential if name in columns]
        if both:
            raise ColumnError(f"'{both[0]}' is both quasi and confidential; leave it out of one")
        return list(self.confidential)

    def _apply(self, data: Microdata, columns: list[str], rng: np.random.Generator) -> Microdata:
        masked = ipso(data.numbers(columns), data.numbers(self._given(data, columns)), self.variant, rng)
        for j, name in enumerate(columns):
            data = data.with_column(name, masked[:, j], kind=Kind.continuous)
        return data


def ipso(y: FloatArray, x: FloatArray, variant: str, rng: np.random.Generator) -> FloatArray:
    """Y' of the variant; see ``IPSO``."""
    gaps = np.isnan(y)
    y, x = fill(y), fill(x)
    n = len(y)
    mean = y.mean(axis=0)
    size = _size(y - mean)
    target = (y - mean) / size
    basis = _basis(x)  # orthonormal columns that span X without its mean; all orthogonal to 1
    predicted = basis @ (basis.T @ target)
    residual = target - predicted
    _, s, vt = np.linalg.svd(residual.T @ residual, hermitian=True)
    # the cross product squares the singular values: what is below RANK^2 of the whole is rounding
    keep = s > max(float((target**2).sum()), 1e-300) * RANK**2 * n
    scale, axes = np.sqrt(s[keep]), vt[keep]
    rank = int(keep.sum())
    free = n - 1 - basis.shape[1]
    if rank > free:
        raise InputError(
            f"{n} records are too few to replace {y.shape[1]} columns given {x.shape[1]}: "
            f"at least {rank + 1 + basis.shape[1]} are needed"
        )
    noise = rng.standard_normal((n, rank))
    if variant == "A":
        error = noise * (scale / np.sqrt(max(free, 1))) @ axes
    else:
        for _ in range(2):  # twice is enough to be orthogonal to rounding error
            noise -= noise.mean(axis=0)
            noise -= basis @ (basis.T @ noise)
        if variant == "B":
            error = noise * (scale / np.sqrt(max(free, 1))) @ axes
        else:
            q, _ = np.linalg.qr(noise)
            error = (q * scale) @ axes
    out = (predicted + error) * size + mean
    out[gaps] = np.nan
    return np.asarray(out)


def _basis(x: FloatArray) -> FloatArray:
    if x.shape[1] == 0:
        return np.empty((len(x), 0))
    centred = x - x.mean(axis=0)
    u, s, _ = np.linalg.svd(centred / _size(centred), full_matrices=False)
    return np.asarray(u[:, s > s.max(initial=0.0) * RANK])


def _size(centred: FloatArray) -> FloatArray:
    size = np.sqrt((centred**2).mean(axis=0))
    return np.asarray(np.where(size > 0, size, 1.0))
