"""Every loss measure: by hand on a small table, documented, 0 for no change.

None depends on the order of rows.
"""

import numpy as np
import pytest

import tacit as tc
from tacit.loss import registry

ORIGINAL = {
    "a": [1.0, 3.0, 5.0, 7.0],
    "b": [2.0, 2.0, 8.0, 4.0],
    "t": ["x", "x", "y", "y"],
}
MASKED = {
    "a": [2.0, 2.0, 6.0, 6.0],
    "b": [2.0, 2.0, 6.0, 6.0],
    "t": ["x", "y", "y", "y"],
}
ROLES = {"nominal": ["t"], "quasi": ["a", "b", "t"]}


@pytest.fixture(scope="module")
def pair():
    return tc.Microdata.of(ORIGINAL, **ROLES), tc.Microdata.of(MASKED)


@pytest.fixture(scope="module")
def larger():
    rng = np.random.default_rng(0)
    x = rng.normal(size=(120, 3)) @ rng.normal(size=(3, 3))
    town = np.where(x[:, 0] + 0.3 * rng.normal(size=120) > 0, "n", "s")
    frame = {"a": x[:, 0], "b": x[:, 1], "c": x[:, 2], "town": town}
    masked = frame | {
        "a": x[:, 0] + rng.normal(size=120),
        "b": x[:, 1] + rng.normal(size=120),
    }
    roles = {"nominal": ["town"], "quasi": ["a", "b", "c"], "confidential": ["town"]}
    return tc.Microdata.of(frame, **roles), tc.Microdata.of(masked)


def run(name, pair, **options):
    return registry[name](*pair, **options)


def test_il(pair):
    # sd of a: sqrt(5), of b: sqrt(6); |x - z|: a 1 1 1 1, b 0 0 2 2
    assert run("IL1", pair).value == pytest.approx(
        (4 / np.sqrt(10) + 4 / np.sqrt(12)) / 8
    )
    assert run("IL2", pair).value == 0
    assert run("IL3", pair).value == pytest.approx((1 / 5 + 2 / 6) / 2)
    # covariance of a and b before: (2 + 6 + 40 + 28) / 4 - 4 * 4 = 3; after: 4
    assert run("IL4", pair).value == pytest.approx(
        (1 / 5 + 2 / 6 + 1 / np.sqrt(30)) / 3
    )
    assert run("IL5", pair).value == pytest.approx(1 - 3 / np.sqrt(30))
    parts = [run(f"IL{i}", pair).value for i in range(1, 6)]
    assert run("IL", pair, columns=["a", "b"]).value == pytest.approx(np.mean(parts))
    assert run("IL", pair, columns=["a", "b"]).per_column == pytest.approx(
        {"a": 1 / np.sqrt(10), "b": 1 / np.sqrt(12)}
    )


def test_il_sees_nominal_columns_too(pair):
    # t: one cell of four changed, total variation 1/4
    numbers = run("IL", pair, columns=["a", "b"]).value
    assert run("IL", pair, columns=["t"]).value == pytest.approx(0.25)
    assert run("IL", pair).value == pytest.approx((2 * numbers + 0.25) / 3)


def test_sse_and_changed_cells(pair):
    assert run("SSE", pair).value == pytest.approx((4 / 5 + 8 / 6) / 8)
    assert run("changed", pair).value == pytest.approx((4 + 2 + 1) / 12)


@pytest.mark.parametrize("name", list(registry))
def test_every_measure_is_found_by_its_name(name):
    assert getattr(tc.loss, name) is registry[name]


def test_ks_and_tv(pair):
    # a: F and G differ by 1/4 at most; b: before 2 2 4 8, after 2 2 6 6: 1/4
    assert run("KS", pair).per_column == pytest.approx({"a": 0.25, "b": 0.25})
    assert run("TV", pair).value == pytest.approx(0.25)


def test_correlation_and_eigenvalues(pair):
    r = 3 / np.sqrt(30)
    got = run("correlation", pair)
    assert got.value == pytest.approx(1 - r)
    assert got.details["pair"] == ["a", "b"]
    # eigenvalues 1 + r, 1 - r become 2, 0
    assert run("eigenvalues", pair).value == pytest.approx((1 - r) / 2)


