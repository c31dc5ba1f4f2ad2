"""The rule, on numbers small enough to see what it must say."""

import math

import pytest

from tacit.reproduce.judgement import judge, ours_interval, published_interval
from tacit.reproduce.transcript import Published, published


def test_prediction_interval_by_hand():
    # mean 2, sd 1, t(2) = 4.3027, sqrt(1 + 1/3) = 1.1547
    low, high = ours_interval([1.0, 2.0, 3.0])
    assert low == pytest.approx(2 - 4.30265 * 1.154701, abs=1e-4)
    assert high == pytest.approx(2 + 4.30265 * 1.154701, abs=1e-4)
    assert ours_interval([2.0]) == (2.0, 2.0)


@pytest.mark.parametrize(
    ("text", "rounding"),
    [
        ("680", 0.5),
        ("0.232", 0.0005),
        ("74917.30", 0.005),
        ("3.298E+11", 5e7),
        ("1e3", 500),
    ],
)
def test_rounding_is_read_from_the_printed_digits(text, rounding):
    assert Published(text).rounding == pytest.approx(rounding)


def test_a_published_spread_widens_the_published_interval():
    low, high = published_interval(Published("99.65", spread=0.253))
    assert high - low == pytest.approx(
        2 * (0.005 + 2.26216 * 0.253 / math.sqrt(10)), rel=1e-4
    )


@pytest.mark.parametrize(
    ("values", "options", "verdict"),
    [
        ([670.0, 690.0, 680.0], {}, "agrees"),
        ([800.0, 801.0, 802.0], {"better": "higher"}, "better"),
        ([800.0, 801.0, 802.0], {"better": "lower"}, "differs"),
        ([800.0, 801.0, 802.0], {}, "differs"),
        ([500.0, 501.0, 502.0], {"better": "lower"}, "better"),
        ([500.0, 501.0, 502.0], {"fault": [679.0, 680.0, 681.0]}, "artefact"),
        ([500.0, 501.0, 502.0], {"fault": [600.0, 600.0, 600.0]}, "differs"),
        ([500.0, 501.0, 502.0], {"refuted": "cannot be"}, "artefact"),
        ([680.0, 680.0], {"refuted": "cannot be"}, "agrees"),
        ([680.0], {"stand_in": "another file"}, "stand-in"),
        ([0.1], {"better": "hardware"}, "hardware"),
        ([], {}, "not available"),
    ],
)
def test_the_rule(values, options, verdict):
    assert judge(Published("680"), values, **options).verdict == verdict


def test_the_artefact_comes_before_better():
    """A value that the fault explains is not sold as an improvement."""
    judged = judge(
        Published("680"), [800.0, 801.0], better="higher", fault=[680.0, 680.0]
    )
    assert judged.verdict == "artefact"


def test_nan_never_agrees():
    assert judge(Published("680"), [math.nan, math.nan]).verdict == "differs"


def test_the_transcript_covers_every_table_of_the_papers():
    tables = set(published())
    for name in (
        *(
            f"assignment-{t}"
            for t in [
                "3.1",
                "3.2",
                "3.3",
                "3.4",
                "3.5",
                "4.2",
                "4.3",
                "4.4",
                "5.1",
                "5.2",
                "5.3",
                "5.4",
                "5.5",
            ]
        ),
        *(f"weights-{t}" for t in range(2, 10)),
        *(f"orthtree-3.{t}" for t in (1, 2, 3)),
        "mahalanobis-ipso",
        "mahalanobis-simulation",
        *(f"stream-7.{t}" for t in range(3, 10)),
        *(f"stream-A.{t}" for t in range(1, 17)),
    ):
        assert name in tables, name


def test_a_few_printed_numbers():
    table = published()
    assert table["assignment-4.2"]["data=C sigma=25"]["nearest"].text == "680"
    assert (
        table["stream-A.3"]["generator=rbf filter=microaggregation b=1000 k=3"][
            "risk"
        ].text
        == "0.078"
    )
    assert table["weights-7"]["file=Mic553-2.8.5"]["learned"].text == "90"
    assert table["orthtree-3.2"]["d=10"]["sse_tree"].value == 916119
    assert table["mahalanobis-ipso"]["variant=C"]["naive"].value == 773
    assert len(table["stream-A.16"]) == 32
