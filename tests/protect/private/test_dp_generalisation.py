"""Private generalisation: its delta by other arithmetic, its scores, its refusals, its release."""

from __future__ import annotations

from collections import Counter
from math import comb, exp
from typing import Any

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st

import tacit as tc
from protect.private.cases import classes_case
from protect.private.epsilon import lower_bound
from tacit.attack.informed.dp_generalisation import AwareDPGeneralisation
from tacit.data.hierarchies import rule_of
from tacit.protect import dp_generalisation as module
from tacit.protect.lattice.class_cells import counted
from tacit.protect.lattice.level_codes import KeyColumn
from tacit.protect.private import noisy_levels, sampled_classes
from tacit.protect.private.accountant import ADD_REMOVE
from tacit.protect.private.noisy_levels import MOST_WEIGHT, NoisyLevels
from tacit.protect.private.sampled_counts import delta_of, largest_share, smallest_k

ICD = {"icd": {"prefix": [2, 1]}}


# -- delta -----------------------------------------------------------------------------


def binomial(m: int, beta: float) -> list[float]:
    return [comb(m, j) * beta**j * (1 - beta) ** (m - j) for j in range(m + 1)]


def seen(counts: list[float], k: int, length: int) -> list[float]:
    """Counts below k are all the same to a reader: nothing is there."""
    padded = counts + [0.0] * (length - len(counts))
    return [sum(padded[:k]), *padded[k:]]


def hockey_stick(k: int, epsilon: float, beta: float, most: int) -> float:
    """The exact delta of classes up to this size, both ways, by adding up what is too likely."""
    worst = 0.0
    for m in range(1, most):
        with_one = seen(binomial(m, beta), k, most + 1)
        without = seen(binomial(m - 1, beta), k, most + 1)
        for a, b in ((with_one, without), (without, with_one)):
            gap = [max(p - exp(epsilon) * q, 0) for p, q in zip(a, b, strict=True)]
            worst = max(worst, sum(gap))
    return worst


@pytest.mark.few(7)
@pytest.mark.parametrize("k", [1, 2, 5, 12, 30])
@pytest.mark.parametrize(
    ("epsilon", "share"), [(0.5, 1.0), (1.0, 1.0), (1.0, 0.4), (2.0, 0.9)]
)
def test_delta_is_no_less_than_what_two_files_differ_by(
    k: int, epsilon: float, share: float
) -> None:
    beta = share * largest_share(epsilon)
    delta = delta_of(k, epsilon, beta)
    assert hockey_stick(k, epsilon, beta, 160) <= delta + 1e-12
    # and it is the largest tail, added up term by term
    gamma = 1 - (1 - beta) * exp(-epsilon)
    tails = []
    for m in range(max(int(k / gamma), 1), 300):
        first = max(int(np.floor(gamma * m)) + 1, k)
        tails.append(sum(binomial(m, beta)[first:]))
    assert delta == pytest.approx(max(tails), rel=1e-6)


@pytest.mark.parametrize("delta", [1e-2, 1e-5, 1e-8])
def test_the_smallest_k_is_the_smallest(delta: float) -> None:
    for epsilon in (0.3, 1.0, 2.0):
        beta = largest_share(epsilon)
        k = smallest_k(epsilon, delta, beta)
        assert delta_of(k, epsilon, beta) <= delta < delta_of(k - 1, epsilon, beta)


def test_a_sample_that_is_too_large_has_no_delta() -> None:
    with pytest.raises(tc.errors.ParameterError, match="too large"):
        delta_of(5, 1.0, 0.7)


# -- the choice of levels --------------------------------------------------------------

TREES = {"icd": ICD["icd"], "age": {"ladder": [10, 50]}}


def chooser(frame: pd.DataFrame, enough: int = 3) -> NoisyLevels:
    data = tc.Microdata.of(frame, code=["icd"], continuous=["age"])
    rules = {name: rule_of(TREES[name]) for name in TREES}
    keys = [KeyColumn.of(rule, data, name) for name, rule in rules.items()]
    ones = np.ones(data.n, dtype=np.int64)
    bottom, _ = counted(keys, None, ones, None, None)
    return NoisyLevels(keys, bottom, [0.5, 0.5], enough, [None, None], None)


RECORD = st.tuples(
    st.sampled_from(["J45", "J46", "J10", "K20"]), st.integers(0, 99).map(float)
)


@given(
    records=st.lists(RECORD, min_size=1, max_size=14),
    more=RECORD,
    enough=st.integers(1, 5),
)
def test_one_record_raises_a_score_by_at_most_its_bound_and_lowers_none(
    records: list[tuple[str, float]], more: tuple[str, float], enough: int
) -> None:
    names = ["icd", "age"]
    fewer = chooser(pd.DataFrame(records, columns=names), enough)
    whole = chooser(pd.DataFrame([*records, more], columns=names), enough)
    for node in np.ndindex(4, 4):
        step = whole.score(node) - fewer.score(node)
        assert 0 <= step <= MOST_WEIGHT


