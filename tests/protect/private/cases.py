"""Every private mechanism on two neighbouring files, and what each was before it was mended."""

from __future__ import annotations

import warnings
from collections.abc import Callable
from typing import Any

import numpy as np
import pandas as pd

import tacit as tc
from protect.private.epsilon import Floats, Mechanism, aligned, many, seen
from tacit.kernels.mdav.univariate import fixed_groups

Pair = tuple[pd.DataFrame, pd.DataFrame]
FASTER = 20
"""Streams of rows are made in one go: as many more releases take no longer."""
LETTERS: list[Any] = ["a", "b", "c"]


def file_case(make: Callable[[], Any], files: Pair, look: Any = None) -> Mechanism:
    """A release by a protector, or by a stream filter's ``apply``, of a whole frame."""

    def run(which: int, runs: int) -> Floats:
        made = make()
        release = getattr(made, "fit_transform", None) or made.apply
        return many(lambda: seen(release(files[which]), look), runs)

    return aligned(run, make)


def classes_case(make: Callable[[], Any], files: Pair) -> Mechanism:
    """A release of one column of classes: how many records have which label."""
    labels = ["J45", "J46", "K20", "J4*", "K2*", "J*", "K*", "*"]

    def look(frame: pd.DataFrame) -> Floats:
        counts = [float((frame["icd"] == label).sum()) for label in labels]
        return np.array([float(len(frame)), *counts])

    def run(which: int, runs: int) -> Floats:
        made = make()
        with warnings.catch_warnings():
            # an empty release says so
            warnings.simplefilter("ignore")
            return many(lambda: look(made.fit_transform(files[which])), runs)

    return aligned(run, make)


def added(frame: pd.DataFrame, **values: object) -> Pair:
    """A file and its neighbour: one record more."""
    more = pd.DataFrame([values], columns=list(frame.columns))
    return frame, pd.concat([frame, more], ignore_index=True)


def changed(frame: pd.DataFrame, row: int, **values: object) -> Pair:
    """A file and its neighbour: one record has other values."""
    # as it would be read from a file: each with the types that its own values have
    records = frame.to_dict("records")
    records[row] = {**records[row], **values}
    return frame, pd.DataFrame(records, columns=list(frame.columns))


# -- neighbouring files ----------------------------------------------------------------

EDGE = changed(pd.DataFrame({"v": [0.0, 0.0, 1.0, 1.0, 0.0, 1.0]}), 0, v=1.0)
PAIR = changed(
    pd.DataFrame({"v": [1.0, 2.0, 3.0, 4.0], "w": [1.0, 2.0, 3.0, 4.0]}), 3, v=0.0
)
CODES = changed(pd.DataFrame({"v": np.arange(100) % 10}), 0, v=50)
HALVES = changed(pd.DataFrame({"v": np.arange(12)}), 0, v=0.5)
RARE = changed(pd.DataFrame({"c": ["a", "b"] * 5}), 0, c="c")
UNIQUE = changed(pd.DataFrame({"c": [f"t{i}" for i in range(20)]}), 0, c="t1")
ORDERED = changed(pd.DataFrame({"c": ["low", "mid"] * 5}), 0, c="high")
CODED = added(pd.DataFrame({"icd": ["J45"] * 150 + ["K20"] * 150}), icd="J45")
ALONE = added(pd.DataFrame({"icd": ["J45"] * 150 + ["K20"] * 150}), icd="J46")
TEXTS = [f"t{i}" for i in range(20)]
LEVELS: list[Any] = ["low", "mid", "high"]
NUMBERS = np.array([10.0, 20.0, 10.0, 20.0]), np.array([30.0, 20.0, 10.0, 20.0])


# -- as they are -----------------------------------------------------------------------


def laplace(epsilon: float, **given: Any) -> Callable[[], Any]:
    return lambda: tc.protect.Laplace(epsilon=epsilon, **given)


def grouped(epsilon: float, **given: Any) -> Callable[[], Any]:
    return lambda: tc.protect.DPMicroaggregation(epsilon=epsilon, **given)


def sampled(epsilon: float, **given: Any) -> Callable[[], Any]:
    rules = {"icd": {"prefix": [2, 1]}}
    return lambda: tc.protect.DPGeneralisation(
        epsilon=epsilon, delta=1e-6, hierarchies=rules, **given
    )


def stream(epsilon: float, **given: Any) -> Callable[[], Any]:
    return lambda: tc.stream.DPMicroaggregation(epsilon=epsilon, **given)


