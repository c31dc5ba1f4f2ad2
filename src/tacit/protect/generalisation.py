"""Generalisation: the best node of a lattice of hierarchies that keeps privacy models."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import replace
from pathlib import Path
from typing import Annotated, Any, Literal

import numpy as np
import pyarrow as pa
from annotated_types import Ge, Gt, Le
from pydantic.functional_validators import BeforeValidator, SkipValidation

from tacit.base.errors import ColumnError, ParameterError, TacitError
from tacit.base.facts import Strength
from tacit.base.typing import Bools, Floats, Ints
from tacit.data import io
from tacit.data.hierarchies.automatic import Automatic
from tacit.data.hierarchies.known_rules import as_entry, fitted, rule_of
from tacit.data.hierarchies.rule import Rule
from tacit.data.microdata import Kind, Microdata
from tacit.protect.base import Protector
from tacit.protect.lattice.cells import rolled
from tacit.protect.lattice.columns import KeyColumn, Levels, shape_of
from tacit.protect.lattice.local import refined
from tacit.protect.lattice.looking import Found, Problem
from tacit.protect.lattice.search import Search
from tacit.protect.lattice.setting_up import Material, material, refuse_unsatisfiable
from tacit.protect.lattice.settle import settle
from tacit.protect.lattice.utilities import utility_named
from tacit.protect.lattice.utilities.base import Setting, Utility
from tacit.protect.lattice.wide_search import WideSearch
from tacit.protect.lattice.wishes import Wishes

Share = Annotated[float, Ge(0), Le(1)]
Hierarchies = Annotated[
    dict[str, dict[str, Any]],
    BeforeValidator(
        lambda given: (
            {name: as_entry(entry, name) for name, entry in given.items()}
            if isinstance(given, Mapping)
            else given
        )
    ),
]
"""Rules by column; a plan holds them as plain tables."""
MOST_NODES = 2**24
"""Nodes of a lattice that is held in memory; larger ones are searched without."""


class Generalisation(Protector):
    """Replace values by classes of their hierarchies, as little as the privacy models allow.

    Parameters
    ----------
    k : int
        Fewest persons (records, without a person column) that share a combination of keys;
        1: no k-anonymity.
    hierarchies : dict, optional
        For each key a rule or a file: {prefix = [3, 1]}, {ladder = [5, 10, 20], above = 90},
        {dates = ["month", "year"]}, {mask = [2, 4]}, {cuts = [[18, 65]]}, {groups = [...]},
        {file = "icd.csv"}, {automatic = "frequency"}. Keys without one get an automatic one.
    suppression_limit : float
        Largest share of persons (records) whose keys may be blanked instead.
    k_map : float, optional
        Fewest persons of the population that share a combination; by weights, or by
        ``population``.
    l_diversity : float or dict, optional
        2 or {distinct = 2}, {entropy = 2}, {recursive = [c, l]}; ``columns`` names some of the
        confidential columns, all of them unless given.
    t_closeness : float or dict, optional
        0.2, or {t = 0.2, distance = "equal"}, "ordered" or "hierarchical".
    delta_presence : list of float, optional
        Bounds of the share of the population that is in the file, in each class.
    average_risk : float, optional
        Bound of the mean over persons of 1 / size of their class.
    sample_uniqueness : float, optional
        Bound of the share of persons who are alone with a key.
    population_uniqueness : float, optional
        Bound of the expected share who are alone in the population, by weights.
    population : path or frame, optional
        The population that the file was drawn from, with the same keys.
    utility : str
        What is made small: loss, precision, entropy, discernibility, class_size, kl,
        classification, tables.
    importance : dict of float, optional
        Weight of a column in loss, precision and entropy; 1 unless given.
    target : str, optional
        The column that classes should still tell (utility classification).
    tables : list of list of str, optional
        Crosses of keys that should stay fine (utility tables).
    recoding : {'full', 'local', 'strict'}
        'full': every record at the same levels; 'local': records go back to finer levels where
        the models allow it; 'strict': the same, with classes that do not overlap.
    levels : dict of int, optional
        Levels that are given and not searched, by column.
    most_checks : int, optional
        Nodes that are counted at most; the best of them is taken, with a bound.
    columns : list of str, optional
        Columns to mask; the quasi-identifiers unless given.

    Attributes
    ----------
    levels_ : dict
        The level of each column.
    loss_, bound_ : float
        What the utility model loses at the node, and what any node would at least.
    proven_ : bool
        No other node is better.
    suppressed_ : int
        Persons (records) whose keys are blank.
    checked_, nodes_ : int
        Nodes whose records were counted, and nodes of the lattice.
    local_loss_ : float
        What local recoding loses, as ``utility="loss"`` measures it.

    Notes
    -----
    **Definition.** A node of the lattice gives each column a level of its hierarchy. Classes of
    equal keys that break a model are blanked, all rows of a person or household together; the
    blank records must keep the models as one class, too, and the smallest classes join them
    until they do. The node with the least loss that keeps every model, with no more blanked than
    ``suppression_limit``, is released. A gap is a value of its own, and '*' holds it.

    **Guarantee.** Every model holds on the release, the blank records included; a new file that
    breaks one at the fitted levels is refused. The node is proven best (``proven_``) for every
    model and utility, unless ``most_checks`` ends the search. With local recoding the
    models hold and the loss is no larger; it is not proven smallest (NP-hard).

    **Cost.** Thirty thousand records with nine keys and 12,960 nodes: under a second. Models that
    do not stay kept further up (entropy and recursive l-diversity, t-closeness, delta-presence
    and bounds of the whole release, with suppression; persons with several rows) close fewer
    nodes.

    **Known attacks.** Whoever knows the hierarchies and levels compares classes. Automatic
    hierarchies tell where the file's values lie.

    References
    ----------
    Samarati (2001); LeFevre, DeWitt and Ramakrishnan (2005, 2006); Kohlmayer, Prasser, Eckert,
    Kemper and Kuhn (2012).

    Examples
    --------
    >>> import tacit as tc
    >>> data = tc.Microdata.of(
    ...     {"icd": ["J45", "J46", "K20", "K21"]}, quasi=["icd"], code=["icd"]
    ... )
    >>> wide = Generalisation(k=2, hierarchies={"icd": {"prefix": [1]}})
    >>> wide.fit_transform(data).table["icd"].to_pylist()
    ['J*', 'J*', 'K*', 'K*']
    """

    title = "Generalisation"
    family = "coding"
    purpose = "publish wider classes of keys, as few as a privacy model needs"
    strength = Strength("k", 2, float("inf"), whole=True)
    attacker = "informed.generalisation:AwareGeneralisation"
    # its classes are text, which scikit-learn's checks of numeric arrays do not expect
    example = {"k": 3, "suppression_limit": 0.1}
    keeps_gaps = False
    keeps_levels = True
    changes_types = "classes have labels, which numbers and dates cannot hold"
    whole_file = (
        "it counts how often classes occur in the file, and in a block they occur less"
    )

    def __init__(
        self,
        k: Annotated[int, Ge(1)] = 5,
        hierarchies: Hierarchies | None = None,
        suppression_limit: Share = 0.0,
        k_map: Annotated[float, Ge(1)] | None = None,
        l_diversity: Annotated[float, Ge(1)] | dict[str, Any] | None = None,
        t_closeness: Share | dict[str, Any] | None = None,
        delta_presence: list[Share] | None = None,
        average_risk: Share | None = None,
        sample_uniqueness: Share | None = None,
        population_uniqueness: Share | None = None,
        population: Annotated[Any, SkipValidation] = None,
        utility: Literal[
            "loss",
            "precision",
            "entropy",
            "discernibility",
            "class_size",
            "kl",
            "classification",
            "tables",
        ] = "loss",
        importance: dict[str, Annotated[float, Gt(0)]] | None = None,
        target: str | None = None,
        tables: list[list[str]] | None = None,
        recoding: Literal["full", "local", "strict"] = "full",
        levels: dict[str, Annotated[int, Ge(0)]] | None = None,
        most_checks: Annotated[int, Ge(1)] | None = None,
        columns: list[str] | None = None,
    ) -> None:
        self.k = k
        self.hierarchies = hierarchies
        self.suppression_limit = suppression_limit
        self.k_map = k_map
        self.l_diversity = l_diversity
        self.t_closeness = t_closeness
        self.delta_presence = delta_presence
        self.average_risk = average_risk
        self.sample_uniqueness = sample_uniqueness
        self.population_uniqueness = population_uniqueness
        self.population = population
        self.utility = utility
        self.importance = importance
        self.target = target
        self.tables = tables
        self.recoding = recoding
        self.levels = levels
        self.most_checks = most_checks
        self.columns = columns

    # -- fitting -----------------------------------------------------------------------

    def _fit(
        self, data: Microdata, columns: list[str], rng: np.random.Generator
    ) -> None:
        problem, given = self._prepared(data, columns)
        self._keep(self._searched(problem), columns)
        if self.recoding != "full":
            _, _, self.local_loss_ = self._placed(given)

    def ranked(
        self,
        X: object,
    ) -> Iterator[tuple[dict[str, int], float]]:
        """The levels that keep every model, and what they lose: the best first.

        Each is as good as proven to be the next best; ``levels=`` of one of them gives its release.
        """
        data, columns = self._start(X, reset=True)
        problem, _ = self._prepared(data, columns)
        past: set[Levels] = set()
        while True:
            found = self._searched(replace(problem, passed_over=frozenset(past)))
            if found.levels is None:
                return
            past.add(found.levels)
            yield dict(zip(columns, found.levels, strict=True)), float(found.loss)

    def _prepared(
        self, data: Microdata, columns: list[str]
    ) -> tuple[Problem, Material]:
        """Rules, counts and constraints of a file, and what is to be searched."""
        self._refuse_strangers(columns)
        given = self.hierarchies or {}
        self.rules_: dict[str, Rule] = {}
        for name in columns:
            rule = rule_of(given[name], name) if name in given else Automatic()
            self.rules_[name] = fitted(rule, data, name)
        found = self._material(data)
        limit = self._limit(found)
        refuse_unsatisfiable(found, limit)
        return self._problem(found, limit), found

    def _searched(
        self,
        problem: Problem,
    ) -> Found:
        nodes = np.prod([float(size) for size in shape_of(problem.columns)])
        search = Search if nodes <= MOST_NODES else WideSearch
        return search(problem).run(most_checks=self.most_checks)

    def _keep(
        self,
        found: Found,
        columns: list[str],
    ) -> None:
        """What the search found, or one sentence."""
        if found.levels is None:
            looked = "no node of the lattice" if found.proven else "no node looked at"
            raise ParameterError(
                f"{looked} keeps every model within suppression_limit="
                f"{self.suppression_limit:g} ({found.reason} fails); raise the limit, weaken the "
                "model, or add higher levels to the hierarchies"
            )
        self.levels_ = dict(zip(columns, found.levels, strict=True))
        self.loss_ = float(found.loss)
        self.bound_ = float(found.bound)
        self.proven_ = found.proven
        self.suppressed_ = found.suppressed
        self.checked_ = found.checked
        self.nodes_ = found.nodes

    def _refuse_strangers(
        self,
        columns: list[str],
    ) -> None:
        """Names that belong to no column of the lattice."""
        about = (self.l_diversity, self.t_closeness)
        confidential = [
            name
            for model in about
            if isinstance(model, Mapping)
            for name in model.get("columns", ())
        ]
        hierarchical = (
            isinstance(self.t_closeness, Mapping)
            and self.t_closeness.get("distance") == "hierarchical"
        )
        for what in ("hierarchies", "importance", "levels"):
            for name in getattr(self, what) or {}:
                # the hierarchy of a confidential column says how far its values are apart
                apart = what == "hierarchies" and (hierarchical or name in confidential)
                if name not in columns and not apart:
                    raise ColumnError(
                        f"{what} names '{name}', which is not a column to protect"
                    )

    def _material(
        self,
        data: Microdata,
    ) -> Material:
        return material(
            data,
            self.rules_,
            self._wishes(),
            self.hierarchies or {},
            self._population(data),
            self._target(data),
        )

    def _wishes(self) -> Wishes:
        return Wishes(
            self.k,
            self.k_map,
            self.l_diversity,
            self.t_closeness,
            self.delta_presence,
            self.average_risk,
            self.sample_uniqueness,
            self.population_uniqueness,
        )

    def _population(
        self,
        data: Microdata,
    ) -> Microdata | None:
        given = self.population
        if given is None:
            return None
        if isinstance(given, str | Path):
            return io.read(Path(given))
        return Microdata.of(given)

    def _target(
        self,
        data: Microdata,
    ) -> str | None:
        if self.utility != "classification":
            return None
        if self.target is None:
            raise ParameterError(
                "the utility classification needs the column that classes should tell; give "
                "it as target"
            )
        if self.target in self.rules_:
            raise ColumnError(
                f"the target '{self.target}' is generalised itself; leave it out of the keys"
            )
        # raises if there is no such column
        data.schema[self.target]
        return self.target

    def _limit(
        self,
        given: Material,
    ) -> int:
        # a share such as 0.07 of 100 is 7, whatever its last digit in binary
        return int(np.floor(self.suppression_limit * given.people + 1e-9))

    def _problem(
        self,
        given: Material,
        limit: int,
    ) -> Problem:
        names = [column.name for column in given.columns]
        wanted = self.levels or {}
        fixed = [wanted.get(name) for name in names]
        for column, level in zip(given.columns, fixed, strict=True):
            if level is not None and level > column.height:
                raise ParameterError(
                    f"levels asks for level {level} of '{column.name}', whose hierarchy has "
                    f"{column.height}"
                )
        utility = self._utility(given, names)
        return Problem(
            given.columns,
            given.bottom,
            given.extras,
            given.constraints,
            utility,
            limit,
            fixed,
        )

    def _utility(
        self,
        given: Material,
        names: list[str],
    ) -> Utility:
        tables = []
        for table in self.tables or []:
            strange = [name for name in table if name not in names]
            if strange or not table:
                shown = strange[0] if strange else "nothing"
                raise ColumnError(
                    f"tables names '{shown}', which is not a column to protect"
                )
            places = sorted({names.index(name) for name in table})
            tables.append(tuple(places))
        if self.utility == "tables" and not tables:
            raise ParameterError(
                "the utility tables needs the crosses that should stay; give tables = "
                '[["age", "sex"]]'
            )
        records = int(given.bottom.rows.sum())
        setting = Setting(
            given.columns,
            self._weights(given),
            records,
            max(self.k, 1),
            given.target,
            tuple(tables),
        )
        return utility_named(self.utility)(setting)

    # -- applying ----------------------------------------------------------------------

    def _apply(
        self, data: Microdata, columns: list[str], rng: np.random.Generator
    ) -> Microdata:
        given = self._material(data)
        at, shown, _ = self._placed(given)
        at_row, shown_row = at[given.cell_of_row], shown[given.cell_of_row]
        for j, column in enumerate(given.columns):
            data = _written(data, column, at_row[:, j], shown_row)
        return data

    def _placed(
        self,
        given: Material,
    ) -> tuple[Ints, Bools, float | None]:
        """Levels of each bottom cell, whether it is shown, and the loss of local recoding."""
        node: Levels = tuple(self.levels_[column.name] for column in given.columns)
        cells, place = rolled(given.bottom, given.columns, node)
        limit = self._limit(given)
        settled = settle(cells, given.extras, given.constraints, limit)
        if not settled.met:
            raise TacitError(
                f"at the fitted levels this file does not keep {settled.reason}: "
                f"{settled.suppressed} of {given.people} {given.word}s would have to be "
                f"suppressed, and {limit} may; fit again, or raise suppression_limit"
            )
        at = np.tile(np.array(node, dtype=np.int64), (given.bottom.size, 1))
        shown = settled.alive[place]
        if self.recoding == "full":
            return at, shown, None
        at, lost = self._finer(given, cells.label[place], shown, node)
        return at, shown, lost

    def _finer(
        self, given: Material, label: Ints, shown: Bools, node: Levels
    ) -> tuple[Ints, float]:
        """Levels by local recoding, from the classes of the node or from those of the top."""
        if given.extras.person is not None:
            raise ColumnError(
                "local recoding takes one record for each person: rows of one person at two "
                'levels would give the finer one away; take recoding="full"'
            )
        # the population's records go with the classes of the file's
        held = np.zeros(int(label.max(initial=0)) + 1, dtype=bool)
        held[label[shown]] = True
        member = shown | ((given.bottom.rows == 0) & held[label])
        top = tuple(column.height for column in given.columns)
        share = given.bottom.rows / max(int(given.bottom.rows.sum()), 1)
        found = []
        for start in (node, top):
            strict = self.recoding == "strict"
            finer = refined(given, member, start, self._weights(given), strict=strict)
            if finer is not None:
                levels, lost = finer
                found.append((float((share * lost).sum()), levels))
        total, levels = min(found, key=lambda pair: pair[0])
        return levels, total

    def _weights(
        self,
        given: Material,
    ) -> Floats:
        importance = self.importance or {}
        weights = [importance.get(column.name, 1.0) for column in given.columns]
        return np.array(weights) / sum(weights)


def _written(
    data: Microdata,
    column: KeyColumn,
    at: Ints,
    shown: Bools,
) -> Microdata:
    """The file with one column at these levels, blank where it is not shown."""
    name = column.name
    used = np.unique(at[shown]) if shown.any() else np.zeros(1, dtype=np.int64)
    if used.tolist() == [0]:
        if shown.all():
            return data
        if data.schema[name].kind is Kind.date:
            return data.with_days(name, np.where(shown, data.days(name), np.nan))
        values = np.where(shown, data.column(name), np.nan)
        return data.with_numbers([name], values[:, None])
    labels: list[str] = []
    places = np.full(data.n, -1, dtype=np.int64)
    for level in used:
        here = np.flatnonzero((at == level) & shown)
        codes = column.between(0, int(level))[column.codes[: data.n][here]]
        own = column.tree.labels[int(level)]
        held = codes < len(own)
        places[here[held]] = codes[held] + len(labels)
        labels += own
    gaps = places < 0
    texts = pa.array(labels, type=pa.string())
    written = texts.take(pa.array(np.where(gaps, 0, places), mask=gaps))
    changed = data.with_column(name, written, kind=Kind.nominal)
    if not column.tree.ordered or len(used) > 1:
        return changed
    # classes of numbers and dates have an order, which text does not say
    ordered = replace(changed.schema[name], kind=Kind.ordinal, categories=tuple(labels))
    return changed.with_schema(changed.schema.put(ordered))