def test_every_choice_has_its_share(monkeypatch: pytest.MonkeyPatch) -> None:
    frame = pd.DataFrame({"icd": ["J45", "K20"] * 400, "age": [30.0, 40.0] * 400})
    for few in (300, 0):
        monkeypatch.setattr(noisy_levels, "FEW", few)
        made = tc.protect.DPGeneralisation(epsilon=1.0, hierarchies=TREES, steps=5)
        made.fit_transform(frame)
        spent = made.accountant_
        assert spent.spent <= 1.0
        assert spent.neighbours == ADD_REMOVE
        search = [one.epsilon for one in spent if "levels" in one.what]
        assert len(search) == (1 if few else 6)
        assert sum(search) == pytest.approx(0.2)
        assert spent.spends[-1].epsilon == pytest.approx(0.8)


# -- what is emitted -------------------------------------------------------------------


def hospital(n: int = 1500, seed: int = 0) -> pd.DataFrame:
    rng = np.random.default_rng(seed)
    return pd.DataFrame(
        {
            "icd": rng.choice(
                ["J45", "J46", "J10", "K20"], n, p=[0.5, 0.3, 0.15, 0.05]
            ),
            "age": rng.integers(0, 100, n),
        },
        index=[f"patient {i}" for i in range(n)],
    )


@pytest.mark.parametrize("seed", range(5))
def test_every_class_of_the_release_has_k_records(seed: int) -> None:
    frame = hospital(seed=seed)
    made = tc.protect.DPGeneralisation(epsilon=1.0, delta=1e-5, hierarchies=TREES, k=60)
    masked = made.fit_transform(frame)
    classes = Counter(zip(masked["icd"], masked["age"], strict=True))
    assert made.k_ == max(60, smallest_k(0.8, 1e-5, made.fraction_))
    assert all(size >= made.k_ for size in classes.values())
    # every class is a class of the levels that are said
    assert len(masked) <= len(frame)
    # neither the order, nor the index, nor the types are those of the file
    keys = list(zip(masked["icd"], masked["age"], strict=True))
    assert keys == sorted(keys)
    assert list(masked.index) == list(range(len(masked)))
    assert all(isinstance(value, str) for value in masked["age"])


def test_the_share_of_the_sample_is_the_fraction() -> None:
    frame = pd.DataFrame({"icd": ["J45"] * 40_000})
    given = {"hierarchies": ICD, "levels": {"icd": 0}}
    made = tc.protect.DPGeneralisation(epsilon=1.0, **given)
    shares = len(made.fit_transform(frame)) / 40_000
    assert made.fraction_ == pytest.approx(1 - exp(-1.0))
    assert shares == pytest.approx(1 - exp(-1.0), abs=0.015)
    # all levels are given, and nothing is spent on them
    assert [one.what for one in made.accountant_] == ["classes of the sample"]
    made = tc.protect.DPGeneralisation(epsilon=1.0, fraction=0.1, **given)
    assert len(made.fit_transform(frame)) / 40_000 == pytest.approx(0.1, abs=0.01)


def test_two_releases_are_two_samples() -> None:
    made = tc.protect.DPGeneralisation(hierarchies=ICD, levels={"icd": 0}, fraction=0.3)
    frame = pd.DataFrame({"icd": ["J45"] * 5_000})
    assert len({len(made.fit_transform(frame)) for _ in range(8)}) > 1


def test_the_claim_names_delta_and_neighbours() -> None:
    data = tc.Microdata.of(hospital(), quasi=["icd", "age"])
    made = tc.protect.DPGeneralisation(epsilon=2.0, delta=1e-7, hierarchies=TREES)
    claim = made.claim(data)
    assert claim["epsilon"] == 2.0
    assert claim["delta"] == 1e-7
    assert claim["neighbours"] == ADD_REMOVE
    assert claim["not_private"] == []
    made.fit(data)
    assert "(2, 1e-07)-differential privacy of the whole release" in made.guarantee_


def test_the_intruder_reads_the_levels_and_finds_classes() -> None:
    frame = hospital(400)
    made = tc.protect.DPGeneralisation(
        epsilon=2.0, delta=0.01, hierarchies=TREES, levels={"icd": 2, "age": 2}
    )
    masked = made.fit_transform(frame)
    aware = AwareDPGeneralisation.knowing(made, tc.Microdata.of(frame))
    found = aware.evidence(
        tc.Microdata.of(frame), tc.Microdata.of(masked), ["icd", "age"]
    )
    # an original is at distance 0 from the records of its class and of no other
    near = np.isclose(found.u[:, None, :], found.v[None, :, :]).all(axis=2)
    for i, (icd, age) in enumerate(zip(frame["icd"], frame["age"], strict=True)):
        label = "[50, 100)" if age >= 50 else "[0, 50)"
        same = (masked["icd"] == f"{icd[0]}*") & (masked["age"] == label)
        assert (near[i] == same.to_numpy()).all()


