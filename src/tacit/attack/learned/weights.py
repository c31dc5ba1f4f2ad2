"""Learned weights: the weighted distance that links most records, and its attack."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Annotated

import numpy as np
from annotated_types import Ge
from numpy.typing import ArrayLike

from tacit.attack.informed.base import Informed
from tacit.attack.informed.evidence import Evidence, Rule
from tacit.attack.learned.weights_columns import alone, columns_of
from tacit.attack.learned.weights_matrix import Metric, learn_matrix
from tacit.attack.learned.weights_proof import Proof, prove_weights
from tacit.attack.learned.weights_search import Pairs, search_weights
from tacit.base.errors import InputError, ParameterError
from tacit.base.seeds import FIXED
from tacit.base.typing import Ints
from tacit.data.microdata import Microdata


class Weighted(Informed):
    """Link by a weighted distance.

    Parameters
    ----------
    weights : dict of str to float, optional
        Weight of each column, equal unless given; learn them with ``learn_weights``.
    rule : {"assignment", "nearest", "likeliest"}
        Who is named: the best bijection, each original's cheapest record, or its likeliest.
    columns : list of str, optional
        The columns that the intruder compares; the quasi-identifiers unless given.

    Notes
    -----
    **Definition.** sum_k w_k d_k(a, b), d_k the squared standardised difference. Each file
    is standardised by its own mean and sd; nominal columns differ by 0 or 1; ordinal ones
    by the share of categories between.

    **Guarantee.** Exact links under the weights given.

    **Cost.** As ``Nearest`` or ``Assignment``.

    References
    ----------
    Abril, Navarro-Arribas and Torra (2012), definition 1.

    Examples
    --------
    >>> import numpy as np
    >>> x = np.random.default_rng(1).normal(size=(50, 2))
    >>> z = np.column_stack([x[:, 0], np.zeros(50)])
    >>> Weighted(weights={"x0": 1.0, "x1": 0.0}).link(x, z).correct
    50.0
    """

    title = "Learned weights"

    method = "weighted"

    def __init__(
        self,
        weights: dict[str, Annotated[float, Ge(0)]] | None = None,
        rule: Rule = "nearest",
        columns: list[str] | None = None,
    ) -> None:
        self.weights = weights
        self.rule = rule
        self.columns = columns

    @property
    def knows(self) -> str:
        """Who the intruder is and what they know, in one phrase."""
        if self.weights is None:
            how = "weighted equally"
        else:
            how = "weighted by weights learned on known links"
        return self._says(f"compared column by column, {how}")

    def evidence(
        self,
        original: Microdata,
        masked: Microdata,
        columns: list[str],
    ) -> Evidence:
        """Vectors whose squared distance is twice the weighted one."""
        if self.weights is None:
            w = np.ones(len(columns))
        else:
            w = np.array([self.weights.get(name, 0.0) for name in columns])
        if not (w > 0).any():
            raise ParameterError("no compared column has a positive weight")
        x, z, nominal = columns_of(original, masked, columns)
        left, right = [], []
        for k in range(len(columns)):
            ours = x[:, k, None]
            theirs = z[:, k, None]
            # the cost of vectors is half of their squared distance
            root = np.sqrt(2.0 * w[k])
            if nominal[k]:
                values = np.unique(np.concatenate([x[:, k], z[:, k]]))
                # two categories differ in two indicators
                left.append((ours == values) * root / np.sqrt(2.0))
                right.append((theirs == values) * root / np.sqrt(2.0))
            else:
                left.append(ours * root)
                right.append(theirs * root)
        return Evidence(np.hstack(left), np.hstack(right))


@dataclass(frozen=True)
class Learned:
    """What learning found.

    Attributes
    ----------
    weights
        They sum to 1.
    records, correct, equal
        The records learned from, and their links with these weights and with equal ones.
    single
        Links by each attribute alone.
    tested, tested_equal, test_records
        The same of records that learning did not see.
    proof, metric
        The proof and the full matrix, if asked for.
    lines
        Line searches that were made.
    """

    columns: list[str]
    weights: dict[str, float]
    records: int
    correct: float
    equal: float
    single: dict[str, float]
    tested: float | None = None
    tested_equal: float | None = None
    test_records: int = 0
    proof: Proof | None = None
    metric: Metric | None = None
    lines: int = field(default=0)

    @property
    def rate(self) -> float:
        """Share of the records learned from that the weights link."""
        return self.correct / self.records

    def attacker(self, rule: Rule = "nearest") -> Weighted:
        """The attacker with these weights."""
        return Weighted(
            weights=self.weights,
            rule=rule,
            columns=self.columns,
        )

    def rows(self) -> list[dict[str, object]]:
        """One row per attribute, heaviest first: its weight, and the share linked by it alone.

        As tables 5 and 6 of Abril, Navarro-Arribas and Torra (2012).
        """
        order = sorted(self.columns, key=lambda name: -self.weights[name])
        return [
            {
                "attribute": name,
                "weight": self.weights[name],
                "alone": self.single[name] / self.records,
            }
            for name in order
        ]


def learn_weights(
    original: object,
    masked: object,
    *,
    truth: ArrayLike | None = None,
    columns: list[str] | None = None,
    train: ArrayLike | None = None,
    test: ArrayLike | None = None,
    prove: float | None = None,
    matrix: bool = False,
    seed: int = FIXED,
) -> Learned:
    """Learn the weights that link most of some records, knowing their true links.

    Each set of rows is standardised by itself: an intruder sees no more.

    Parameters
    ----------
    original, masked : frame, array, dict of columns or Microdata
        Both files.
    truth : array of int, optional
        The masked row of each original; aligned rows unless given.
    columns : list of str, optional
        The columns that are compared; the quasi-identifiers unless given.
    train : array of int, optional
        Rows to learn from; all unless given.
    test : array of int, optional
        Rows held out; they are linked among themselves, as in Abril, Navarro-Arribas and
        Torra (2012), section 4.6.
    prove : float, optional
        Seconds for the integer program that bounds the optimum.
    matrix : bool
        Also learn a full matrix.
    seed : int
        Of where the search looks.
    """
    ours = Microdata.of(original)
    theirs = Microdata.of(masked)
    if truth is None and ours.n != theirs.n:
        raise InputError(
            f"the original has {ours.n} records and the masked file {theirs.n}; say who is "
            "who (truth=...)"
        )
    if truth is None:
        own = np.arange(ours.n)
    else:
        own = np.asarray(truth)
    if columns is None:
        names = Weighted()._columns(ours, theirs)
    else:
        names = list(columns)
    if train is None:
        rows = np.arange(ours.n)
    else:
        rows = np.asarray(train)
    pairs = _pairs(ours, theirs, own, rows, names)
    search = search_weights(pairs, seed=seed)
    weights = search.weights
    correct = search.correct
    proof = None
    # the program may also find better weights
    if prove is not None:
        proof = prove_weights(
            pairs,
            time_limit=prove,
            seed=seed,
            start=weights,
        )
        weights = proof.weights
        correct = proof.correct
    # what the weights are compared with
    equal = np.full(len(names), 1.0 / len(names))
    tested = tested_equal = None
    test_records = 0
    if test is not None:
        held_out = _pairs(
            ours,
            theirs,
            own,
            np.asarray(test),
            names,
        )
        tested = held_out.correct(weights)
        tested_equal = held_out.correct(equal)
        test_records = held_out.n
    return Learned(
        columns=names,
        weights={name: float(w) for name, w in zip(names, weights, strict=True)},
        records=pairs.n,
        correct=correct,
        equal=pairs.correct(equal),
        single={name: alone(pairs, k) for k, name in enumerate(names)},
        tested=tested,
        tested_equal=tested_equal,
        test_records=test_records,
        proof=proof,
        metric=learn_matrix(pairs, weights) if matrix else None,
        lines=search.lines,
    )


def _pairs(
    original: Microdata,
    masked: Microdata,
    own: Ints,
    rows: Ints,
    names: list[str],
) -> Pairs:
    """What is learned from: these rows, as far as they were released."""
    rows = rows[own[rows] >= 0]
    x, z, nominal = columns_of(original.take(rows), masked.take(own[rows]), names)
    return Pairs.of(x, z, nominal)
