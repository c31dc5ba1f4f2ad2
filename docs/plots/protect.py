"""Draw what each family of protectors does to a column: python docs/plots/protect.py.

Writes docs/img/protect-*.svg.
"""

from __future__ import annotations

import warnings
from pathlib import Path
from typing import Any

import matplotlib as mpl
import numpy as np
import pandas as pd

import tacit as tc

mpl.use("svg")
import matplotlib.pyplot as plt

OUT = Path(__file__).parent.parent / "img"
BLUE, ORANGE, GREY = "#3b5bdb", "#e8590c", "#adb5bd"
plt.rcParams.update(
    {
        "svg.fonttype": "none",
        "svg.hashsalt": "tacit",
        "font.size": 9,
        "axes.spines.top": False,
        "axes.spines.right": False,
        "figure.constrained_layout.use": True,
    }
)
N = 100


def people(n: int = N, seed: int = 4) -> pd.DataFrame:
    """Income and tax of n people, with an age and a region."""
    rng = np.random.default_rng(seed)
    age = rng.integers(18, 80, n)
    income = np.exp(rng.normal(3.2 + 0.01 * (age - 18), 0.35, n))
    return pd.DataFrame(
        {
            "age": age,
            "income": income,
            "tax": 0.25 * income + rng.normal(0, 1.2, n),
            "region": rng.choice(
                ["A", "B", "C", "D", "E"], n, p=[0.4, 0.25, 0.2, 0.1, 0.05]
            ),
        }
    )


def save(name: str) -> None:
    plt.savefig(OUT / f"protect-{name}.svg", metadata={"Date": None})
    plt.close()


def against(
    axis: Any, before: Any, after: Any, title: str, unit: str = "income (thousands)"
) -> None:
    """Masked values against original ones."""
    low, high = min(np.min(before), np.min(after)), max(np.max(before), np.max(after))
    axis.plot([low, high], [low, high], color=GREY, lw=0.8, zorder=0)
    axis.scatter(before, after, s=6, color=BLUE, linewidths=0)
    axis.set_title(title)
    axis.set_xlabel(f"original {unit}")
    axis.set_ylabel("masked")


def panels(
    table: pd.DataFrame, methods: dict[str, Any], column: str = "income"
) -> None:
    _, axes = plt.subplots(1, len(methods), figsize=(3.0 * len(methods), 2.9))
    for axis, (title, method) in zip(np.atleast_1d(axes), methods.items(), strict=True):
        against(axis, table[column], method.fit_transform(table)[column], title)


def noise() -> None:
    table = people()[["income", "tax"]]
    panels(
        table,
        {
            "uncorrelated, 25 %": tc.protect.Noise(percent=25, random_state=1),
            "transformed, 25 %": tc.protect.Noise(
                percent=25, kind="transformed", random_state=1
            ),
            "multiplicative, 25 %": tc.protect.Noise(
                percent=25, kind="multiplicative", random_state=1
            ),
        },
    )
    save("noise")


def swapping() -> None:
    table = people()[["income", "tax"]]
    methods = {
        f"rank swapping, p = {p}": tc.protect.RankSwapping(p=p, random_state=1)
        for p in (5, 20)
    }
    methods["shuffling given tax"] = tc.protect.Shuffling(
        columns=["income"], given=["tax"], random_state=1
    )
    panels(table, methods)
    save("swapping")


def microaggregation() -> None:
    table = people(60)[["income", "tax"]]
    _, axes = plt.subplots(1, 3, figsize=(9, 2.9))
    for axis, partition in zip(axes, ("mdav", "pca", "individual"), strict=True):
        masked = tc.protect.Microaggregation(k=5, partition=partition).fit_transform(
            table
        )
        for (x, y), (u, v) in zip(table.to_numpy(), masked.to_numpy(), strict=True):
            axis.plot([x, u], [y, v], color=GREY, lw=0.5)
        axis.scatter(table["income"], table["tax"], s=4, color=GREY, linewidths=0)
        axis.scatter(masked["income"], masked["tax"], s=9, color=ORANGE, linewidths=0)
        axis.set_title(f"{partition}, k = 5")
        axis.set_xlabel("income (thousands)")
    axes[0].set_ylabel("tax (thousands)")
    save("microaggregation")


