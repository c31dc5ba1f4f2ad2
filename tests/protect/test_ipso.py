"""IPSO: what each variant keeps, to 1e-8 where it promises so."""

import numpy as np
import pandas as pd
import pytest

import tacit as tc
from tacit.protect.ipso import ipso


def relative(a: np.ndarray, b: np.ndarray, sizes: np.ndarray) -> float:
    """Largest difference relative to the product of the columns' sds."""
    return float(np.abs((a - b) / sizes).max())


def compare(
    before: np.ndarray, after: np.ndarray, x: np.ndarray
) -> tuple[float, float, float]:
    sy, sx = before.std(axis=0, ddof=1), x.std(axis=0, ddof=1)
    d = before.shape[1]
    first, second = np.cov(np.hstack([before, x]).T), np.cov(np.hstack([after, x]).T)
    mean = relative(
        before.mean(axis=0),
        after.mean(axis=0),
        np.maximum(np.abs(before.mean(axis=0)), sy),
    )
    own = relative(first[:d, :d], second[:d, :d], np.outer(sy, sy))
    cross = relative(first[:d, d:], second[:d, d:], np.outer(sy, sx))
    return mean, own, cross


def files() -> dict[str, tuple[np.ndarray, np.ndarray]]:
    rng = np.random.default_rng(5)
    x = np.hstack([rng.lognormal(10, 1, (300, 2)), rng.normal(size=(300, 1))])
    y = x @ rng.normal(size=(3, 4)) + rng.gamma(2, 3e4, (300, 4))
    return {
        "plain": (y, x),
        "a sum in Y": (np.hstack([y, y.sum(axis=1, keepdims=True)]), x),
        "a sum in X": (y, np.hstack([x, x.sum(axis=1, keepdims=True)])),
        "Y partly exact in X": (np.hstack([y, 2 * x[:, [0]] + 7]), x),
        "constant columns": (
            np.hstack([y, np.full((300, 1), 3.0)]),
            np.hstack([x, np.ones((300, 1))]),
        ),
        "large offset": (y + 1e9, x + 1e8),
        "no X": (y, np.empty((300, 0))),
    }


@pytest.mark.parametrize("case", list(files()))
def test_c_keeps_means_covariances_and_cross_covariances(case: str) -> None:
    y, x = files()[case]
    masked = ipso(y, x, "C", np.random.default_rng(1))
    sy = np.where(y.std(axis=0) > 0, y.std(axis=0), 1)
    assert np.abs((masked - y) / sy).max() > 0.1, "something must change"
    d = y.shape[1]
    assert (
        np.abs(
            (masked.mean(axis=0) - y.mean(axis=0))
            / np.maximum(np.abs(y.mean(axis=0)), sy)
        ).max()
        < 1e-8
    )
    both, new = np.hstack([y, x]), np.hstack([masked, x])
    sizes = np.where(both.std(axis=0) > 0, both.std(axis=0), 1)
    difference = (np.cov(both.T) - np.cov(new.T)) / np.outer(sizes, sizes)
    assert np.abs(difference[:d]).max() < 1e-8
    if case == "a sum in Y":
        assert masked[:, -1] == pytest.approx(masked[:, :-1].sum(axis=1), rel=1e-7)


def coefficients(y: np.ndarray, x: np.ndarray) -> np.ndarray:
    return np.linalg.lstsq(
        np.hstack([np.ones((len(x), 1)), x - x.mean(axis=0)]), y, rcond=None
    )[0]


def test_b_keeps_the_regression_and_a_only_in_expectation() -> None:
    y, x = files()["plain"]
    before = coefficients(y, x)
    for variant, exact in (("A", False), ("B", True), ("C", True)):
        after = coefficients(ipso(y, x, variant, np.random.default_rng(3)), x)
        assert (np.abs(after / before - 1).max() < 1e-8) == exact
    covariances = [
        np.cov(ipso(y, x, v, np.random.default_rng(3)).T) for v in ("A", "B")
    ]
    assert all(np.abs(c / np.cov(y.T) - 1).max() > 1e-4 for c in covariances)
    many = np.mean(
        [np.cov(ipso(y, x, "A", np.random.default_rng(s)).T) for s in range(400)],
        axis=0,
    )
    assert np.abs(many - np.cov(y.T)).max() < 0.03 * np.cov(y.T).max()


def test_on_census_which_is_rank_deficient(census_like: pd.DataFrame) -> None:
    census = census_like
    quasi = ["AGI", "PTOTVAL", "POTHVAL", "PEARNVAL", "TAXINC", "FICA"]
    confidential = ["AFNLWGT", "FEDTAX", "STATETAX", "WSALVAL"]
    masked = tc.protect.IPSO(
        variant="C", quasi=quasi, confidential=confidential, random_state=1
    ).fit_transform(census)
    assert [dtype.kind for dtype in masked.dtypes[quasi]] == ["f"] * 6
    mean, own, cross = compare(
        census[quasi].to_numpy(float),
        masked[quasi].to_numpy(),
        census[confidential].to_numpy(float),
    )
    assert max(mean, own, cross) < 1e-8
    assert (
        masked["PTOTVAL"] - masked["POTHVAL"] - masked["PEARNVAL"]
    ).abs().max() < 1e-5
    assert masked[[c for c in census if c not in quasi]].equals(
        census[[c for c in census if c not in quasi]]
    )


def test_a_column_in_both_roles_is_refused() -> None:
    rng = np.random.default_rng(0)
    table = pd.DataFrame({"a": rng.normal(size=9), "b": rng.normal(size=9)})
    with pytest.raises(tc.errors.ColumnError, match="both quasi and confidential"):
        tc.protect.IPSO(quasi=["a"], confidential=["a"]).fit_transform(table)


def test_small_files_are_reproduced_or_fully_determined() -> None:
    """With as many columns as records nothing is left to draw, and the promise still holds."""
    rng = np.random.default_rng(4)
    y, x = rng.normal(size=(4, 2)), rng.normal(size=(4, 3))
    masked = ipso(y, x, "C", rng)
    assert np.cov(masked.T) == pytest.approx(np.cov(y.T), rel=1e-8)
