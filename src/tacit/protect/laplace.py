"""The Laplace mechanism on values."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Annotated

import numpy as np
import pyarrow as pa
from annotated_types import Gt, Le

from tacit.base.facts import Strength
from tacit.base.parameters import Seed, TestSeed
from tacit.data.microdata import Microdata
from tacit.data.schema import Category
from tacit.protect.private import declared, discrete_laplace, split
from tacit.protect.private.bounds import (
    Grid,
    announce,
    grid_of,
    refuse_missing,
    secret_or,
)
from tacit.protect.private.noisy_blocks import Source, checked, drawn
from tacit.protect.private.protector import PrivateProtector
from tacit.protect.private.randomised_response import randomised_response


class Laplace(PrivateProtector):
    """Differentially private values: Laplace noise on every value of every record.

    Parameters
    ----------
    epsilon : float
        Privacy budget of the whole release, split evenly over the columns; smaller protects
        more.
    bounds : dict of [low, high]
        Columns that get noise, each with its lowest and highest value, from what is known and
        not from the file; values outside are clamped and counted.
    categories : dict of list, optional
        Columns that get randomised response, each with all categories that may occur (ordinal
        ones from lowest to highest), from what is known; any other value is refused.
    integers : list of str, optional
        Columns with bounds that are released as whole numbers; others are real numbers.
    columns : list of str, optional
        Columns to mask; the quasi-identifiers and all declared columns unless given. Each needs
        bounds or categories.
    random_state : int, optional
        Seed for tests, refused without test_seed: who knows it can take the noise off.
    test_seed : bool
        Allow a seed, for tests only.

    Attributes
    ----------
    accountant_ : Accountant
        What was spent on which column.
    guarantee_ : str
        What is guaranteed with these parameters, in words.
    not_private_ : list of str
        Columns that were released as they are, which epsilon does not cover.
    clamped_ : dict
        Values outside the bounds, by column; private itself: do not release.

    Notes
    -----
    **Definition.** A value of a column with ``bounds`` is clamped, put on a grid, and gets
    discrete Laplace noise of scale ``(high - low) m / epsilon``, m the number of columns. A
    value of a column with ``categories`` is replaced by randomised response: it stays with
    probability ``e^e / (e^e + c - 1)``, e = epsilon / m, c declared categories. What is
    declared decides, and never the file: not how many values are distinct, nor whether they
    are whole, nor which categories occur. So the types of the release are those declared:
    real numbers, whole ones for ``integers``, the categories as given.

    **Guarantee.** Epsilon-differential privacy of the masked columns of the whole file,
    neighbours: change one record to another one of the declared domain (n public). Changing a
    record moves one entry of each column by at most high - low. Columns that are not protected
    are not covered: a warning, ``not_private_`` and ``accountant_`` name them. The noise is
    drawn exactly (integers, no floating point; see ``tacit.protect.private``). A file with
    missing values or undeclared categories is outside the domain and refused; that it was
    refused is not private.

    **Cost.** Linear.

    **Known attacks.** None within the guarantee. With epsilon near 1 single values are
    useless; the method is here as a baseline.

    References
    ----------
    Dwork, McSherry, Nissim and Smith (2006); Warner (1965).

    Examples
    --------
    >>> import numpy as np
    >>> private = Laplace(epsilon=1.0, bounds={"x0": [0, 9]})
    >>> private.fit_transform(np.arange(10.0).reshape(10, 1)).shape
    (10, 1)
    """

    title = "Laplace mechanism"
    family = "differential privacy"
    purpose = "release values with noise that bounds what any one record changes"
    goal = "guarantee by differential privacy"
    plain = {
        "epsilon": "privacy budget",
        "bounds": "range of each column",
        "categories": "categories of each column",
    }
    strength = Strength("epsilon", 100.0, 0.001)
    attacker = "informed.laplace:AwareLaplace"
    keeps_gaps = False
    example = {
        "columns": ["income", "age", "debt", "region", "school"],
        "bounds": {
            "income": [0.0, 200000.0],
            "age": [0.0, 120.0],
            "debt": [0.0, 20000.0],
        },
        "categories": {
            "region": ["east", "north", "south"],
            "school": ["low", "mid", "high"],
        },
        "integers": ["age"],
    }
    # randomised response
    _lists = True
    passes = "sums"

    whole_file = (
        "its privacy guarantee and budget are for the whole file, "
        "and the blocks are made from the data"
    )

    def __init__(
        self,
        epsilon: Annotated[float, Gt(0), Le(1e6)] = 1.0,
        bounds: dict[str, tuple[float, float]] | None = None,
        categories: dict[str, list[Category]] | None = None,
        integers: list[str] | None = None,
        columns: list[str] | None = None,
        random_state: Seed = None,
        test_seed: TestSeed = False,
    ) -> None:
        self.epsilon = epsilon
        self.bounds = bounds
        self.categories = categories
        self.integers = integers
        self.columns = columns
        self.random_state = random_state
        self.test_seed = test_seed

    def _release(
        self,
        data: Microdata,
        columns: list[str],
        rng: np.random.Generator,
        *,
        keep: bool,
    ) -> Microdata:
        bounds = self.bounds or {}
        listed = self.categories or {}
        whole = self.integers or ()
        # every declaration is checked before anything is drawn or spent
        domain = {
            name: grid_of(name, bounds[name], whole=name in whole)
            for name in columns
            if name in bounds
        }
        known = {name: listed[name] for name in columns if name not in domain}
        checked(data, columns, Domain(tuple(domain), known))
        accountant = self._account(data, columns)
        # the columns are of the same records, so their epsilons add up
        share = split(self.epsilon, len(columns))
        scales = {}
        for name in columns:
            if name in known:
                accountant.spend(f"categories of {name}", share)
                continue
            # one record moves its own entry by at most the whole grid
            grid, what = domain[name], f"values of {name}"
            scales[name] = announce(accountant, what, share, grid, grid.steps, 1)
        noisy = Noisy(tuple(columns), domain, scales, known, share, tuple(whole))
        source = secret_or(rng, self.random_state)
        masked, clamped = drawn(data, columns, noisy, source)
        # what is fitted is of the release that was made, and a new release changes nothing
        if keep:
            self._keep(accountant, columns)
            self.clamped_ = clamped
        return masked


@dataclass(frozen=True)
class Domain:
    """The declared domain: numbers without gaps, and listed categories."""

    numeric: tuple[str, ...]
    known: Mapping[str, Sequence[Category]]

    def __call__(self, data: Microdata, first: int) -> None:
        """Raise where records, which begin at a row of the file, are outside it."""
        for name in self.numeric:
            refuse_missing(data.column(name), name)
        for name, words in self.known.items():
            declared.codes_of(data, name, words, first=first)


@dataclass(frozen=True)
class Noisy:
    """The new columns of some records, drawn column after column."""

    columns: tuple[str, ...]
    domain: Mapping[str, Grid]
    scales: Mapping[str, float]
    known: Mapping[str, Sequence[Category]]
    epsilon: float
    """Of each column."""
    whole: tuple[str, ...]

    def __call__(
        self, data: Microdata, source: Source
    ) -> tuple[dict[str, pa.Array], dict[str, int]]:
        """The columns, and how many values of each were outside its bounds."""
        masked, clamped = {}, {}
        for name in self.columns:
            if name in self.known:
                words = self.known[name]
                codes = declared.codes_of(data, name, words)
                answers = randomised_response(codes, len(words), self.epsilon, source)
                masked[name] = declared.categories(answers, words)
                continue
            grid = self.domain[name]
            # integers from here on: noise on floating-point numbers leaks
            places, clamped[name] = grid.place(data.column(name))
            noisy = places + discrete_laplace(self.scales[name], data.n, source)
            values = grid.value(noisy.astype(np.float64))
            masked[name] = declared.numbers(values, whole=name in self.whole)
        return masked, clamped
