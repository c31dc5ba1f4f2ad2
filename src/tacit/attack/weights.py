"""Learned weights: the weighted distance that links most records, what it says about each attribute, and its attack."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Annotated, Any

import numpy as np
from annotated_types import Ge

from tacit.attack.aware.base import Informed
from tacit.attack.distances import common_codes
from tacit.attack.evidence import Evidence, Rule
from tacit.attack.weights_exact import Proof, prove_weights
from tacit.attack.weights_matrix import Metric, learn_matrix
from tacit.attack.weights_search import Pairs, search_weights
from tacit.errors import InputError, ParameterError
from tacit.microdata import FloatArray, Kind, Microdata


class Weighted(Informed):
    """Link by a weighted distance.

    Definition: sum_k w_k d_k(a, b), d_k the squared standardised difference. Source: 001, definition 1.
    Guarantee: exact links under the weights given. Cost: as `Nearest` or `Assignment`.
    Each file is standardised by its own mean and sd; nominal columns differ by 0 or 1; ordinal ones by the share of
    categories between. Parameters: `weights`: column -> weight (equal when None); learn them with `learn_weights`.

    >>> import numpy as np
    >>> x = np.random.default_rng(1).normal(size=(50, 2))
    >>> z = np.column_stack([x[:, 0], np.zeros(50)])
    >>> Weighted(weights={"x0": 1.0, "x1": 0.0}).link(x, z).correct
    50.0
    """

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
        told = "weighted equally" if self.weights is None else "weighted by weights learned on known links"
        return self._says(f"compared column by column, {told}")

    def evidence(self, original: Microdata, masked: Microdata, columns: list[str]) -> Evidence:
        w = np.array([1.0 if self.weights is None else self.weights.get(name, 0.0) for name in columns])
        if not (w > 0).any():
            raise ParameterError("no compared column has a positive weight")
        x, z, nominal = columns_of(original, masked, columns)
        left, right = [], []
        for k in range(len(columns)):
            root = np.sqrt(2.0 * w[k])
            if nominal[k]:
                values = np.unique(np.concatenate([x[:, k], z[:, k]]))
                left.append((x[:, k, None] == values) * root / np.sqrt(2.0))
                right.append((z[:, k, None] == values) * root / np.sqrt(2.0))
            else:
                left.append(x[:, k, None] * root)
                right.append(z[:, k, None] * root)
        return Evidence(np.hstack(left), np.hstack(right))


def columns_of(original: Microdata, masked: Microdata, columns: list[str]) -> tuple[FloatArray, FloatArray, np.ndarray]:
    """Both files on the scale on which weights are compared, and which columns are nominal."""
    xs, zs, nominal = [], [], []
    for name in columns:
        kind = original.schema[name].kind
        if kind is Kind.continuous:
            a, b = original.column(name), masked.column(name)
            xs.append(_standard(a))
            zs.append(_standard(b))
        else:
            a, b, size = common_codes(original, masked, name)
            scale = 1.0 if kind is Kind.nominal else 1.0 / max(size - 1, 1)
            xs.append(np.where(np.isnan(a), -1.0, a) * scale)
            zs.append(np.where(np.isnan(b), -1.0, b) * scale)
        nominal.append(kind is Kind.nominal)
    return np.stack(xs, 1), np.stack(zs, 1), np.array(nominal, bool)


def _standard(values: FloatArray) -> FloatArray:
    gone = np.isnan(values)
    seen = values[~gone]
    sd = float(seen.std()) if seen.size else 1.0
    mean = float(seen.mean()) if seen.size else 0.0
    return np.where(gone, 0.0, (values - mean) / (sd or 1.0))


@dataclass(frozen=True)
class Learned:
    """What learning found: weights that sum to 1, links with them and with equal weights, and the proof if asked for.

    `correct`, `equal` count links of the records learned from; `tested`, `tested_equal` are of records held out.
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
        return self.correct / self.records

    def attacker(self, rule: Rule = "nearest") -> Weighted:
        """The attacker with these weights."""
        return Weighted(weights=self.weights, rule=rule, columns=self.columns)

    def rows(self) -> list[dict[str, Any]]:
        """One row an attribute, heaviest first: its weight, and the share linked by it alone (001, Tables 5, 6)."""
        order = sorted(self.columns, key=lambda name: -self.weights[name])
        return [{"attribute": n, "weight": self.weights[n], "alone": self.single[n] / self.records} for n in order]


def learn_weights(
    original: Any,
    masked: Any,
    *,
    truth: Any = None,
    columns: list[str] | None = None,
    train: Any = None,
    test: Any = None,
    prove: float | None = None,
    matrix: bool = False,
    seed: int = 0,
) -> Learned:
    """Learn the weights that link most of the records `train` (default: all), knowing their true links.

    `truth[i]`: masked row of original i (aligned when None). `test`: rows held out; they are linked among
    themselves, as in 001, section 4.6. `prove`: seconds for the integer program that bounds the optimum. `matrix`: also
    learn a full matrix. Each set of rows is standardised by itself: an intruder sees no more.
    """
    a, b = Microdata.of(original), Microdata.of(masked)
    if truth is None and a.n != b.n:
        raise InputError(f"the original has {a.n} records and the masked file {b.n}; say who is who (truth=...)")
    own = np.arange(a.n) if truth is None else np.asarray(truth)
    names = list(columns) if columns is not None else Weighted()._columns(a, b)
    rows = np.arange(a.n) if train is None else np.asarray(train)
    pairs = _pairs(a, b, own, rows, names)
    equal = np.full(len(names), 1.0 / len(names))
    found = search_weights(pairs, seed=seed)
    weights, correct = found.weights, found.correct
    proof = None
    if prove is not None:
        proof = prove_weights(pairs, time_limit=prove, seed=seed, start=weights)
        weights, correct = proof.weights, proof.correct
    tested = tested_equal = None
    held = 0
    if test is not None:
        other = _pairs(a, b, own, np.asarray(test), names)
        tested, tested_equal, held = other.correct(weights), other.correct(equal), other.n
    return Learned(
        names,
        {name: float(w) for name, w in zip(names, weights, strict=True)},
        pairs.n,
        correct,
        pairs.correct(equal),
        {name: _alone(pairs, k) for k, name in enumerate(names)},
        tested,
        tested_equal,
        held,
        proof,
        learn_matrix(pairs, weights) if matrix else None,
        found.lines,
    )


def _pairs(a: Microdata, b: Microdata, own: np.ndarray, rows: np.ndarray, names: list[str]) -> Pairs:
    rows = rows[own[rows] >= 0]
    x, z, nominal = columns_of(a.take(rows), b.take(own[rows]), names)
    return Pairs.of(x, z, nominal)


def _alone(pairs: Pairs, k: int) -> float:
    """Expected links by one attribute, ties shared among the records that have the same value."""
    x, z = pairs.x[:, k], pairs.z[pairs.own, k]
    values, inverse, counts = np.unique(z, return_inverse=True, return_counts=True)
    if pairs.nominal[k]:
        hit = x == z
        return float((hit / counts[inverse]).sum())
    right = np.clip(np.searchsorted(values, x), 0, len(values) - 1)
    left = np.maximum(right - 1, 0)
    down, up = np.abs(x - values[left]), np.abs(values[right] - x)
    near = np.minimum(down, up)
    tied = (down == near) * counts[left] + ((up == near) & (right != left)) * counts[right]
    hit = np.abs(x - z) <= near * (1 + 1e-12)
    return float((hit / np.maximum(tied, 1)).sum())
