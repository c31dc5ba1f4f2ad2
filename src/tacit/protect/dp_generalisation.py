"""Generalisation of a secret sample: (epsilon, delta)-differential privacy, as in SafePub."""

from __future__ import annotations

import math
import warnings
from collections.abc import Mapping
from fractions import Fraction
from typing import Annotated

import numpy as np
from annotated_types import Ge, Gt, Le, Lt

from tacit.base.errors import ColumnError, ParameterError, TacitWarning
from tacit.base.facts import Strength
from tacit.base.parameters import Seed, TestSeed
from tacit.base.typing import Ints
from tacit.data.hierarchies.automatic import Automatic
from tacit.data.hierarchies.known_rules import rule_of
from tacit.data.hierarchies.rule import Rule
from tacit.data.io.on_disk import OnDisk
from tacit.data.microdata import Column, Microdata, Role
from tacit.protect import by_address
from tacit.protect.lattice.class_cells import counted, rolled
from tacit.protect.lattice.distinct_records import DistinctRecords
from tacit.protect.lattice.level_codes import KeyColumn
from tacit.protect.lattice.naming import Hierarchies, refuse_strangers
from tacit.protect.lattice.posing import weights_of
from tacit.protect.private.accountant import ADD_REMOVE, Accountant
from tacit.protect.private.bounds import secret_or
from tacit.protect.private.classes_in_order import classes_in_order, rows_in_order
from tacit.protect.private.noisy_levels import NoisyLevels
from tacit.protect.private.protector import PrivateProtector
from tacit.protect.private.sampled_classes import Sample, counted_sample
from tacit.protect.private.sampled_counts import largest_share, smallest_k

WORD = 2.0**64
"""A record is sampled if a random word of 64 bits is below a limit."""


