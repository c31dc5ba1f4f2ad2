"""The settings of an ARX project as a plan, and what of them a plan cannot hold.

Privacy models come as ARX names them: '5-anonymity', "distinct-2-diversity for attribute 'x'",
"0.2-closeness with ordered distance for attribute 'x'", '(0.05)-avg-reidentification-risk'.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from tacit.base.errors import InputError
from tacit.data.arx_project import Attribute, Project, read_project
from tacit.data.hierarchies.files import write_table
from tacit.data.hierarchies.table import Row, Table, digest
from tacit.data.microdata import Kind, Role
from tacit.plan.plan import Plan, Step

ROLES = {
    "QUASI_IDENTIFYING_ATTRIBUTE": Role.quasi,
    "IDENTIFYING_ATTRIBUTE": Role.identifier,
    "SENSITIVE_ATTRIBUTE": Role.confidential,
    "INSENSITIVE_ATTRIBUTE": Role.other,
}
KINDS = {
    "String": Kind.nominal,
    "Ordinal": Kind.ordinal,
    "Integer": Kind.continuous,
    "Decimal": Kind.continuous,
    "Date/Time": Kind.date,
}
UTILITIES = {
    "non-uniform entropy": "entropy",
    "entropy": "entropy",
    "loss": "loss",
    "granularity": "loss",
    "precision": "precision",
    "discernab": "discernibility",
    "discernib": "discernibility",
    "equivalence class size": "class_size",
    "aecs": "class_size",
    "kl": "kl",
    "classification": "classification",
}
"""Part of what ARX calls a quality model, in small letters, and ours; the first that fits."""
OTHERWISE = "loss"
NUMBER = r"([-+.\deE]+)"
FOR = r" for attribute '(.*)'"


@dataclass
class TakenOver:
    """A plan made of a project."""

    plan: Plan
    hierarchies: dict[str, tuple[Row, ...]]
    left: list[str] = field(default_factory=list)
    """What was not taken over, one sentence each."""
    data: bytes | None = field(default=None, repr=False)

    def save(
        self,
        folder: Path,
        *,
        force: bool = False,
    ) -> Path:
        """Write the hierarchies and the plan; where the plan is."""
        inside = folder / "hierarchies"
        inside.mkdir(parents=True, exist_ok=True)
        files: dict[str, dict[str, object]] = {}
        for name, rows in self.hierarchies.items():
            path = inside / f"{_file_name(name)}.csv"
            write_table(rows, path, force=force)
            table = Table(file=str(path.resolve()), sha256=digest(rows))
            files[name] = table.entry()
        step = self.plan.steps[0]
        with_files = Step(step.method, {**step.parameters, "hierarchies": files})
        plan = Plan((with_files,), self.plan.name, self.plan.columns)
        where = folder / "plan.toml"
        plan.save(where, force=force)
        return where


def from_arx(path: str | Path) -> TakenOver:
    """The plan of a ``.deid`` project."""
    return taken_over(read_project(Path(path)), str(path))


def taken_over(
    project: Project,
    source: str = "the project",
) -> TakenOver:
    """The plan of a project, and what it cannot hold."""
    left: list[str] = []
    models: dict[str, Any] = {}
    for text in project.criteria:
        if not any(_taken(pattern, text, models, left) for pattern in PATTERNS):
            left.append(f"the privacy model {text!r} is not known here")
    _merged(models, left)
    hierarchies, levels = _hierarchies(project, left)
    for attribute in project.attributes:
        if attribute.microaggregation:
            left.append(
                f"'{attribute.name}' is microaggregated ({attribute.microaggregation}); put a "
                "step of microaggregation before the generalisation"
            )
    columns = {
        attribute.name: {"role": _role(attribute), "kind": _kind(attribute)}
        for attribute in project.attributes
    }
    step = _step(project, models, hierarchies, levels, left, source)
    plan = Plan.from_dict(
        {"name": "from ARX", "columns": columns, "steps": [step]}, source=source
    )
    return TakenOver(plan, hierarchies, left, project.data)


def _step(
    project: Project,
    models: dict[str, Any],
    hierarchies: dict[str, tuple[Row, ...]],
    levels: dict[str, int],
    left: list[str],
    source: str,
) -> dict[str, Any]:
    tables = {
        name: {"table": [list(row) for row in rows]}
        for name, rows in hierarchies.items()
    }
    weights = {
        name: weight
        for name, weight in project.weights.items()
        if weight > 0 and name in _names(project, Role.quasi)
    }
    shared: dict[str, Any] = {"hierarchies": tables}
    if levels:
        shared["levels"] = levels
    # equal weights are what is meant without any
    if len(set(weights.values())) > 1:
        shared["importance"] = weights
    if "epsilon" in models:
        others = [name for name in models if name not in ("epsilon", "delta")]
        if others:
            left.append(
                f"{', '.join(others)} beside differential privacy: a release that keeps them is "
                "no longer private"
            )
        private = {name: models[name] for name in ("epsilon", "delta")}
        return {"method": "dp_generalisation", **private, **shared}
    if not models:
        raise InputError(
            f"{source}: the project has no privacy model that tacit knows; there is nothing "
            "that a generalisation would have to keep"
        )
    # without k-anonymity in the project there is none in the plan
    step = {"method": "generalisation", "k": 1, **models, **shared}
    if project.suppression_limit:
        step["suppression_limit"] = project.suppression_limit
    step["utility"] = _utility(project, left)
    if step["utility"] == "classification":
        step["target"] = next(one.name for one in project.attributes if one.response)
    return step


# -- privacy models --------------------------------------------------------------------


def _taken(
    pattern: tuple[str, Callable[..., str]],
    text: str,
    models: dict[str, Any],
    left: list[str],
) -> bool:
    found = re.fullmatch(pattern[0], text)
    if found is None:
        return False
    said = pattern[1](models, *found.groups())
    if said:
        left.append(f"the privacy model {text!r}: {said}")
    return True


def _k(models: dict[str, Any], k: str) -> str:
    models["k"] = max(int(k), models.get("k", 1))
    return ""


def _diversity(form: str) -> Callable[..., str]:
    def take(models: dict[str, Any], *said: str) -> str:
        *numbers, column = said
        number = [float(x) for x in numbers]
        models.setdefault("several", []).append((form, number, column))
        return ""

    return take


def _entropy(models: dict[str, Any], estimator: str, l: str, column: str) -> str:  # noqa: E741
    _diversity("entropy")(models, l, column)
    if estimator and estimator != "shannon-":
        return "taken over with Shannon's entropy, which is the stricter one"
    return ""


def _closeness(models: dict[str, Any], t: str, distance: str, column: str) -> str:
    models.setdefault("close", []).append((float(t), distance, column))
    return ""


def _average(models: dict[str, Any], bound: str, more: str | None) -> str:
    models["average_risk"] = float(bound)
    if more:
        return f"of it only the average ({bound}) is taken over; the highest risk is k"
    return ""


def _uniques(models: dict[str, Any], bound: str) -> str:
    models["sample_uniqueness"] = float(bound)
    return ""


def _private(models: dict[str, Any], epsilon: str, delta: str) -> str:
    models["epsilon"] = float(epsilon)
    models["delta"] = float(delta)
    return ""


def _needs_population(models: dict[str, Any], *_: str) -> str:
    return (
        "it needs the population, of which the project marks a subset; give it as "
        "population"
    )


def _by_superpopulation(models: dict[str, Any], *_: str) -> str:
    return "ARX estimates the population by a model; give weights and population_uniqueness"


PATTERNS: tuple[tuple[str, Callable[..., str]], ...] = (
    (r"(\d+)-anonymity", _k),
    (rf"distinct-{NUMBER}-diversity{FOR}", _diversity("distinct")),
    (rf"(\w+-)?entropy-{NUMBER}-diversity{FOR}", _entropy),
    (rf"recursive-\({NUMBER}, ?{NUMBER}\)-diversity{FOR}", _diversity("recursive")),
    (
        rf"{NUMBER}-closeness with (equal|ordered|hierarchical)[- ](?:ground-)?distance{FOR}",
        _closeness,
    ),
    (rf"\(<?{NUMBER}(, .*)?\)-avg-reidentification-risk", _average),
    (rf"\(<?{NUMBER}\)-sample-uniqueness", _uniques),
    (rf"\({NUMBER}, ?{NUMBER}\)-(?:differential[- ]privacy|DP)", _private),
    (r"\d+-map.*", _needs_population),
    (r"\(.*\)-presence", _needs_population),
    (r"\(.*\)-population-uniqueness.*", _by_superpopulation),
)


def _merged(
    models: dict[str, Any],
    left: list[str],
) -> None:
    """Models of several columns as one: a plan has one of each sort, for all its columns."""
    several = models.pop("several", [])
    if several:
        forms: dict[str, Any] = {}
        for form, numbers, _ in several:
            said = numbers if form == "recursive" else numbers[0]
            if form in forms and forms[form] != said:
                left.append(
                    f"{form} l-diversity with different l: the largest is taken for all"
                )
                # a smaller c and a larger l are the stricter ones
                if form == "recursive":
                    said = [min(said[0], forms[form][0]), max(said[1], forms[form][1])]
                else:
                    said = max(said, forms[form])
            forms[form] = said
        if len(forms) > 1:
            left.append(
                "each form of l-diversity is asked of all columns that have one"
            )
        names = sorted({column for _, _, column in several})
        models["l_diversity"] = {**forms, "columns": names}
    close = models.pop("close", [])
    if close:
        distances = {distance for _, distance, _ in close}
        if len(distances) > 1:
            left.append(
                f"t-closeness with several distances: '{close[0][1]}' is taken for all"
            )
        models["t_closeness"] = {
            "t": min(t for t, _, _ in close),
            "distance": close[0][1],
            "columns": sorted({column for _, _, column in close}),
        }


# -- columns ---------------------------------------------------------------------------


def _hierarchies(
    project: Project,
    left: list[str],
) -> tuple[dict[str, tuple[Row, ...]], dict[str, int]]:
    """Tables by column, and levels that are given."""
    tables: dict[str, tuple[Row, ...]] = {}
    levels: dict[str, int] = {}
    for one in project.attributes:
        role = ROLES.get(one.type)
        if not one.hierarchy and role is Role.quasi:
            # ARX leaves such a key as it is
            levels[one.name] = 0
        if not one.hierarchy or role not in (Role.quasi, Role.confidential):
            continue
        rows = one.hierarchy
        height = len(rows[0]) - 1
        highest = height if one.highest is None else min(one.highest, height)
        lowest = one.lowest or 0
        if role is Role.quasi and lowest == highest:
            levels[one.name] = lowest
        elif role is Role.quasi and highest < height:
            # levels above the highest that may be used are no levels of the lattice
            rows = tuple(row[: highest + 1] for row in rows)
        if role is Role.quasi and 0 < lowest < highest:
            left.append(
                f"'{one.name}' must be at level {lowest} or above: a plan takes one level or "
                "all; give levels if the search goes below"
            )
        tables[one.name] = rows
    return tables, levels


def _role(attribute: Attribute) -> str:
    # what ARX does not know must not leave
    return str(ROLES.get(attribute.type, Role.identifier).value)


def _kind(attribute: Attribute) -> str:
    # a table lists values as text, and a hierarchy of dates or numbers reads them otherwise
    if attribute.hierarchy and KINDS.get(attribute.datatype) is Kind.date:
        return str(Kind.nominal.value)
    return str(KINDS.get(attribute.datatype, Kind.nominal).value)


def _names(
    project: Project,
    role: Role,
) -> list[str]:
    return [one.name for one in project.attributes if ROLES.get(one.type) is role]


def _utility(
    project: Project,
    left: list[str],
) -> str:
    said = project.metric.lower()
    told = any(one.response for one in project.attributes)
    for part, name in UTILITIES.items():
        # a classifier needs something to tell
        if part in said and (told or name != "classification"):
            return name
    if said:
        left.append(
            f"the quality model {project.metric!r}: '{OTHERWISE}' stands for it"
        )
    return OTHERWISE


def _file_name(name: str) -> str:
    """A column's name as a file's: without what would lead to another folder."""
    return re.sub(r"[^\w.-]", "_", name).lstrip(".") or "column"
