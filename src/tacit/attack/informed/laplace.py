"""Laplace noise: absolute differences over the scale; categories by randomised response."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Annotated, Any

import numpy as np
from annotated_types import Ge, Gt

from tacit.attack.informed.base import Informed, continuous, numbers
from tacit.attack.informed.evidence import Evidence, Part, Rule
from tacit.base.typing import Floats
from tacit.data.microdata import Kind, Microdata
from tacit.data.schema import Category

# exp of more would overflow soon (at 709), and no category changes long before
LARGEST_EXPONENT = 500.0


class AwareLaplace(Informed):
    """The intruder knows the Laplace mechanism, its epsilon and what was declared.

    Parameters
    ----------
    epsilon : float
        Privacy budget of a whole record.
    bounds : dict of [low, high], optional
        Columns that got noise, with their public bounds.
    categories : dict of list, optional
        Columns that got randomised response, with their declared categories.
    masked : int, optional
        How many columns share the budget; as many as are compared unless given.
    rule : {"assignment", "nearest", "likeliest"}
        Who is named: the best bijection, each original's cheapest record, or its likeliest.
    columns : list of str, optional
        The columns that the intruder compares; the quasi-identifiers unless given.

    Notes
    -----
    **Definition.** With e = epsilon / m over m columns: |x - z| e / (high - low) for a column with
    bounds; for one of c declared categories -log(q / (q + c - 1)), q = exp(e), if the category is
    the same and -log(1 / (q + c - 1)) if not. What was declared decides, as it does in the method:
    a column of few whole numbers with bounds is one of numbers. A column without a declaration is
    read by its kind, with its own range or its own categories; only the ratio of the scales
    matters for the links.

    **Guarantee.** Exact likelihood of the mechanism, up to a constant.

    **Cost.** All pairs of a file of up to 6,000 records, candidates of a larger one.

    References
    ----------
    Dwork, McSherry, Nissim and Smith (2006); Warner (1965).

    Examples
    --------
    >>> x = np.random.default_rng(1).normal(size=(60, 3))
    >>> AwareLaplace(epsilon=10.0).link(x, x + 0.01).rate > 0.9
    True
    """

    method = "laplace"

    def __init__(
        self,
        epsilon: Annotated[float, Gt(0)] = 1.0,
        bounds: dict[str, tuple[float, float]] | None = None,
        categories: dict[str, list[Category]] | None = None,
        masked: Annotated[int, Ge(1)] | None = None,
        rule: Rule = "assignment",
        columns: list[str] | None = None,
    ) -> None:
        self.epsilon = epsilon
        self.bounds = bounds
        self.categories = categories
        self.masked = masked
        self.rule = rule
        self.columns = columns

    @classmethod
    def knowing(
        cls,
        protector: Any,
        original: Microdata,
    ) -> AwareLaplace:
        """Epsilon and all declarations are public."""
        return cls(
            epsilon=protector.epsilon,
            bounds=protector.bounds,
            categories=protector.categories,
            masked=max(len(protector.touches(original)), 1),
        )

    @property
    def knows(self) -> str:
        """Who the intruder is and what they know, in one phrase."""
        return self._says(
            f"that Laplace noise for epsilon = {self.epsilon:g} was added"
        )

    def evidence(
        self,
        original: Microdata,
        masked: Microdata,
        columns: list[str],
    ) -> Evidence:
        """Absolute differences over their scales; categories by randomised response."""
        # the budget of a record is split evenly over its columns
        share = self.epsilon / (self.masked or max(len(columns), 1))
        noisy, listed = self._declared(original, columns)
        total = Evidence.none(original.n, masked.n)
        for name, known in listed.items():
            total = total + _answers(original, masked, name, known, share)
        if noisy:
            original = _as_numbers(original, noisy)
            x, z = numbers(original, masked, noisy)
            unit = self._widths(noisy, x) / share
            x = x / unit
            z = z / unit
            total = total + Evidence.of_part(Part(x, z, _absolute, (x, z)))
        return total

    def _declared(
        self,
        original: Microdata,
        columns: list[str],
    ) -> tuple[list[str], dict[str, Sequence[Category]]]:
        """Columns that got noise, and those that got randomised response with their categories."""
        bounds, listed = self.bounds or {}, self.categories or {}
        # where nothing was said, the kind of the column tells
        free = [name for name in columns if name not in bounds and name not in listed]
        numeric = {*bounds, *continuous(original, free)}
        categories: dict[str, Sequence[Category]] = {}
        for name in columns:
            if name not in numeric:
                categories[name] = listed.get(name) or original.categories(name)
        return [name for name in columns if name in numeric], categories

    def _widths(
        self,
        names: list[str],
        x: Floats,
    ) -> Floats:
        """high - low of each column: as given, or the original's range."""
        widths = []
        for name, least, largest in zip(names, x.min(0), x.max(0), strict=True):
            own = (0.0, largest - least or 1.0)
            low, high = (self.bounds or {}).get(name, own)
            widths.append(high - low)
        return np.array(widths)


def _as_numbers(data: Microdata, names: list[str]) -> Microdata:
    """The file with these columns read as numbers, whatever kind was guessed for them."""
    other = [name for name in names if data.schema[name].scale is not Kind.continuous]
    return data.with_schema(data.schema.set(continuous=other)) if other else data


def _answers(
    original: Microdata,
    masked: Microdata,
    name: str,
    known: Sequence[Category],
    share: float,
) -> Evidence:
    """Randomised response over the declared categories: e^share to 1 for the true one."""
    odds = np.exp(min(share, LARGEST_EXPONENT))
    table = np.full((len(known) + 1, len(known) + 1), np.log(odds + len(known) - 1))
    np.fill_diagonal(table, table[0, 0] - np.log(odds))
    # the last code is for what was not declared: a later step made it, and it tells nothing
    table[-1, :] = table[:, -1] = 0.0
    x, z = (_places(data, name, known) for data in (original, masked))

    def cost(left: Floats, right: Floats) -> Floats:
        rows, columns = left[:, 0].astype(np.int64), right[:, 0].astype(np.int64)
        return np.asarray(table[np.ix_(rows, columns)])

    every = np.arange(len(known))
    # squared distances of the hint are the costs, twice
    weight = np.sqrt(np.log(odds))
    hint = weight * (x == every), weight * (z == every)
    return Evidence.of_part(Part(x, z, cost, hint))


def _places(data: Microdata, name: str, known: Sequence[Category]) -> Floats:
    """Values as places in the declared list, which a plan file may give as text; others come
    after the last."""
    place = {str(value): float(code) for code, value in enumerate(known)}
    values = data.table.column(name).to_pylist()
    codes = [place.get(str(value), float(len(known))) for value in values]
    return np.array(codes)[:, None]


def _absolute(p: Floats, q: Floats) -> Floats:
    """sum_k |p_k - q_k| of all pairs."""
    total = np.zeros((len(p), len(q)))
    for k in range(p.shape[1]):
        total += np.abs(p[:, k, None] - q[None, :, k])
    return total
