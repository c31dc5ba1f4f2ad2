"""A plain twin of the search: dicts and lists, every node of the lattice, no bounds.

It shares no code with `tacit.protect.lattice`: classes are groups of equal label tuples.
"""

from __future__ import annotations

import math
from collections import Counter, defaultdict
from collections.abc import Callable, Iterator
from itertools import product
from typing import Any

Row = dict[str, Any]
Groups = list[list[int]]
"""Row numbers of each class."""


class Plain:
    """A small file with hierarchies as dicts: value -> classes at levels 0, 1, ..."""

    def __init__(
        self,
        rows: list[Row],
        keys: list[str],
        trees: dict[str, dict[Any, tuple[str, ...]]],
        *,
        person: str | None = None,
        home: str | None = None,
        population: list[Row] | None = None,
    ) -> None:
        self.rows = rows
        self.keys = keys
        self.trees = trees
        self.person = person
        self.home = home or person
        self.population = population or []

    def nodes(self) -> Iterator[tuple[int, ...]]:
        return product(
            *[range(len(next(iter(self.trees[key].values())))) for key in self.keys]
        )

    def label(self, row: Row, node: tuple[int, ...]) -> tuple[str, ...]:
        return tuple(
            self.trees[key][row[key]][level]
            for key, level in zip(self.keys, node, strict=True)
        )

    def classes(self, node: tuple[int, ...], among: set[int]) -> dict[Any, list[int]]:
        found: dict[Any, list[int]] = defaultdict(list)
        for i in sorted(among):
            found[self.label(self.rows[i], node)].append(i)
        return found

    def who(self, i: int) -> Any:
        return i if self.person is None else self.rows[i][self.person]

    def people(self, members: list[int] | set[int]) -> int:
        return len({self.who(i) for i in members})

    def with_family(self, members: set[int], among: set[int]) -> set[int]:
        if self.home is None:
            return members
        homes = {self.rows[i][self.home] for i in members}
        return {i for i in among if self.rows[i][self.home] in homes}

    def shares(self, members: list[int], column: str) -> dict[Any, float]:
        """Each person once: of m rows with a value, each counts 1/m."""
        known = [i for i in members if self.rows[i][column] is not None]
        held = Counter(self.who(i) for i in known)
        counts: dict[Any, float] = defaultdict(float)
        for i in known:
            counts[self.rows[i][column]] += 1 / held[self.who(i)]
        return dict(counts)

    def size_in_population(self, label: tuple[str, ...], node: tuple[int, ...]) -> int:
        return sum(self.label(row, node) == label for row in self.population)


Check = Callable[[Plain, list[int], int], bool]
"""(file, members of a class, size of the class in the population) -> whether it is kept."""
Whole = Callable[[Plain, Groups], bool]


def settled(
    plain: Plain,
    node: tuple[int, ...],
    checks: list[Check],
    wholes: list[Whole],
    limit: int,
) -> tuple[set[int], set[int]] | None:
    """(released, blank) rows of a node; None if it does not keep the models."""
    everybody = set(range(len(plain.rows)))
    alive = set(everybody)
    kept_all = lambda members, inside: all(c(plain, members, inside) for c in checks)  # noqa: E731

    def clear() -> None:
        while True:
            out: set[int] = set()
            for label, members in plain.classes(node, alive).items():
                if not kept_all(members, plain.size_in_population(label, node)):
                    out |= set(members)
            if not out:
                return
            alive.difference_update(plain.with_family(out, alive))

    clear()
    while alive != everybody:
        blank = everybody - alive
        if plain.people(blank) > limit:
            return None
        if kept_all(sorted(blank), len(plain.population)):
            break
        left = plain.classes(node, alive)
        if not left:
            return None
        # the smallest; of equal ones the first by the place of their labels
        order = {
            label: tuple(
                _place(plain, key, level, part)
                for key, level, part in zip(plain.keys, node, label, strict=True)
            )
            for label in left
        }
        smallest = min(
            left, key=lambda label: (plain.people(left[label]), order[label])
        )
        alive.difference_update(plain.with_family(set(left[smallest]), alive))
        clear()
    blank = everybody - alive
    groups = list(plain.classes(node, alive).values())
    if blank:
        groups.append(sorted(blank))
    if not all(whole(plain, groups) for whole in wholes):
        return None
    return alive, blank


def _place(plain: Plain, key: str, level: int, label: str) -> int:
    """The place of a label among those of its level, by its first value."""
    seen: list[str] = []
    for value in sorted(plain.trees[key], key=lambda v: (v is None, v)):
        here = plain.trees[key][value][level]
        if here not in seen:
            seen.append(here)
    return seen.index(label)