# -- refusals --------------------------------------------------------------------------


def refused(match: str, frame: pd.DataFrame | None = None, **given: Any) -> None:
    made = tc.protect.DPGeneralisation(**{"hierarchies": TREES, **given})
    with pytest.raises(tc.TacitError, match=match):
        made.fit_transform(hospital() if frame is None else frame)


def test_refusals() -> None:
    refused("takes no seed", random_state=1)
    refused(
        "automatic hierarchy of 'age'",
        hierarchies={**ICD, "age": {"automatic": "frequency"}},
    )
    refused("needs the hierarchy of 'age'", hierarchies=ICD)
    refused("'age' would leave beside its class", columns=["icd"])
    refused("more than may be sampled", fraction=0.9)
    refused("level 9 of 'age'", levels={"age": 9})
    refused("levels names 'town'", levels={"town": 1})
    wrong = pd.DataFrame({"icd": ["J45"] * 9, "age": ["old"] * 9})
    refused("not all its values are numbers", wrong)
    table = hospital().assign(who=range(1500))
    data = tc.Microdata.of(table, person="who", quasi=["icd", "age"])
    made = tc.protect.DPGeneralisation(hierarchies=TREES)
    with pytest.raises(tc.TacitError):
        made.fit_transform(data)


# -- the trial bites -------------------------------------------------------------------


def pair(extra: str = "J45", n: int = 40) -> tuple[pd.DataFrame, pd.DataFrame]:
    fewer = pd.DataFrame({"icd": ["J45"] * n + ["K20"] * n})
    return fewer, pd.DataFrame({"icd": [*fewer["icd"], extra]})


@pytest.mark.slow
def test_a_whole_file_instead_of_a_sample_is_caught(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    class Everybody(sampled_classes.Bits):
        def words(self, size: int) -> np.ndarray:
            return np.zeros(size, dtype=np.uint64)

    monkeypatch.setattr(sampled_classes, "Bits", Everybody)
    made = lambda: tc.protect.DPGeneralisation(  # noqa: E731
        epsilon=1.0, delta=1e-3, hierarchies=ICD, levels={"icd": 0}
    )
    assert lower_bound(classes_case(made, pair(n=45)), 200) > 1.0


@pytest.mark.slow
def test_small_classes_that_stay_are_caught(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(module, "smallest_k", lambda *_: 1)
    made = lambda: tc.protect.DPGeneralisation(  # noqa: E731
        epsilon=1.0, hierarchies=ICD, levels={"icd": 0}
    )
    # nobody else has this value: where it is seen, the record was there. It is in 63 % of the
    # samples: 200 runs prove 1.13 of it as a mean, and one in five less than 1; 600 prove 2.4
    assert lower_bound(classes_case(made, pair("J46")), 600) > 1.0


@pytest.mark.slow
def test_levels_by_exact_scores_are_caught_and_by_noisy_ones_not() -> None:
    made = lambda: tc.protect.DPGeneralisation(  # noqa: E731
        epsilon=1.0, delta=1e-3, hierarchies={"icd": {"prefix": [1]}}
    )
    first = made().fit(pair()[0])
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(
            noisy_levels, "discrete_laplace", lambda scale, size, _: np.zeros(size, int)
        )
        files = _flip(made, int(np.ceil(first.k_ / first.fraction_)))
        assert lower_bound(classes_case(made, files), 200) > 1.0
    assert lower_bound(classes_case(made, files), 200) <= 1.0


def _levels(made: Any, file: pd.DataFrame) -> int:
    return int(made().fit(file).levels_["icd"])


def _flip(made: Any, enough: int) -> tuple[pd.DataFrame, pd.DataFrame]:
    """Two files, one record apart, of which the exact choice takes different levels."""
    last = None
    for more in range(200):
        file = pd.DataFrame(
            {"icd": ["J45"] * (enough + more) + ["J46"] * (enough + more)}
        )
        level = _levels(made, file)
        if last is not None and level != last[1]:
            return _between(made, last[0], file)
        last = file, level
    raise AssertionError("the exact choice never changes")


def _between(
    made: Any, low: pd.DataFrame, high: pd.DataFrame
) -> tuple[pd.DataFrame, pd.DataFrame]:
    """``high`` has two records more; the choice changes at one of them."""
    middle = pd.concat([low, pd.DataFrame({"icd": ["J45"]})], ignore_index=True)
    if _levels(made, low) != _levels(made, middle):
        return low, middle
    return middle, high


def test_a_class_with_one_record_too_few_is_left_out() -> None:
    """Classes of three and of two sampled records, and one that was hardly sampled; k = 3."""
    class_of = np.array([0, 0, 1, 1, 2])
    sampled = np.array([2, 1, 1, 1, 0])
    shown = module._large_enough(class_of, 3, sampled, 3)
    assert shown.tolist() == [2, 1, 0, 0, 0]