def pushed(make: Callable[[], Any], files: Pair, look: Any = None) -> Mechanism:
    """Records one by one, one window a release."""

    def run(which: int, runs: int) -> Floats:
        records = files[which].to_dict("records")
        f = make()

        def window() -> Floats:
            out = [release.record for r in records for release in f.push(r)]
            return seen(pd.DataFrame(out), look)

        return many(window, runs)

    return aligned(run, make)


def rows(make: Callable[[], Any], files: tuple[Floats, Floats]) -> Mechanism:
    """Rows of an array: one long stream, one window a release."""

    def run(which: int, runs: int) -> Floats:
        window = files[which]
        runs *= FASTER
        out = make().apply(np.tile(window, runs)[:, None]).reshape(runs, len(window))
        known = (out[:, [0]] == np.array([10.0, 20.0, 30.0])).astype(float)
        return np.column_stack([out, np.sort(out, axis=1), out.mean(axis=1), known])

    return aligned(run, make)


V, W, N = {"v": (0.0, 1.0)}, {"v": (0.0, 5.0), "w": (0.0, 5.0)}, {"v": (0.0, 50.0)}
ARRAYS = EDGE[0]["v"].to_numpy(), EDGE[1]["v"].to_numpy()
ABC, ORDER = {"c": LETTERS}, {"c": LEVELS}
ALL: dict[str, tuple[float, Mechanism]] = {
    "Laplace, real numbers": (1.0, file_case(laplace(1.0, bounds=V), EDGE)),
    "Laplace, 10 or 11 distinct integers": (
        0.5,
        file_case(laplace(0.5, bounds=N), CODES, [50]),
    ),
    "Laplace, the same as integers": (
        0.5,
        file_case(laplace(0.5, bounds=N, integers=["v"]), CODES, [50]),
    ),
    "Laplace, whole numbers or one with decimals": (
        0.5,
        file_case(laplace(0.5, bounds=N), HALVES),
    ),
    "Laplace, categories (randomised response)": (
        1.0,
        file_case(laplace(1.0, categories=ABC), RARE, LETTERS),
    ),
    "Laplace, texts all different or not": (
        1.0,
        file_case(laplace(1.0, categories={"c": TEXTS}), UNIQUE, ["t0", "t1"]),
    ),
    "DP microaggregation, individual": (
        1.0,
        file_case(grouped(1.0, k=3, bounds=V), EDGE),
    ),
    "DP microaggregation, multivariate": (
        1.0,
        file_case(grouped(1.0, k=3, bounds=V, form="multivariate"), EDGE),
    ),
    "DP microaggregation, two columns": (
        1.0,
        file_case(grouped(1.0, k=2, bounds=W), PAIR),
    ),
    "DP microaggregation, few distinct integers": (
        0.5,
        file_case(grouped(0.5, k=10, bounds=N), CODES),
    ),
    "DP generalisation, one record more of many": (
        1.0,
        classes_case(sampled(1.0, search=0.5), CODED),
    ),
    "DP generalisation, a value that nobody else has": (
        1.0,
        classes_case(sampled(1.0), ALONE),
    ),
    "DP generalisation, given levels": (
        1.0,
        classes_case(sampled(1.0, levels={"icd": 0}), CODED),
    ),
    "stream, push, numbers": (
        1.0,
        pushed(stream(1.0, k=3, window=6, bounds=V), EDGE),
    ),
    "stream, push, nominal": (
        1.0,
        pushed(stream(1.0, k=2, window=10, categories=ABC), RARE, LETTERS),
    ),
    "stream, push, ordinal": (
        1.0,
        pushed(stream(1.0, k=2, window=10, ordinal=ORDER), ORDERED, LEVELS),
    ),
    "stream, apply, array of numbers": (
        1.0,
        rows(stream(1.0, k=3, window=6, bounds=[(0.0, 1.0)], clamp=False), ARRAYS),
    ),
    "stream, apply, array of categories": (
        1.0,
        rows(stream(1.0, k=2, window=4, categories={0: [10, 20, 30]}), NUMBERS),
    ),
    "stream, apply, frame of numbers": (
        1.0,
        file_case(stream(1.0, k=3, window=6, bounds=V), EDGE),
    ),
    "stream, apply, frame of few distinct integers": (
        0.5,
        file_case(stream(0.5, k=10, window=100, bounds=N), CODES),
    ),
    "stream, apply, nominal frame": (
        1.0,
        file_case(stream(1.0, k=2, window=10, categories=ABC), RARE, LETTERS),
    ),
    "stream, apply, ordinal frame": (
        1.0,
        file_case(stream(1.0, k=2, window=10, ordinal=ORDER), ORDERED, LEVELS),
    ),
}
"""Name -> the epsilon that is claimed, and the mechanism."""


