"""Private microaggregation whose rows were kept: noise hides the means, not who shares them."""

from __future__ import annotations

from typing import Annotated, Any, Literal

import numpy as np
from annotated_types import Ge, Gt

from tacit.attack.base import distinct
from tacit.attack.informed.base import Informed, continuous
from tacit.attack.informed.evidence import Evidence, Rule
from tacit.attack.informed.pram import unchanged
from tacit.attack.informed.rank_swapping import rank_range
from tacit.attack.informed.tables import balanced, counted, links_of, looked_up
from tacit.base.typing import Floats, Ints
from tacit.data.microdata import Microdata

# Links and groups are estimated in turn so often at the most; a few rounds usually suffice
ROUNDS = 40
# Mean probability of the likeliest link at which the groups are known
SETTLED = 0.999
# Change of that mean at which further rounds bring nothing
STILL = 1e-5
# Largest file whose links are all written down in every round
LARGEST = 3_000
# Smallest probability that a run has a value: the first rounds are often wrong
DOUBT = 1e-6
# Rounds of balancing that give each run its share of the released values
BALANCE = 30


class AwareDPMicroaggregation(Informed):
    """The intruder forms the same groups, and finds out which released value each of them has.

    Parameters
    ----------
    k : int
        Records of a group.
    epsilon : float
        Privacy budget of the means of all columns together.
    bounds : dict of str to (low, high), optional
        Public bounds of each column; its own range stands for them unless given.
    form : {"individual", "multivariate"}
        Each column ordered on its own, or all records along one order.
    rows : {"shuffled", "kept"}
        Whether records were put in random order; with ``individual`` nothing is left to link.
    width : int, optional
        Number of columns that share epsilon; those compared unless given.
    rule : {"assignment", "nearest", "likeliest"}
        Who is named: the best bijection, each original's cheapest record, or its likeliest.
    columns : list of str, optional
        The columns that the intruder compares; the quasi-identifiers unless given.

    Notes
    -----
    **Definition.** Groups are runs of k along an order of the originals, so the intruder
    knows them; records with one released value are one group (or some, where values were
    clamped). What the noise hides is which run has which value. Start from the Laplace
    likelihood of the run's own mean; link records by all columns together (balanced
    likelihoods); count which runs the linked records of a value come from, take that for
    the probability that the run has the value, and repeat. The columns confirm each other.

    **Guarantee.** None on the groups found; links are exact under them.

    **Cost.** n^2 per column and round, up to 3,000 records; beyond, the likelihood of the
    means alone.

    References
    ----------
    Soria-Comas et al. (2014) for the method; the attack is this package's.

    Examples
    --------
    >>> x = np.random.default_rng(1).normal(size=(60, 4))
    >>> z = np.empty_like(x)
    >>> for c, order in enumerate(np.argsort(x, axis=0).T):
    ...     z[order, c] = np.repeat(np.arange(12.0), 5)
    >>> AwareDPMicroaggregation(k=5).link(x, z).rate > 0.9
    True
    """

    method = "dp_microaggregation"

    def __init__(
        self,
        k: Annotated[int, Ge(1)] = 10,
        epsilon: Annotated[float, Gt(0)] = 1.0,
        bounds: dict[str, tuple[float, float]] | None = None,
        form: Literal["individual", "multivariate"] = "individual",
        rows: Literal["shuffled", "kept"] = "kept",
        width: Annotated[int, Ge(1)] | None = None,
        rule: Rule = "assignment",
        columns: list[str] | None = None,
    ) -> None:
        self.k = k
        self.epsilon = epsilon
        self.bounds = bounds
        self.form = form
        self.rows = rows
        self.width = width
        self.rule = rule
        self.columns = columns

    @classmethod
    def knowing(
        cls,
        protector: Any,
        original: Microdata,
    ) -> AwareDPMicroaggregation:
        """Everything but the noise is public."""
        return cls(
            k=protector.k,
            epsilon=protector.epsilon,
            bounds=protector.bounds,
            form=protector.form,
            rows=getattr(protector, "rows", "shuffled"),
            width=max(len(protector.touches(original)), 1),
        )

    @property
    def knows(self) -> str:
        """Who the intruder is and what they know, in one phrase."""
        return self._says(
            f"that runs of {self.k} records share a noisy mean (epsilon = {self.epsilon:g})"
        )

    def evidence(
        self,
        original: Microdata,
        masked: Microdata,
        columns: list[str],
    ) -> Evidence:
        """Which runs the values of each column belong to, as far as the columns agree on it."""
        names = continuous(original, columns)
        rest = [name for name in columns if name not in names]
        total = Evidence.none(original.n, masked.n)
        if rest:
            total = total + unchanged(original, masked, rest)
        if not names or (self.rows == "shuffled" and self.form == "individual"):
            # columns were permuted one by one: a record's values belong to others
            return total
        runs = self._columns_of_runs(original, masked, names)
        # one order alone has no other to agree with
        if len(runs) > 1 and max(original.n, masked.n) <= LARGEST:
            _agree(runs)
        ours = np.stack([run.ours for run in runs], 1)
        theirs = np.stack([run.theirs for run in runs], 1)
        tables = [run.cost() for run in runs]
        hint = (
            np.hstack([run.places[0] for run in runs]),
            np.hstack([run.places[1] for run in runs]),
        )
        return total + looked_up(ours, theirs, tables, hint)

    def _columns_of_runs(
        self,
        original: Microdata,
        masked: Microdata,
        names: list[str],
    ) -> list[_Runs]:
        """Runs and released values, per column; one of each for the multivariate form."""
        x = np.nan_to_num(original.numbers(names))
        z = np.nan_to_num(masked.numbers(names))
        low, high = self._bounds(names, x)
        unit_x = np.clip((x - low) / (high - low), 0.0, 1.0)
        unit_z = (z - low) / (high - low)
        starts, sizes = _cut(len(x), self.k)
        share = self.epsilon / (self.width or len(names))
        if self.form == "individual":
            scale = 1.0 / (share * sizes)
            return [
                _Runs.of(unit_x[:, [c]], unit_x[:, c], unit_z[:, [c]], starts, scale)
                for c in range(len(names))
            ]
        # one record may move a record in every run: the noise is that much larger
        scale = len(sizes) / (share * sizes)
        far = (unit_x**2).sum(axis=1)
        return [_Runs.of(unit_x, _order(unit_x, far), unit_z, starts, scale)]

    def _bounds(
        self,
        names: list[str],
        x: Floats,
    ) -> tuple[Floats, Floats]:
        """Bounds as given, or the original's range."""
        low = np.empty(len(names))
        high = np.empty(len(names))
        for c, name in enumerate(names):
            least = float(x[:, c].min())
            own = (least, max(float(x[:, c].max()), least + 1e-12))
            low[c], high[c] = (self.bounds or {}).get(name, own)
        return low, high


