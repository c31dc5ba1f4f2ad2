"""Pictures of docs/explanation/informed.md: python docs/plots/informed.py.

Uses the reference file in TACIT_DATA when that is set, and the generated file otherwise.
"""

from __future__ import annotations

from pathlib import Path

import matplotlib

matplotlib.use("svg")
import matplotlib.pyplot as plt
import numpy as np

import tacit as tc
from tacit.attack.base import distinct
from tacit.attack.informed import AwareNoise
from tacit.attack.knowledge import by_attributes
from tacit.attack.probabilistic.beliefs import reliability
from tacit.attack.probabilistic.link_probabilities import LinkProbabilities, calibration
from tacit.reproduce.experiments.weights import census

IMG = Path(__file__).parents[1] / "img"


def reliability_plot() -> None:
    """Stated probability against the share that was right: as a bijection, and record by record."""
    data, note = census()
    masked = tc.protect.Noise(percent=25, random_state=3).fit_transform(data)
    truth = np.arange(data.n)
    classes = distinct(masked.numbers(masked.names)).inverse
    attacker = LinkProbabilities(plan=tc.protect.Noise(percent=25))
    found = calibration(attacker.risk(data, masked), truth, classes)
    evidence = attacker.evidence(data, masked, data.names)
    cost = evidence.block(evidence.u, evidence.v)
    alone = np.exp(cost.min(1, keepdims=True) - cost)
    alone /= alone.sum(1, keepdims=True)
    single = reliability(alone.max(1), alone.argmax(1) == truth)
    figure, axis = plt.subplots(figsize=(5, 4.2))
    axis.plot([0, 1], [0, 1], color="0.7", linewidth=1)
    axis.plot(
        found.stated,
        found.true,
        "o-",
        label=f"as a bijection (error {found.error:.3f})",
    )
    axis.plot(
        single.stated,
        single.true,
        "s--",
        label=f"record by record (error {single.error:.3f})",
    )
    axis.set(
        xlabel="stated probability of the named record", ylabel="share that was right"
    )
    axis.set_title("Census, 25 % noise" if not note else "Census-like file, 25 % noise")
    axis.legend(frameon=False)
    figure.tight_layout()
    figure.savefig(IMG / "informed-reliability.svg", metadata={"Date": None})
    print("reliability", found.error, single.error)


def knowledge_plot() -> None:
    """Risk by number of known attributes, told how the file was masked and not."""
    data, _ = census()
    some = data.take(np.arange(0, data.n, 3))
    masked = tc.protect.Noise(
        percent=40, kind="correlated", random_state=1
    ).fit_transform(some)
    figure, axis = plt.subplots(figsize=(5, 4.2))
    for label, attacker in (
        ("standardised distance", tc.attack.Nearest()),
        (
            "knows the covariance of the noise",
            AwareNoise("correlated", percent=40, rule="likeliest"),
        ),
    ):
        points = by_attributes(some, masked, attacker, most=6)
        axis.plot(
            [p.known for p in points], [100 * p.rate for p in points], "o-", label=label
        )
        axis.fill_between(
            [p.known for p in points],
            [100 * p.low for p in points],
            [100 * p.high for p in points],
            alpha=0.15,
        )
        print(label, [round(100 * p.rate, 1) for p in points])
    axis.set(
        xlabel="attributes known",
        ylabel="correct links, percent",
        title=f"{some.n} records, correlated noise of 40 %",
    )
    axis.legend(frameon=False)
    figure.tight_layout()
    figure.savefig(IMG / "informed-knowledge.svg", metadata={"Date": None})


if __name__ == "__main__":
    reliability_plot()
    knowledge_plot()