# -- models ----------------------------------------------------------------------------


def at_least(k: int) -> Check:
    return lambda plain, members, inside: plain.people(members) >= k


def k_map(k: int) -> Check:
    return lambda plain, members, inside: inside >= k


def k_map_by_weights(k: float) -> Check:
    return lambda plain, members, inside: (
        sum(plain.rows[i]["weight"] for i in members) >= k - 1e-9
    )


def presence(low: float, high: float) -> Check:
    return lambda plain, members, inside: (
        low - 1e-9 <= plain.people(members) / max(inside, 1) <= high + 1e-9
    )


def distinct(least: float, column: str = "ill") -> Check:
    def check(plain: Plain, members: list[int], inside: int) -> bool:
        known = [i for i in members if plain.rows[i][column] is not None]
        values = {plain.rows[i][column] for i in known}
        return min(len(values), plain.people(known)) >= least

    return check


def entropy(least: float, column: str = "ill") -> Check:
    def check(plain: Plain, members: list[int], inside: int) -> bool:
        counts = plain.shares(members, column)
        total = sum(counts.values())
        if not total:
            return least <= 0
        bits = -sum(c / total * math.log(c / total) for c in counts.values())
        return min(math.exp(bits), total) >= least - 1e-9

    return check


def recursive(c: float, least: int, column: str = "ill") -> Check:
    def check(plain: Plain, members: list[int], inside: int) -> bool:
        counts = sorted(plain.shares(members, column).values(), reverse=True)
        if not counts or sum(counts) < least - 1e-9:
            return False
        return counts[0] < c * sum(counts[least - 1 :]) - 1e-9

    return check


def close(t: float, distance: str, column: str = "ill") -> Check:
    def check(plain: Plain, members: list[int], inside: int) -> bool:
        own = plain.shares(members, column)
        whole = plain.shares(list(range(len(plain.rows))), column)
        if not own:
            return True
        values = sorted(whole)
        p = [own.get(v, 0.0) / sum(own.values()) for v in values]
        q = [whole[v] / sum(whole.values()) for v in values]
        return _apart(values, p, q, distance) <= t + 1e-9

    return check


def _apart(values: list[Any], p: list[float], q: list[float], distance: str) -> float:
    gaps = [a - b for a, b in zip(p, q, strict=True)]
    if distance == "equal":
        return sum(map(abs, gaps)) / 2
    if distance == "ordered":
        if len(values) < 2:
            return 0.0
        return sum(abs(sum(gaps[: i + 1])) for i in range(len(gaps))) / (
            len(values) - 1
        )
    # a prefix of one letter, then everything: two levels
    letters: dict[str, float] = defaultdict(float)
    for value, gap in zip(values, gaps, strict=True):
        letters[value[0]] += gap
    return (sum(map(abs, gaps)) + sum(map(abs, letters.values()))) / 4


def average(bound: float) -> Whole:
    def check(plain: Plain, groups: Groups) -> bool:
        worst: dict[Any, float] = defaultdict(float)
        for members in groups:
            for i in members:
                worst[plain.who(i)] = max(
                    worst[plain.who(i)], 1 / plain.people(members)
                )
        return sum(worst.values()) <= bound * len(worst) + 1e-9

    return check


def uniques(bound: float) -> Whole:
    def check(plain: Plain, groups: Groups) -> bool:
        everybody = {plain.who(i) for members in groups for i in members}
        alone = {
            plain.who(i)
            for members in groups
            for i in members
            if plain.people(members) == 1
        }
        return len(alone) <= bound * len(everybody) + 1e-9

    return check


def population_uniques(bound: float) -> Whole:
    """A record that is blanked alone may be unique, whatever its weight."""

    def check(plain: Plain, groups: Groups) -> bool:
        n = sum(map(len, groups))
        alone = [members[0] for members in groups if len(members) == 1]
        return (
            sum(1 / max(plain.rows[i]["weight"], 1) for i in alone) <= bound * n + 1e-9
        )

    return check


# -- utilities -------------------------------------------------------------------------


def loss_of(
    plain: Plain,
    node: tuple[int, ...],
    alive: set[int],
    blank: set[int],
    what: str,
    k: int,
) -> float:
    """The loss of a node by its definition."""
    return LOSSES[what](plain, node, alive, blank, k)


def _column(plain: Plain, key: str, level: int) -> tuple[Counter[str], Counter[Any]]:
    labels = Counter(plain.trees[key][row[key]][level] for row in plain.rows)
    return labels, Counter(row[key] for row in plain.rows)


