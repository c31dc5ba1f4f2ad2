"""What a user asks of a generalisation, as constraints: the words of the parameters."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from tacit.base.errors import ColumnError, ParameterError
from tacit.base.typing import Ints
from tacit.data.hierarchies.known_rules import rule_of
from tacit.data.hierarchies.tree import coded
from tacit.data.microdata import Kind, Microdata, Role
from tacit.protect.lattice.constraints.base import Constraint
from tacit.protect.lattice.constraints.closeness import Closeness
from tacit.protect.lattice.constraints.counts import DeltaPresence, KAnonymity, KMap
from tacit.protect.lattice.constraints.diversity import (
    DistinctDiversity,
    EntropyDiversity,
    RecursiveDiversity,
)
from tacit.protect.lattice.constraints.rates import (
    AverageRisk,
    PopulationUniqueness,
    SampleUniqueness,
)

FORMS = ("distinct", "entropy", "recursive")
DISTANCES = ("equal", "ordered", "hierarchical")
Model = float | dict[str, Any] | None
"""A privacy model of confidential columns: its number, or a table with more words."""


@dataclass(frozen=True)
class Wishes:
    """The privacy models that a user gave."""

    k: int = 1
    k_map: float | None = None
    l_diversity: Model = None
    t_closeness: Model = None
    delta_presence: Sequence[float] | None = None
    average_risk: float | None = None
    sample_uniqueness: float | None = None
    population_uniqueness: float | None = None

    def constraints(
        self,
        data: Microdata,
        keys: Sequence[str],
        hierarchies: Mapping[str, object],
        *,
        population: bool,
    ) -> list[Constraint]:
        """The constraints, those that are counted fastest first."""
        found: list[Constraint] = []
        if self.k > 1:
            found.append(KAnonymity(self.k))
        if self.k_map is not None:
            found.append(KMap(self.k_map, by_weights=not population))
        if self.delta_presence is not None:
            found.append(_presence(self.delta_presence, population=population))
        # counting confidential values takes a sort of the cells at each node
        found += self._diversity(data, keys)
        found += self._closeness(data, keys, hierarchies)
        if self.average_risk is not None:
            found.append(AverageRisk(self.average_risk))
        if self.sample_uniqueness is not None:
            found.append(SampleUniqueness(self.sample_uniqueness))
        if self.population_uniqueness is not None:
            found.append(PopulationUniqueness(self.population_uniqueness))
        # without a model the file as it is would be the best node, and pass for protected
        if not found:
            raise ParameterError(
                "Generalisation needs a privacy model to keep; give k above 1, or another one"
            )
        return found

    @property
    def needs_weights(self) -> bool:
        """Weights stand for the population."""
        return self.k_map is not None or self.population_uniqueness is not None

    def confidential(self, data: Microdata) -> list[str]:
        """The columns whose values a model looks at."""
        names: list[str] = []
        for model in (self.l_diversity, self.t_closeness):
            if isinstance(model, Mapping) and "columns" in model:
                names += model["columns"]
            elif model is not None:
                names += data.schema.names(role=Role.confidential)
        return names

    def _diversity(
        self,
        data: Microdata,
        keys: Sequence[str],
    ) -> list[Constraint]:
        if self.l_diversity is None:
            return []
        model = _table(self.l_diversity, "distinct")
        forms = [form for form in FORMS if form in model]
        unknown = [word for word in model if word not in (*FORMS, "columns")]
        if unknown or not forms:
            raise ParameterError(
                f"l_diversity={self.l_diversity!r} is no l-diversity; write 2, "
                "{distinct = 2}, {entropy = 2} or {recursive = [c, l]}, and columns = [...] "
                "for some of the confidential columns"
            )
        found: list[Constraint] = []
        for column in _confidential(model, data, keys, "l_diversity"):
            found += [_form(form, model[form], column) for form in forms]
        return found

    def _closeness(
        self,
        data: Microdata,
        keys: Sequence[str],
        hierarchies: Mapping[str, object],
    ) -> list[Constraint]:
        if self.t_closeness is None:
            return []
        model = _table(self.t_closeness, "t")
        unknown = [word for word in model if word not in ("t", "distance", "columns")]
        t = model.get("t")
        if unknown or not isinstance(t, int | float) or not 0 <= t <= 1:
            raise ParameterError(
                f"t_closeness={self.t_closeness!r} is no t-closeness; write 0.2, or "
                '{t = 0.2, distance = "ordered"}, with t between 0 and 1'
            )
        found: list[Constraint] = []
        for column in _confidential(model, data, keys, "t_closeness"):
            # where values have an order, near ones give almost the same away (Li et al. 2007)
            nominal = data.schema[column].scale is Kind.nominal
            distance = model.get("distance", "equal" if nominal else "ordered")
            if distance not in DISTANCES:
                raise ParameterError(
                    f"t_closeness: the distance {distance!r} is none of "
                    f"{', '.join(DISTANCES)}"
                )
            up: tuple[Ints, ...] = ()
            if distance == "hierarchical":
                if column not in hierarchies:
                    raise ParameterError(
                        f"hierarchical t-closeness of '{column}' needs its hierarchy; give "
                        "it in hierarchies"
                    )
                rule = rule_of(hierarchies[column], column)
                up = coded(rule, data, column).tree.up
            found.append(Closeness(column, float(t), distance, up))
        return found


def _table(
    model: Any,
    word: str,
) -> dict[str, Any]:
    if isinstance(model, Mapping):
        return dict(model)
    return {word: model}


def _confidential(
    model: Mapping[str, Any],
    data: Microdata,
    keys: Sequence[str],
    what: str,
) -> list[str]:
    """The columns that a model is about: those named, or all that are confidential."""
    named = model.get("columns")
    columns = (
        data.schema.names(role=Role.confidential) if named is None else list(named)
    )
    if not columns:
        raise ColumnError(
            f"{what} is about confidential columns, and there is none; name some "
            "(--confidential)"
        )
    for column in columns:
        # raises if there is no such column
        data.schema[column]
        # the class would show what the model hides in it
        if column in keys:
            raise ColumnError(
                f"{what} names '{column}', which is generalised itself; it is a key or "
                "confidential, not both"
            )
    return columns


def _form(
    form: str,
    said: Any,
    column: str,
) -> Constraint:
    try:
        if form == "recursive":
            c, least = said
            if float(c) <= 0 or int(least) < 1:
                raise ValueError
            return RecursiveDiversity(column, float(c), int(least))
        if float(said) < 1:
            raise ValueError
        if form == "entropy":
            return EntropyDiversity(column, float(said))
        return DistinctDiversity(column, float(said))
    # a plan may hold anything here: text, one number where two are needed
    except (TypeError, ValueError):
        wanted = "[c, l], c above 0" if form == "recursive" else "a number, 1 or more"
        raise ParameterError(
            f"l_diversity: {form} = {said!r} must be {wanted}"
        ) from None


def _presence(
    bounds: Sequence[float],
    *,
    population: bool,
) -> Constraint:
    if not population:
        raise ParameterError(
            "delta-presence needs the population that the file was drawn from; give it as "
            "population"
        )
    if len(bounds) != 2 or not 0 <= bounds[0] <= bounds[1] <= 1:
        raise ParameterError(
            f"delta_presence={list(bounds)} must be two shares in rising order, as [0, 0.5]"
        )
    return DeltaPresence(float(bounds[0]), float(bounds[1]))
