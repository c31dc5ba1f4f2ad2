"""The rule, on numbers small enough to see what it must say."""

import math

import pytest

from tacit.reproduce.judgement import (
    Judged,
    chance,
    interval_of,
    judge,
    probability,
    settle,
    standard_errors,
)
from tacit.reproduce.targets import targets
from tacit.reproduce.transcript import Published, published, runs


def ruled(*arguments, **options):
    """The verdict on one value that is a table of its own."""
    return settle([judge(*arguments, **options)])[0]


def test_interval_of_one_draw_by_hand():
    # mean 2, sd 1, t(2) = 4.3027, sqrt(1 + 1/3) = 1.1547
    low, high = interval_of([1.0, 2.0, 3.0])
    assert low == pytest.approx(2 - 4.30265 * 1.154701, abs=1e-4)
    assert high == pytest.approx(2 + 4.30265 * 1.154701, abs=1e-4)
    assert interval_of([2.0]) == pytest.approx((2.0, 2.0))


def test_interval_of_a_mean_of_ten_by_hand():
    # the same, but sqrt(1/10 + 1/3) = 0.658281
    low, high = interval_of([1.0, 2.0, 3.0], runs=10)
    assert high - 2 == pytest.approx(4.30265 * 0.658281, abs=1e-4)
    assert 2 - low == pytest.approx(4.30265 * 0.658281, abs=1e-4)


def test_probability_by_hand():
    # with two degrees of freedom P(|T| > t) = 1 - t / sqrt(2 + t^2)
    # one draw: (5 - 0.5 - 2) / (1 * 1.154701) = 2.165064
    t = 2.5 / math.sqrt(4 / 3)
    exact = 1 - t / math.sqrt(2 + t * t)
    assert probability(Published("5"), [1.0, 2.0, 3.0]) == pytest.approx(exact)
    # below the mean the rounding helps as well
    assert probability(Published("-1"), [1.0, 2.0, 3.0]) == pytest.approx(exact)
    # the mean of ten runs would have to come nearer: 2.5 / 0.658281
    t = 2.5 / math.sqrt(1 / 10 + 1 / 3)
    exact = 1 - t / math.sqrt(2 + t * t)
    assert probability(Published("5"), [1.0, 2.0, 3.0], 10) == pytest.approx(exact)


def test_probability_is_five_percent_at_the_end_of_the_interval():
    values = [3.0, 4.0, 7.0, 9.0]
    for count in (1, 10):
        high = interval_of(values, count)[1]
        end = Published(f"{high:.12f}")
        assert probability(end, values, count) == pytest.approx(0.05, abs=1e-6)


def test_without_a_spread_a_value_is_met_or_not():
    assert probability(Published("680"), [680.4, 680.4]) == 1.0
    assert probability(Published("680"), [680.6, 680.6]) == 0.0
    assert probability(Published("680"), [math.nan]) == 0.0


def test_how_far_the_means_are_by_hand():
    # ours 2 with sd 1 over 4 values; theirs 3, sd 2 over 16 runs: -1 / sqrt(1/4 + 4/16)
    values = [2 - math.sqrt(0.75), 2 + math.sqrt(0.75)] * 2
    apart = standard_errors(Published("3", spread=2.0), values, 16)
    assert apart == pytest.approx(-1 / math.sqrt(0.5))
    # without a printed spread ours stands for it: -1 / sqrt(1/4 + 1/16)
    apart = standard_errors(Published("3"), values, 16)
    assert apart == pytest.approx(-1 / math.sqrt(5 / 16))
    assert standard_errors(Published("3"), [2.0, 2.0]) is None


def test_the_kind_of_run_decides():
    """A value that one draw may have is too far for the mean of ten."""
    values = [670.0, 690.0, 680.0, 675.0, 685.0]
    assert ruled(Published("695"), values, runs=1).verdict == "agrees"
    assert ruled(Published("695"), values, runs=10).verdict == "differs"


def value(p, verdict="outside", **options):
    return Judged(verdict, "1", 2.0, (0.0, 1.0), p=p, errors=1.0, **options)


def test_what_is_more_than_chance_over_a_table_by_hand():
    # Benjamini and Hochberg over five: the bounds are .01 .02 .03 .04 .05
    table = [
        value(0.009),
        value(0.02),
        value(0.045),
        value(0.3, "agrees"),
        value(0.8, "agrees"),
    ]
    assert [j.verdict for j in settle(table)] == [
        "differs",
        "differs",
        "outside",
        "agrees",
        "agrees",
    ]
    # a larger p that is rejected takes the smaller ones with it
    table = [value(p) for p in (0.015, 0.018, 0.9)]
    assert [j.verdict for j in settle(table)] == ["differs", "differs", "outside"]
    assert settle([value(0.04, improves=True)])[0].verdict == "better"


def test_the_nearer_reading_counts_and_refuted_values_do_not():
    near = value(0.0001, fault_p=0.03)
    others = [value(0.5, "agrees")] * 9
    assert settle([near, *others])[0].verdict == "outside"
    # impossible values say nothing about the next: over 40 the bound of the 31st is .039
    refuted = [value(0.0, "artefact")] * 30
    assert settle([near, *others, *refuted])[0].verdict == "outside"


def test_chance_counts_what_can_be_drawn():
    fixed = Judged("differs", "1", 2.0, (2.0, 2.0), p=0.0)
    explained = value(0.001, "artefact", fault_p=0.4)
    values = [value(0.5, "agrees")] * 17
    values += [value(0.03), value(0.0001, "differs"), explained, fixed]
    found = chance(values)
    assert (found.tested, found.outside, found.beyond) == (20, 2, 1)
    assert found.expected == pytest.approx(1.0)


def test_every_published_table_says_what_kind_of_run_it_is():
    assert set(runs()) == set(published())
    assert set(runs()) <= set(targets())
    assert all(kind.where for kind in runs().values())
    assert runs()["weights-2"].count == 10
    assert str(runs()["assignment-4.2"]) == "one draw (not said)"
    assert str(runs()["stream-A.6"]) == "one draw"
    assert runs()["orthtree-3.3"].count == 0


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
    assert ruled(Published("680"), values, **options).verdict == verdict


def test_the_artefact_comes_before_better():
    """A value that the fault explains is not sold as an improvement."""
    judged = judge(
        Published("680"), [800.0, 801.0], better="higher", fault=[680.0, 680.0]
    )
    assert judged.verdict == "artefact"


def test_nan_never_agrees():
    assert ruled(Published("680"), [math.nan, math.nan]).verdict == "differs"


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