def _cut(n: int, k: int) -> tuple[Ints, Floats]:
    """Where the runs of k begin, the last one with the remainder, and their sizes."""
    starts = np.arange(max(n // k, 1)) * k
    sizes = np.diff(np.append(starts, n)).astype(float)
    return starts, sizes


def _order(rows: Floats, far: Floats) -> Floats:
    """The place of each record along the order: by distance, then by value; equal rows share."""
    return distinct(np.hstack([far[:, None], rows])).inverse.astype(float)


class _Runs:
    """One order of the originals cut into runs, and the classes of equal released values."""

    def __init__(
        self,
        ours: Ints,
        theirs: Ints,
        member: Floats,
        chance: Floats,
        places: tuple[Floats, Floats],
    ) -> None:
        self.ours = ours
        self.theirs = theirs
        self.member = member
        self.chance = chance
        self.places = places

    @classmethod
    def of(
        cls,
        x: Floats,
        along: Floats,
        z: Floats,
        starts: Ints,
        scale: Floats,
    ) -> _Runs:
        """Runs of the order ``along``, and how likely each has which released value."""
        stops = np.append(starts[1:], len(x))
        value, ours = np.unique(along, return_inverse=True)
        # equal originals may lie on both sides of a cut: their order is not known
        ranks = rank_range(value, along)
        inside = np.minimum(ranks[:, 1:] + 1, stops) - np.maximum(ranks[:, :1], starts)
        member = np.maximum(inside, 0.0)
        member = member / member.sum(axis=1, keepdims=True)
        ordered = x[np.lexsort((*x.T[::-1], along))]
        means = np.add.reduceat(ordered, starts) / (stops - starts)[:, None]
        released = distinct(z)
        fit = _laplace(means, released.rows, scale)
        weight = np.exp(fit - fit.max(axis=1, keepdims=True))
        # a value that many records have is that of several runs
        capacity = np.asarray(released.count * (len(starts) / len(z)), np.float64)
        chance = balanced(weight, np.ones(len(starts)), capacity, BALANCE)
        middle = member @ means / scale.mean()
        places = middle[ours.ravel()], z / scale.mean()
        return cls(ours.ravel(), released.inverse, member, chance, places)

    def cost(self) -> Floats:
        """Minus the log probability of each value for each distinct original."""
        return np.asarray(-np.log(np.maximum(self.member @ self.chance, DOUBT)))

    def learn(self, links: Floats) -> None:
        """The probability of a run's values is the share of its members' links."""
        shape = (len(self.member), self.chance.shape[1])
        count = self.member.T @ counted(links, self.ours, self.theirs, shape)
        self.chance = count / np.maximum(count.sum(axis=1, keepdims=True), 1e-300)


def _laplace(
    means: Floats,
    values: Floats,
    scale: Floats,
) -> Floats:
    """Log likelihood of each released value for each run; all in units of the bounds' width."""
    total = np.zeros((len(means), len(values)))
    b = scale[:, None]
    # values are cut off at the bounds, and a bound has all the mass beyond it; elsewhere
    # the likelihood is a density, here that of a step of the grid (a millionth)
    step = 1e-6
    for c in range(means.shape[1]):
        mean = means[:, c, None]
        value = values[None, :, c]
        apart = np.abs(value - mean) / b
        within = -apart + np.log(step / (2 * b))
        beyond = -apart + np.log(0.5)
        total += np.where((value <= 0.0) | (value >= 1.0), beyond, within)
    return total


def _agree(runs: list[_Runs]) -> None:
    """Link by all columns, learn each column's runs from the links, and repeat."""
    before = 0.0
    for _ in range(ROUNDS):
        cost = np.zeros((len(runs[0].ours), len(runs[0].theirs)))
        for run in runs:
            cost += run.cost()[run.ours][:, run.theirs]
        links = links_of(cost)
        for run in runs:
            run.learn(links)
        sure = float(links.max(axis=1).mean())
        # identical records stay unsure for ever: then nothing moves any more
        if sure > SETTLED or abs(sure - before) < STILL:
            return
        before = sure