def test_pil_is_the_mean_of_its_parts(pair):
    got = run("PIL", pair)
    parts = [
        got.details[p]
        for p in ("quantiles", "means", "variances", "covariances", "correlations")
    ]
    assert got.value == pytest.approx(np.mean(parts))
    assert got.details["means"] == 0


def test_regression_by_hand():
    x = {"y": [1.0, 2.0, 3.0, 5.0], "u": [1.0, 2.0, 3.0, 4.0]}
    z = {"y": [1.0, 2.0, 3.0, 5.0], "u": [4.0, 3.0, 2.0, 1.0]}
    assert tc.loss.regression(x, x, models=["y ~ u"]).value == pytest.approx(
        0, abs=1e-12
    )
    got = tc.loss.regression(x, z, models=["y ~ u"])
    slope = got.details["y ~ u"]["u"]
    assert slope["after"] == pytest.approx(-slope["before"])
    assert got.value == 1
    with pytest.raises(ValueError, match="not a model"):
        tc.loss.regression(x, z, models=["y u"])


def test_pmse_tells_noise_from_nothing(larger):
    original, _ = larger
    same = tc.loss.pmse(original, original)
    apart = tc.loss.pmse(
        original, original.with_numbers(["a"], original.numbers(["a"]) + 10)
    )
    assert same.value < 0.1
    assert 0.45 <= same.details["area under the curve"] <= 0.55
    assert apart.value > 0.8


def test_a_classifier_learns_less_from_noise(larger):
    original, masked = larger
    assert tc.loss.classifier(original, original).value == 0
    got = tc.loss.classifier(original, masked)
    assert got.details["target"] == "town"
    assert 0 < got.value <= 1


def test_a_classifier_is_tested_on_originals():
    """Masked values that say the opposite teach what is wrong of every original."""
    rng = np.random.default_rng(5)
    value = rng.random(300)
    side = np.where(value > 0.5, "up", "down")
    original = tc.Microdata.of({"x": value, "side": side}, nominal=["side"])
    masked = tc.Microdata.of({"x": 1 - value, "side": side}, nominal=["side"])
    assert tc.loss.classifier(original, masked).value > 0.9


def test_rare_values_of_the_target_count_as_one():
    rng = np.random.default_rng(6)
    town = np.concatenate([np.arange(40), rng.integers(0, 3, 300)]).astype(str)
    data = tc.Microdata.of({"x": rng.random(340), "town": town}, nominal=["town"])
    got = tc.loss.classifier(data, data)
    assert got.value == 0
    assert got.computed


def test_a_recoded_column_is_named_and_its_cells_are_changed():
    x = {"a": [1.0, 2.0, 3.0], "b": [1.0, 2.0, 4.0]}
    z = {"a": ["1-2", "1-2", "3"], "b": [1.0, 2.0, 3.0]}
    got = tc.loss.il(x, z)
    assert got.details["columns"] == ["a", "b"]
    classes = "columns of classes (a label counts as its records' mean)"
    assert got.details[classes] == ["a"]
    assert tc.loss.changed(x, z).per_column == pytest.approx({"a": 1.0, "b": 1 / 3})


def test_files_of_different_length_compare_where_they_can():
    # 0, 1, 2, ... would be serial numbers
    x = {"a": [i / 2 for i in range(20)], "b": [i / 2 for i in range(20, 40)]}
    z = {name: values[:10] for name, values in x.items()}
    assert not tc.loss.il1(x, z).computed
    assert not tc.loss.sse(x, z).computed
    assert tc.loss.ks(x, z).value == pytest.approx(0.5)
    assert tc.loss.il(x, z).computed


@pytest.mark.parametrize("name", list(registry))
def test_documented_zero_without_change_and_blind_to_row_order(name, larger):
    text = registry[name].__doc__
    assert text
    assert "Range" in text
    assert "igher" in text or "less" in text
    assert "0:" in text
    original, masked = larger
    options = {"models": ["a ~ b + c"]} if name == "regression" else {}
    same = registry[name](original, original, **options)
    assert same.value == pytest.approx(0, abs=1e-9) or name in ("TV", "pMSE")
    order = np.random.default_rng(5).permutation(original.n)
    one = registry[name](original, masked, **options)
    two = registry[name](original.take(order), masked.take(order), **options)
    assert one.name == name
    assert two.value == pytest.approx(one.value, nan_ok=True, rel=1e-9)
    low, high = one.range
    assert one.value != one.value or low <= one.value <= high