def _granularity(
    plain: Plain, node: Any, alive: set[int], blank: set[int], k: int
) -> float:
    total = 0.0
    for key, level in zip(plain.keys, node, strict=True):
        present = {row[key] for row in plain.rows}
        inside = Counter(plain.trees[key][value][level] for value in present)
        for i in alive:
            label = plain.trees[key][plain.rows[i][key]][level]
            total += (inside[label] - 1) / (max(len(present), 2) - 1)
        total += len(blank)
    return total / len(plain.keys) / len(plain.rows)


def _precision(
    plain: Plain, node: Any, alive: set[int], blank: set[int], k: int
) -> float:
    total = 0.0
    for key, level in zip(plain.keys, node, strict=True):
        height = len(next(iter(plain.trees[key].values()))) - 1
        total += len(alive) * level / max(height, 1) + len(blank)
    return total / len(plain.keys) / len(plain.rows)


def _entropy(
    plain: Plain, node: Any, alive: set[int], blank: set[int], k: int
) -> float:
    n = len(plain.rows)
    total = 0.0
    for key, level in zip(plain.keys, node, strict=True):
        labels, values = _column(plain, key, level)
        most = sum(math.log2(n / values[row[key]]) for row in plain.rows) / n or 1.0
        bits = 0.0
        for i, row in enumerate(plain.rows):
            label = plain.trees[key][row[key]][level]
            shown = labels[label] if i in alive else n
            bits += math.log2(shown / values[row[key]])
        total += bits / most
    return total / len(plain.keys) / n


def _sizes(plain: Plain, node: Any, alive: set[int]) -> list[int]:
    return [len(members) for members in plain.classes(node, alive).values()]


def _discernibility(
    plain: Plain, node: Any, alive: set[int], blank: set[int], k: int
) -> float:
    n = len(plain.rows)
    squares = sum(size**2 for size in _sizes(plain, node, alive))
    return (squares + n * len(blank)) / n**2


def _class_size(
    plain: Plain, node: Any, alive: set[int], blank: set[int], k: int
) -> float:
    classes = len(_sizes(plain, node, alive)) + bool(blank)
    return len(plain.rows) / classes / k


def _kl(plain: Plain, node: Any, alive: set[int], blank: set[int], k: int) -> float:
    n = len(plain.rows)
    own = Counter(tuple(row[key] for key in plain.keys) for row in plain.rows)
    classes = plain.classes(node, alive)
    total = 0.0
    for i, row in enumerate(plain.rows):
        p = own[tuple(row[key] for key in plain.keys)] / n
        volume = 1
        for key, level in zip(plain.keys, node, strict=True):
            present = {r[key] for r in plain.rows}
            if i in blank:
                volume *= len(present)
                continue
            label = plain.trees[key][row[key]][level]
            volume *= sum(plain.trees[key][v][level] == label for v in present)
        size = len(blank) if i in blank else len(classes[plain.label(row, node)])
        total += math.log(p / (size / n / volume)) / n
    return total


def _classification(
    plain: Plain, node: Any, alive: set[int], blank: set[int], k: int
) -> float:
    errors = len(blank)
    for members in plain.classes(node, alive).values():
        known = [
            plain.rows[i]["aim"] for i in members if plain.rows[i]["aim"] is not None
        ]
        errors += len(members) - max(Counter(known).values(), default=0)
    return errors / len(plain.rows)


def _tables(plain: Plain, node: Any, alive: set[int], blank: set[int], k: int) -> float:
    """Two tables: the first key alone, and the first two together."""
    n = len(plain.rows)
    crosses = [plain.keys[:1], plain.keys[:2]]
    total = 0.0
    for cross in crosses:
        level = dict(zip(plain.keys, node, strict=True))
        own = [tuple(row[key] for key in cross) for row in plain.rows]
        shown = [
            tuple(plain.trees[key][row[key]][level[key]] for key in cross)
            for row in plain.rows
        ]
        fine, coarse = Counter(own), Counter(shown)
        most = sum(math.log2(n / fine[place]) for place in own) / n or 1.0
        bits = sum(
            math.log2((n if i in blank else coarse[shown[i]]) / fine[own[i]])
            for i in range(n)
        )
        total += bits / n / most
    return total / len(crosses)


LOSSES: dict[str, Callable[..., float]] = {
    "loss": _granularity,
    "precision": _precision,
    "entropy": _entropy,
    "discernibility": _discernibility,
    "class_size": _class_size,
    "kl": _kl,
    "classification": _classification,
    "tables": _tables,
}