def categories() -> None:
    table = people(4000)[["region"]]
    _, axes = plt.subplots(1, 2, figsize=(7, 2.7))
    method = tc.protect.PRAM(diagonal=0.7, random_state=1)
    masked = {"invariant": method.fit_transform(table)}
    masked["uniform"] = tc.protect.PRAM(
        diagonal=0.7, matrix="uniform", random_state=1
    ).fit_transform(table)
    image = axes[0].imshow(method.matrices_["region"], cmap="Blues", vmin=0, vmax=1)
    labels = method.categories_["region"]
    axes[0].set_xticks(range(5), labels)
    axes[0].set_yticks(range(5), labels)
    axes[0].set_title("invariant matrix, diagonal 0.7")
    plt.colorbar(image, ax=axes[0])
    places = np.arange(5)
    bars = {"original": table, **masked}
    for i, ((name, frame), colour) in enumerate(
        zip(bars.items(), (GREY, BLUE, ORANGE), strict=True)
    ):
        share = frame["region"].value_counts(normalize=True).reindex(labels)
        axes[1].bar(places + 0.27 * (i - 1), share, 0.25, label=name, color=colour)
    axes[1].set_xticks(places, labels)
    axes[1].set_title("share of each region")
    axes[1].legend(frameon=False)
    save("pram")


def rounding() -> None:
    table = people()[["income", "tax"]]
    panels(
        table,
        {
            "random rounding, base 5": tc.protect.Rounding(
                base=5, columns=["income"], random_state=1
            ),
            "resampling, 3 samples": tc.protect.Resampling(
                columns=["income"], random_state=1
            ),
            "top and bottom coding, 5 %": tc.protect.TopBottomCoding(
                columns=["income"], tails=(0.05, 0.05)
            ),
        },
    )
    save("rounding")


def synthetic() -> None:
    table = people()
    _, axes = plt.subplots(1, 3, figsize=(9, 2.9))
    for axis, variant in zip(axes, "ABC", strict=True):
        masked = tc.protect.IPSO(
            variant=variant, quasi=["income"], confidential=["tax"], random_state=1
        ).fit_transform(table)
        axis.scatter(
            table["tax"],
            table["income"],
            s=6,
            color=GREY,
            linewidths=0,
            label="original",
        )
        axis.scatter(
            masked["tax"],
            masked["income"],
            s=6,
            color=BLUE,
            linewidths=0,
            label="masked",
        )
        before, after = (
            np.corrcoef(t["tax"], t["income"])[0, 1] for t in (table, masked)
        )
        axis.set_title(f"IPSO-{variant}: r = {before:.4f}, now {after:.4f}", fontsize=8)
        axis.set_xlabel("tax, confidential, released as is")
    axes[0].set_ylabel("income, replaced")
    axes[0].legend(frameon=False)
    save("ipso")


def recoding() -> None:
    table = people()[["age", "income"]]
    panels(
        table,
        {
            "recoding, 8 classes": tc.protect.Recoding(bins=8, columns=["income"]),
            "recoding, cut at 20, 30, 40": tc.protect.Recoding(
                intervals={"income": [0, 20, 30, 40, 100]}, columns=["income"]
            ),
        },
    )
    save("recoding")


