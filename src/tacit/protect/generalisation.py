"""Generalisation: the best node of a lattice of hierarchies that keeps privacy models."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import replace
from typing import Annotated, Any, Literal

import numpy as np
from annotated_types import Ge, Gt, Le
from pydantic.functional_validators import SkipValidation

from tacit.base.errors import ColumnError, ParameterError
from tacit.base.facts import Strength
from tacit.data.hierarchies.automatic import Automatic
from tacit.data.hierarchies.known_rules import fitted, rule_of
from tacit.data.hierarchies.rule import Rule
from tacit.data.io.on_disk import OnDisk
from tacit.data.microdata import Microdata
from tacit.protect.base import Passes, Protector
from tacit.protect.file_parts import has_units
from tacit.protect.lattice.distinct_records import DistinctRecords
from tacit.protect.lattice.exploring import Explored, explored
from tacit.protect.lattice.full_search import Search
from tacit.protect.lattice.level_codes import Levels, shape_of
from tacit.protect.lattice.naming import (
    Hierarchies,
    measured_apart,
    population_of,
    refuse_strangers,
    target_named,
)
from tacit.protect.lattice.placing import Placed, placed
from tacit.protect.lattice.posing import Aim, problem_of, weights_of
from tacit.protect.lattice.problem import Found, Problem, nothing_found
from tacit.protect.lattice.setting_up import Material, material, refuse_unsatisfiable
from tacit.protect.lattice.wide_search import WideSearch
from tacit.protect.lattice.wishes import Wishes
from tacit.protect.lattice.writing import NewValues

Share = Annotated[float, Ge(0), Le(1)]
MOST_NODES = 2**24
"""Nodes of a lattice that is held in memory; larger ones are searched without."""
EXPLORING = 10
"""Nodes that a search may count before somebody looks at one: a page waits for it."""


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

    **Cost.** Thirty thousand records with nine keys and 12,960 nodes: under a second. Of a file
    larger than memory its distinct combinations of keys are held. Models that
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
    goal = "coarsen categories"
    plain = {
        "k": "people in each group",
        "hierarchies": "classes of the keys",
        "suppression_limit": "share of people who may be blanked",
    }
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
        self,
        data: Microdata,
        columns: list[str],
        rng: np.random.Generator,
    ) -> None:
        self._settled(self._looked_at(data, columns), columns)

    def _fit_apply(
        self,
        data: Microdata,
        columns: list[str],
        rng: np.random.Generator,
    ) -> Microdata:
        # counting a large file is most of the work; it is not done twice
        looked_at = self._looked_at(data, columns)
        return self._written(data, looked_at, *self._settled(looked_at, columns))

    def _settled(
        self, looked_at: DistinctRecords, columns: list[str]
    ) -> tuple[Material, Placed]:
        """Search, keep what was found, and say who is at which level."""
        problem, given = self._prepared(looked_at, columns)
        self._keep(self._searched(problem), columns)
        self._of = given.people, f"{given.word}s"
        self._tops = {column.name: column.height for column in given.columns}
        done = self._placed(given)
        # measured now, so that a plan's figures are known before anything is released
        if done.lost is not None:
            self.local_loss_ = done.lost
        return given, done

    def passes_of(self, data: Microdata) -> Passes:
        """Combinations are counted, unless rows of one person or household must be told apart.

        Sums of weights are those of columns that are held.
        """
        weights = self.population_uniqueness is not None or (
            self.k_map is not None and self.population is None
        )
        return "together" if weights or has_units(data) else "keys"

    def _looked_at(self, data: Microdata, columns: list[str]) -> DistinctRecords:
        """The file, or of one on the disk the different combinations of what is looked at."""
        if not isinstance(data, OnDisk) or self.passes_of(data) != "keys":
            return DistinctRecords(data)
        names = [*columns, *self._wishes().confidential(data)]
        if self.utility == "classification":
            names.append(target_named(data, columns, self.target))
        rules = (self.hierarchies or {}).values()
        if any(rule.get("automatic") == "cooccurrence" for rule in rules):
            names += data.quasi
        return DistinctRecords.of(data, list(dict.fromkeys(names)))

    def outcome(self) -> dict[str, object] | None:
        """The levels, who was blanked, what is lost, and whether less could be lost."""
        if not hasattr(self, "_tops"):
            return None
        number, word = self._of
        said = {
            "levels": self.levels_,
            "highest": self._tops,
            "blanked": self.suppressed_,
            "of": number,
            "word": word,
            "utility": self.utility,
            "loss": self.loss_,
            "at_least": self.bound_,
            "proven": self.proven_,
            "counted": self.checked_,
            "nodes": self.nodes_,
        }
        if hasattr(self, "local_loss_"):
            said["local_loss"] = self.local_loss_
        return said

    @classmethod
    def told(cls, outcome: Mapping[str, Any]) -> str:
        """As ``Protector.told``."""
        if "levels" not in outcome:
            return ""
        levels = ", ".join(
            f"{name} {level} of {outcome['highest'][name]}"
            for name, level in outcome["levels"].items()
        )
        proof = (
            "no other levels lose less"
            if outcome["proven"]
            else f"not proven least: others could lose {outcome['at_least']:.4g} "
            f"({outcome['counted']:,} of {outcome['nodes']:,} were counted)"
        )
        text = (
            f"levels {levels}; {outcome['blanked']:,} of {outcome['of']:,} {outcome['word']} "
            f"blanked; {outcome['utility']} {outcome['loss']:.4g}, {proof}"
        )
        if "local_loss" in outcome:
            text += f"; {outcome['local_loss']:.4g} after local recoding"
        return text

    def ranked(
        self,
        X: object,
    ) -> Iterator[tuple[dict[str, int], float]]:
        """The levels that keep every model, and what they lose: the best first.

        Each is as good as proven to be the next best; ``levels=`` of one of them gives its release.
        """
        data, columns = self._start(X, reset=True)
        problem, _ = self._prepared(self._looked_at(data, columns), columns)
        past: set[Levels] = set()
        while True:
            # each search begins anew: what an earlier best closed may be the next best now
            left = replace(problem, passed_over=frozenset(past))
            found = self._searched(left)
            if found.levels is None:
                return
            past.add(found.levels)
            levels = dict(zip(columns, found.levels, strict=True))
            yield levels, float(found.loss)

    def explored(
        self,
        X: object,
        most: Annotated[int, Ge(1)] = 200,
    ) -> Explored:
        """Nodes of the lattice around the best one: what each loses, and why it fails.

        Parameters
        ----------
        X : frame
            The file.
        most : int
            Nodes that are looked at, at most; the search itself counts ten times as many unless
            ``most_checks`` says otherwise.
        """
        data, columns = self._start(X, reset=True)
        problem, given = self._prepared(self._looked_at(data, columns), columns)
        checks = EXPLORING * most if self.most_checks is None else self.most_checks
        found = self._searched(problem, checks)
        return explored(problem, found, given.people, given.word, most)

    def _prepared(
        self,
        looked_at: DistinctRecords,
        columns: list[str],
    ) -> tuple[Problem, Material]:
        """Rules, counts and constraints of a file, and what is to be searched."""
        given = self.hierarchies or {}
        named: dict[str, Mapping[str, object]] = {
            "hierarchies": given,
            "importance": self.importance or {},
            "levels": self.levels or {},
        }
        apart = measured_apart(self.l_diversity, self.t_closeness)
        refuse_strangers(columns, named, apart)
        self.rules_: dict[str, Rule] = {}
        for name in columns:
            rule = rule_of(given[name], name) if name in given else Automatic()
            self.rules_[name] = fitted(rule, looked_at.data, name, looked_at.times)
        found = self._material(looked_at)
        limit = self._limit(found)
        # before the search, which would look at every node to find that none will do
        refuse_unsatisfiable(found, limit)
        problem = problem_of(found, limit, self.levels or {}, self._aim())
        return problem, found

    def _searched(
        self,
        problem: Problem,
        most_checks: int | None = None,
    ) -> Found:
        # in floats, since 10^19 nodes overflow whole numbers
        nodes = np.prod([float(size) for size in shape_of(problem.columns)])
        search = Search if nodes <= MOST_NODES else WideSearch
        return search(problem).run(most_checks=most_checks or self.most_checks)

    def _keep(
        self,
        found: Found,
        columns: list[str],
    ) -> None:
        """What the search found, or one sentence."""
        if found.levels is None:
            raise ParameterError(nothing_found(found, self.suppression_limit))
        self.levels_ = dict(zip(columns, found.levels, strict=True))
        self.loss_ = float(found.loss)
        self.bound_ = float(found.bound)
        self.proven_ = found.proven
        self.suppressed_ = found.suppressed
        self.checked_ = found.checked
        self.nodes_ = found.nodes

    def _material(
        self,
        looked_at: DistinctRecords,
    ) -> Material:
        data = looked_at.data
        target = None
        if self.utility == "classification":
            target = target_named(data, self.rules_, self.target)
        try:
            return material(
                data,
                self.rules_,
                self._wishes(),
                self.hierarchies or {},
                population_of(self.population),
                target,
                looked_at.times,
                looked_at.word,
            )
        except ColumnError:
            looked_at.name_row(self.rules_)
            raise

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

    def _limit(
        self,
        given: Material,
    ) -> int:
        # a share such as 0.07 of 100 is 7, whatever its last digit in binary
        return int(np.floor(self.suppression_limit * given.people + 1e-9))

    def _aim(self) -> Aim:
        return Aim(
            self.utility,
            self.k,
            self.importance or {},
            self.tables or [],
        )

    # -- applying ----------------------------------------------------------------------

    def _apply(
        self,
        data: Microdata,
        columns: list[str],
        rng: np.random.Generator,
    ) -> Microdata:
        # a new file is counted and settled anew: its own people must be hidden in it
        looked_at = self._looked_at(data, columns)
        given = self._material(looked_at)
        return self._written(data, looked_at, given, self._placed(given))

    def _written(
        self,
        data: Microdata,
        looked_at: DistinctRecords,
        given: Material,
        done: Placed,
    ) -> Microdata:
        """The file with every column at its levels."""
        own = given.bottom.rows > 0
        made = [
            NewValues.of(column, given.bottom.codes[j], own, done.at[:, j], done.shown)
            for j, column in enumerate(given.columns)
        ]
        return looked_at.written(data, made, given.cell_of_row)

    def _placed(
        self,
        given: Material,
    ) -> Placed:
        node = tuple(self.levels_[column.name] for column in given.columns)
        weights = weights_of(given.columns, self.importance or {})
        return placed(given, node, self._limit(given), self.recoding, weights)