class DPGeneralisation(PrivateProtector):
    """Release the classes of a secret sample that are large enough: differential privacy.

    Parameters
    ----------
    epsilon : float
        Privacy budget of the whole release; smaller protects more.
    delta : float
        The chance that epsilon may be exceeded; well below one in the number of records.
    hierarchies : dict
        For each column a rule or a file, as for ``generalisation``; from what is known and not
        from the file, so that automatic ones are refused. Every column needs one.
    search : float
        Share of epsilon that is spent on choosing the levels; none where all are given.
    steps : int
        Nodes that are taken on the walk through a large lattice; each has its share of the search.
    fraction : float, optional
        The probability of being sampled; 1 - exp(-epsilon), the largest that is private, unless
        given.
    k : int
        Fewest records of a class that is released, where delta does not ask for more.
    importance : dict of float, optional
        Weight of a column in the choice of levels; 1 unless given.
    levels : dict of int, optional
        Levels that are given and not chosen, by column.
    columns : list of str, optional
        All columns of the file (but identifiers); there is no claim for a part of a record.
    random_state : int, optional
        Seed for tests, refused without test_seed: who knows it knows who was sampled.
    test_seed : bool
        Allow a seed, for tests only.

    Attributes
    ----------
    levels_ : dict
        The level of each column.
    k_ : int
        Fewest records of a class in the release, from epsilon, delta and the fraction.
    fraction_ : float
        The probability of being sampled.
    accountant_ : Accountant
        What was spent on the choice of levels and on the release.
    guarantee_ : str
        What is guaranteed with these parameters, in words.

    Notes
    -----
    **Definition.** The levels are chosen by noisy scores of the whole file, at the cost of
    ``search * epsilon`` (``tacit.protect.private.noisy_levels``). Then every record enters the
    sample with probability beta, is generalised, and records of classes with fewer than k records
    of the sample are left out. k is the smallest with
    ``max over m of P(Bin(m, beta) > gamma m) <= delta``, ``m >= k / gamma - 1``,
    ``gamma = 1 - (1 - beta) exp(-e)``, e the rest of epsilon, ``beta <= 1 - exp(-e)``
    (``tacit.protect.private.sampled_counts``). All values are written as labels, rows in the order
    of their labels: neither types, nor index, nor order tell of the file.

    **Guarantee.** (epsilon, delta)-differential privacy of the whole release, neighbours: add or
    remove one record. The sample is drawn by the operating system after the levels were chosen, so
    that both costs add up; SafePub chooses the levels on the sample itself, for which this sum is
    not proven here. A value that no hierarchy covers is outside the domain and refused;
    that it was refused is not private.

    **Cost.** One count of the file for each node that is scored: up to 300, or ``steps`` times the
    number of columns.

    **Known attacks.** None within the guarantee. Somebody who knows a record finds its class
    where the class was released, and not whether the record is in it.

    References
    ----------
    Li, Qardaji and Su (2012); Bild, Kuhn and Prasser (2018); Dwork and Roth (2014).

    Examples
    --------
    >>> import tacit as tc
    >>> data = tc.Microdata.of({"icd": ["J45", "K20"] * 400}, quasi=["icd"], code=["icd"])
    >>> private = DPGeneralisation(epsilon=2.0, hierarchies={"icd": {"prefix": [1]}})
    >>> masked = private.fit_transform(data)
    >>> private.k_, set(masked.table["icd"].to_pylist()) <= {"J45", "K20", "J*", "K*", "*"}
    (102, True)
    """

    title = "Generalisation, differentially private"
    family = "differential privacy"
    purpose = "publish classes of a secret sample, with a bound on what any one record changes"
    goal = "guarantee by differential privacy"
    plain = {
        "epsilon": "privacy budget",
        "delta": "chance that the guarantee fails",
        "hierarchies": "classes of the keys",
    }
    strength = Strength("epsilon", 100.0, 0.01)
    attacker = "informed.dp_generalisation:AwareDPGeneralisation"
    keeps_gaps = False
    changes_length = "releases a sample, without small classes"
    example = {
        # a file of sixty records needs a delta that no release should have
        "epsilon": 2.0,
        "delta": 0.1,
        "hierarchies": {
            "income": {"ladder": [10_000, 100_000]},
            "tax": {"ladder": [10_000, 100_000]},
            "age": {"ladder": [10, 50]},
            "debt": {"ladder": [1_000, 10_000]},
            "region": {"prefix": [1]},
            "school": {"prefix": [1]},
            "born": {"dates": ["year", "decade"]},
        },
        "levels": {"tax": 3, "income": 3, "debt": 3, "born": 3},
    }

    whole_file = (
        "its privacy guarantee and budget are for the whole file, "
        "and the blocks are made from the data"
    )

    passes = "keys"

    # nothing is declared but by its hierarchy
    bounds = None
    integers = None

    def __init__(
        self,
        epsilon: Annotated[float, Gt(0), Le(100)] = 1.0,
        delta: Annotated[float, Gt(0), Lt(1)] = 1e-6,
        hierarchies: Hierarchies | None = None,
        search: Annotated[float, Gt(0), Lt(1)] = 0.2,
        steps: Annotated[int, Ge(1)] = 30,
        fraction: Annotated[float, Gt(0), Lt(1)] | None = None,
        k: Annotated[int, Ge(1)] = 1,
        importance: dict[str, Annotated[float, Gt(0)]] | None = None,
        levels: dict[str, Annotated[int, Ge(0)]] | None = None,
        columns: list[str] | None = None,
        random_state: Seed = None,
        test_seed: TestSeed = False,
    ) -> None:
        self.epsilon = epsilon
        self.delta = delta
        self.hierarchies = hierarchies
        self.search = search
        self.steps = steps
        self.fraction = fraction
        self.k = k
        self.importance = importance
        self.levels = levels
        self.columns = columns
        self.random_state = random_state
        self.test_seed = test_seed

    # -- what is covered ---------------------------------------------------------------

    def touches(self, data: Microdata) -> list[str]:
        """The columns asked for, or else all of the file."""
        if self.columns is not None:
            return list(self.columns)
        return [name for name in data.names if self._stays(data.schema[name])]

    def claim(self, data: Microdata) -> dict[str, object]:
        """What a release of this file would claim, in plain types, for manifest and report."""
        return {
            **super().claim(data),
            "delta": self.delta,
            "neighbours": ADD_REMOVE,
        }

    def _stays(self, column: Column) -> bool:
        # who the rows of a person belong to is no value that could have a class
        return column.role not in (Role.identifier, Role.person, Role.household)

    def _as_declared(self, data: Microdata) -> Microdata:
        """Columns with a hierarchy stay, whatever the number of their values says."""
        schema = data.schema
        for name in self.hierarchies or {}:
            if name in schema and schema[name].role is Role.identifier:
                kind = schema[name].kind
                schema = schema.put(Column(name, kind, Role.quasi, None, "declared"))
        return data.with_schema(schema)

    def _targets(self, data: Microdata) -> list[str]:
        names = self.touches(data)
        given = self.hierarchies or {}
        for name in names:
            # raises if there is no such column
            data.schema[name]
            if name not in given:
                raise ParameterError(
                    f"DPGeneralisation needs the hierarchy of '{name}', from what is known and "
                    f"not from the file: hierarchies={{'{name}': ...}}"
                )
        return names

    def _rules(self, columns: list[str]) -> dict[str, Rule]:
        given = self.hierarchies or {}
        named: dict[str, Mapping[str, object]] = {
            "importance": self.importance or {},
            "levels": self.levels or {},
        }
        refuse_strangers(columns, named, None)
        rules: dict[str, Rule] = {}
        for name in columns:
            rules[name] = rule_of(given[name], name)
            if isinstance(rules[name], Automatic):
                raise ParameterError(
                    f"DPGeneralisation: the automatic hierarchy of '{name}' would be made from "
                    "the file, which no epsilon covers; write one down"
                )
            level = (self.levels or {}).get(name, 0)
            if level > rules[name].height:
                raise ParameterError(
                    f"levels asks for level {level} of '{name}', whose hierarchy has "
                    f"{rules[name].height}"
                )
        return rules

    # -- one release -------------------------------------------------------------------

    def _release(
        self,
        data: Microdata,
        columns: list[str],
        rng: np.random.Generator,
        *,
        keep: bool,
    ) -> Microdata:
        _refuse_others(data, columns)
        rules = self._rules(columns)
        looked_at = DistinctRecords(data)
        if isinstance(data, OnDisk) and data.n > by_address.BLOCK:
            looked_at = DistinctRecords.of(data, columns)
        try:
            keys = [
                KeyColumn.of(rule, looked_at.data, name) for name, rule in rules.items()
            ]
        except ColumnError:
            looked_at.name_row(rules)
            raise
        times = looked_at.times
        if times is None:
            times = np.ones(data.n, dtype=np.int64)
        bottom, cell_of_row = counted(keys, None, times, None, None)
        source = secret_or(rng, self.random_state)
        accountant = Accountant(self.epsilon, neighbours=ADD_REMOVE)
        fixed = [(self.levels or {}).get(name) for name in columns]
        for_search = 0.0 if None not in fixed else self.search * self.epsilon
        rest = _rest(self.epsilon, for_search)
        limit, beta = self._share(rest)
        # what delta asks for, and what the user asks for besides
        k = max(smallest_k(rest, self.delta, beta), self.k)
        node = tuple(level or 0 for level in fixed)
        if for_search:
            enough = math.ceil(k / beta)
            weights = weights_of(keys, self.importance or {})
            chooser = NoisyLevels(keys, bottom, weights.tolist(), enough, fixed, source)
            node = chooser.choose(for_search, self.steps, accountant)
        accountant.spend("classes of the sample", rest)
        # drawn after the levels and apart from them, so that the two costs add up
        cells, place = rolled(bottom, keys, node)
        class_of = place[cell_of_row]
        on_disk, counts = looked_at.file, looked_at.counts
        if on_disk is None or counts is None:
            sampled = Sample.drawn(data.n, limit, source).astype(np.int64)
        else:
            draws = None if source is None else by_address.Draws.of(source)
            how = Sample(limit, draws), on_disk.disk.folder
            sampled = counted_sample(counts, *how)
            counts.remove()
        shown = _large_enough(class_of, cells.number, sampled, k)
        if keep:
            self._keep(accountant, columns)
            self.levels_ = dict(zip(columns, node, strict=True))
            self.k_ = k
            self.fraction_ = beta
        if data.n and not shown.any():
            warnings.warn(
                f"no class of the sample has {k} records, so that the release is empty; raise "
                "epsilon or delta, or give higher levels",
                TacitWarning,
                stacklevel=2,
            )
        if on_disk is None:
            return rows_in_order(data, keys, node, np.flatnonzero(shown))
        return classes_in_order(on_disk, keys, node, shown)

    def _share(
        self,
        epsilon: float,
    ) -> tuple[int, float]:
        """The limit of random words, and the probability of being below it."""
        most = largest_share(epsilon)
        wanted = most if self.fraction is None else self.fraction
        if wanted > most:
            raise ParameterError(
                f"fraction={wanted:g} is more than may be sampled with the epsilon that is left "
                f"for the release ({epsilon:g}): at most 1 - exp(-epsilon) = {most:g}"
            )
        limit = min(int(wanted * WORD), 2**64 - 1)
        return limit, limit / WORD

    def _keep(
        self,
        accountant: Accountant,
        columns: list[str],
    ) -> None:
        super()._keep(accountant, columns)
        seeded = self.random_state is not None
        condition = "; against those who do not know the seed" if seeded else ""
        self.guarantee_ = (
            f"({self.epsilon:g}, {self.delta:g})-differential privacy of the whole release, "
            f"neighbours: {ADD_REMOVE}{condition}"
        )


def _refuse_others(
    data: Microdata,
    columns: list[str],
) -> None:
    """One sentence where a column would leave as it is."""
    rest = [name for name in data.names if name not in columns]
    if rest:
        raise ColumnError(
            f"DPGeneralisation covers whole records, and '{rest[0]}' would leave beside its "
            "class; give it a hierarchy, or leave the column out (--identifier)"
        )


def _rest(
    epsilon: float,
    spent: float,
) -> float:
    """What is left of epsilon, such that both added exactly do not exceed it."""
    rest = epsilon - spent
    while Fraction(rest) + Fraction(spent) > Fraction(epsilon):
        rest = math.nextafter(rest, 0.0)
    return rest


def _large_enough(
    class_of: Ints,
    classes: int,
    sampled: Ints,
    k: int,
) -> Ints:
    """How many sampled records stand at each place, where their class has at least k of them."""
    # sums of whole numbers below 2^53 are exact in floats
    sizes = np.bincount(class_of, sampled, minlength=classes)
    return np.where(sizes[class_of] >= k, sampled, 0)