# -- as they were ----------------------------------------------------------------------


class Switching:
    """Laplace until version 0.1: the kind that was inferred chose the mechanism, and the
    categories were those of the file.
    """

    def __init__(self, epsilon: float) -> None:
        self.epsilon = epsilon

    def fit_transform(self, frame: pd.DataFrame) -> pd.DataFrame:
        data = tc.Microdata.of(frame)
        name = data.names[0]
        if data.schema[name].kind == "continuous":
            now = tc.protect.Laplace(epsilon=self.epsilon, bounds=N)
        else:
            known = data.categories(name)
            now = tc.protect.Laplace(epsilon=self.epsilon, categories={name: known})
        return now.fit_transform(frame)


class OwnCategories:
    """The private filter on a frame, decoding with the categories that the frame had."""

    def apply(self, frame: pd.DataFrame) -> pd.DataFrame:
        own = {"c": sorted(set(frame["c"]))}
        return stream(1.0, k=2, window=10, categories=own)().apply(frame)


class OwnTypes:
    """Laplace that gave a column back in the type that it had."""

    def fit_transform(self, frame: pd.DataFrame) -> pd.DataFrame:
        whole = [] if frame["v"].dtype.kind == "f" else ["v"]
        return laplace(0.5, bounds=N, integers=whole)().fit_transform(frame)


class Growing:
    """`push` that learned a category from the record which brought it."""

    def __init__(self) -> None:
        self.known = ["a", "b"]

    def apply(self, frame: pd.DataFrame) -> pd.DataFrame:
        known = [*self.known, *sorted(set(frame["c"]) - set(self.known))]
        f = stream(1.0, k=2, window=10, categories={"c": known})()
        out = [x.record for r in frame.to_dict("records") for x in f.push(r)]
        return pd.DataFrame(out)


class Kept:
    """DP microaggregation with ``rows="kept"``: each record has its own group's noisy mean."""

    def fit_transform(self, frame: pd.DataFrame) -> pd.DataFrame:
        rng = np.random.default_rng()
        runs = fixed_groups(len(frame), 2)
        noisy = {}
        for name in frame.columns:
            order = np.argsort(frame[name].to_numpy(), kind="stable")
            noise = rng.laplace(scale=5.0 / 2 / 0.5, size=runs[-1] + 1)
            column = np.empty(len(frame))
            column[order] = (
                pd.Series(frame[name].to_numpy()[order])
                .groupby(runs)
                .transform("mean")
                .to_numpy()
                + noise[runs]
            )
            noisy[name] = column
        # as much as the noise leaves: how many distinct rows there are
        rows = pd.DataFrame(noisy).drop_duplicates()
        return pd.DataFrame({"distinct": [float(len(rows))]})


def raw_codes(which: int, runs: int) -> Floats:
    """Arrays at the private filter: a number that was no code went in and out as it was."""
    from tacit.stream.filters.draws import randomised_response

    codes = np.tile(NUMBERS[which], (FASTER * runs, 1))
    rng = np.random.default_rng()
    words = rng.integers(0, 2**64, (4, 2 * len(codes)), np.uint64)
    out = [randomised_response(codes[:, j], 3, 1.0, words[j]) for j in range(4)]
    known = (out[0][:, None] == np.array([10.0, 20.0, 30.0])).astype(float)
    return np.column_stack([*out, known])


BEFORE: dict[str, tuple[float, Mechanism]] = {
    "Laplace, 10 or 11 distinct integers": (
        0.5,
        file_case(lambda: Switching(0.5), CODES, [50]),
    ),
    "Laplace, whole numbers or one with decimals": (0.5, file_case(OwnTypes, HALVES)),
    "Laplace, categories of the file": (
        1.0,
        file_case(lambda: Switching(1.0), RARE, LETTERS),
    ),
    "DP microaggregation, rows kept": (1.0, file_case(Kept, PAIR)),
    "stream, push, categories that grow": (1.0, file_case(Growing, RARE, LETTERS)),
    "stream, apply, array of categories": (1.0, raw_codes),
    "stream, apply, categories of the frame": (
        1.0,
        file_case(OwnCategories, RARE, LETTERS),
    ),
}
"""Name -> the epsilon that was claimed, and a re-enactment."""