def sampling() -> None:
    table = people(400)
    data = tc.Microdata.of(
        table.assign(age=table["age"] // 10 * 10),
        quasi=["age", "region"],
        confidential=["income"],
    )
    _, axes = plt.subplots(1, 2, figsize=(7, 2.7))
    rows = tc.protect.Sampling(fraction=0.25, random_state=1).fit(data).rows_
    edges = np.linspace(0, 110, 23)
    axes[0].hist(table["income"], edges, color=GREY, label="original")
    axes[0].hist(
        table["income"].iloc[rows], edges, color=BLUE, label="sampling, a quarter"
    )
    axes[0].set_xlabel("income (thousands)")
    axes[0].set_ylabel("records")
    axes[0].legend(frameon=False)
    method = tc.protect.MASSC(random_state=1)
    masked = method.fit_transform(data).to_native()
    before = data.to_native()
    regions = sorted(before["region"].unique())
    places = np.arange(len(regions))
    total = before.groupby("region")["income"].sum()
    raw = masked.groupby("region")["income"].sum()
    repaired = (masked["income"] * method.weights_).groupby(masked["region"]).sum()
    for i, (name, values, colour) in enumerate(
        [
            ("original", total, GREY),
            ("MASSC, unweighted", raw, ORANGE),
            ("MASSC, weighted", repaired, BLUE),
        ]
    ):
        axes[1].bar(
            places + 0.27 * (i - 1),
            values.reindex(regions),
            0.25,
            color=colour,
            label=name,
        )
    axes[1].set_xticks(places, regions)
    axes[1].set_title("total income by region (protected)")
    axes[1].legend(frameon=False, fontsize=7)
    save("sampling")


def suppression() -> None:
    rng = np.random.default_rng(0)
    kind = rng.choice(30, 3000, p=np.arange(30, 0, -1) / 465)
    table = pd.DataFrame(
        {
            f"k{j}": np.where(
                rng.random(3000) < 0.04,
                rng.integers(0, 2 + j, 3000),
                rng.integers(0, 2 + j, 30)[kind],
            )
            for j in range(6)
        }
    ).astype(str)
    ks = [2, 3, 4, 5, 7, 10]
    plt.figure(figsize=(5, 2.9))
    for reading, colour in (("any", BLUE), ("value", ORANGE)):
        cells = [
            tc.protect.LocalSuppression(k=k, missing=reading).fit(table).suppressions_
            for k in ks
        ]
        plt.plot(ks, cells, "o-", color=colour, label=f'missing="{reading}"', ms=4)
    plt.xlabel("k")
    plt.ylabel("suppressed cells of 18,000")
    plt.title("six keys of 3,000 records")
    plt.legend(frameon=False)
    save("suppression")


def own_mean_error(values: np.ndarray, labels: np.ndarray, column: int) -> float:
    """How far values are from the mean of their group, without noise."""
    groups = labels[:, column] if labels.ndim == 2 else labels
    means = np.bincount(groups, values) / np.bincount(groups)
    return float(np.abs(means[groups] - values).mean())


def privacy() -> None:
    n, epsilon = 10_000, 1.0
    rng = np.random.default_rng(1)
    table = np.clip(rng.normal(50, 15, (n, 2)), 0, 100)
    bounds = {"x0": (0.0, 100.0), "x1": (0.0, 100.0)}
    ks = [2, 5, 10, 25, 50, 100, 250, 500, 1000]
    _, (left, right) = plt.subplots(1, 2, figsize=(9, 3.1), width_ratios=(3, 2))
    few = table[:200]
    noisy = tc.protect.Laplace(
        20.0, bounds, random_state=0, test_seed=True
    ).fit_transform(few)
    means = tc.protect.DPMicroaggregation(
        10, 20.0, bounds, random_state=0, test_seed=True
    ).fit_transform(few)
    right.scatter(
        np.sort(few[:, 0]),
        np.sort(noisy[:, 0]),
        s=4,
        color=GREY,
        linewidths=0,
        label="Laplace",
    )
    right.scatter(
        np.sort(few[:, 0]),
        np.sort(means[:, 0]),
        s=4,
        color=BLUE,
        linewidths=0,
        label="individual, k = 10",
    )
    right.set_title("200 values, sorted; epsilon = 20")
    right.set_xlabel("original")
    right.set_ylabel("masked")
    right.legend(frameon=False, fontsize=7)
    plt.sca(left)
    plain = np.abs(
        tc.protect.Laplace(
            epsilon, bounds, random_state=0, test_seed=True
        ).fit_transform(table)
        - table
    ).mean()
    plt.axhline(plain, color=GREY, label="Laplace noise on every value")
    for form, colour in (("individual", BLUE), ("multivariate", ORANGE)):
        noise_scale = [
            tc.protect.DPMicroaggregation(
                k, epsilon, bounds, form=form, random_state=0, test_seed=True
            )
            .fit(table)
            .accountant_.spends[0]
            .scale
            for k in ks
        ]
        plt.plot(
            ks, noise_scale, "o-", color=colour, ms=4, label=f"noise on a mean, {form}"
        )
    for form, colour in (("individual", BLUE), ("multivariate", ORANGE)):
        made = [
            tc.protect.DPMicroaggregation(k, epsilon, bounds, form=form).fit(table)
            for k in ks
        ]
        # rows are released in random order: the groups tell how far a mean is from its records
        spread = [
            np.mean([own_mean_error(table[:, j], m.labels_, j) for j in range(2)])
            for m in made
        ]
        plt.plot(
            ks,
            np.maximum(spread, 1e-2),
            "--",
            color=colour,
            lw=1,
            label=f"error of the mean itself, {form}",
        )
    plt.axvline(np.sqrt(n), color=GREY, ls=":", lw=1)
    plt.text(np.sqrt(n) * 1.06, 0.02, "k = sqrt(n)", color="grey")
    plt.xscale("log")
    plt.yscale("log")
    plt.xlabel("k")
    plt.ylabel("absolute error (domain: 100)")
    plt.title("n = 10,000, two columns, epsilon = 1")
    plt.legend(frameon=False, fontsize=7)
    save("dp")


def main() -> None:
    warnings.simplefilter("ignore", tc.errors.TacitWarning)
    OUT.mkdir(exist_ok=True)
    for draw in (
        noise,
        swapping,
        microaggregation,
        categories,
        rounding,
        synthetic,
        recoding,
        sampling,
        suppression,
        privacy,
    ):
        draw()


if __name__ == "__main__":
    main()
