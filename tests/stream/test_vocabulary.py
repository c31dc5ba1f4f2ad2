"""The same words on a file and on a stream; old words give an error that says the new one."""

from __future__ import annotations

import inspect

import numpy as np
import pytest
from typer.testing import CliRunner

import tacit as tc
from tacit.base.errors import ParameterError
from tacit.cli import app

# what only a stream needs, or only a stream has in this form
OF_STREAMS = {
    "window",
    "warmup",
    "forget",
    "reuse",
    "ranges",
    "nominal",
    "ordinal",
    "categories",
    "appearances",
    "clamp",
    "sampler",
}


def parameters(method: type) -> set[str]:
    return set(inspect.signature(method).parameters)


@pytest.mark.parametrize(
    "name", sorted(set(tc.stream.registry) & set(tc.protect.registry))
)
def test_a_filter_has_the_name_and_the_parameters_of_the_method_on_a_file(
    name: str,
) -> None:
    of_filter, of_file = tc.stream.registry[name], tc.protect.registry[name]
    assert of_filter.__name__ == of_file.__name__
    assert parameters(of_filter) - OF_STREAMS <= parameters(of_file)


def test_most_filters_are_methods_on_files_too() -> None:
    only_on_streams = set(tc.stream.registry) - set(tc.protect.registry)
    assert only_on_streams == {"clusters", "multiplicative_noise"}


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("private", "dp_microaggregation"),
        ("coding", "top_bottom_coding"),
        ("multiplicative", "multiplicative_noise"),
    ],
)
def test_an_old_name_says_the_new_one(old: str, new: str) -> None:
    sentence = f'stream filter "{old}" is now called "{new}"'
    with pytest.raises(ParameterError, match=sentence):
        tc.stream.registry[old]
    done = CliRunner().invoke(app, ["stream", "--filter", old], input="a\n1\n")
    assert done.exit_code != 0
    with pytest.raises(AttributeError, match="now called DPMicroaggregation"):
        tc.stream.PrivateMicroaggregation  # noqa: B018


@pytest.mark.parametrize(
    ("build", "new"),
    [
        (lambda: tc.stream.Noise(amount=0.1), "percent"),
        (lambda: tc.stream.Noise(flip=0.1), "replace"),
        (lambda: tc.stream.MultiplicativeNoise(amount=0.1), "percent"),
        (lambda: tc.stream.RankSwapping(percent=10), "p"),
        (lambda: tc.stream.PRAM(keep=0.8), "diagonal"),
        (lambda: tc.stream.Rounding(random=True), "kind"),
        (lambda: tc.stream.TopBottomCoding(bottom=0), "low"),
        (lambda: tc.stream.TopBottomCoding(top=0), "high"),
        (lambda: tc.stream.DelayBoundClusters(l=2, sensitive="x"), "confidential"),
        (lambda: tc.stream.Noise().set_params(amount=0.1), "percent"),
    ],
)
def test_an_old_parameter_says_the_new_one(build, new: str) -> None:
    with pytest.raises(ParameterError, match=f"is now called {new}"):
        build()


def test_the_command_line_says_the_new_parameter() -> None:
    told = ["stream", "--filter", "noise", "--set", "amount=0.3"]
    done = CliRunner().invoke(app, told, input="a\n1\n")
    assert isinstance(done.exception, ParameterError | SystemExit)
    assert "percent" in done.output + str(done.exception)


def test_thresholds_by_column() -> None:
    coding = tc.stream.TopBottomCoding(low={0: 0.0}, high={0: 1.0, 1: 2.0})
    masked = coding.apply(np.array([[-5.0, -5.0], [5.0, 5.0]]))
    assert masked.tolist() == [[0.0, -5.0], [1.0, 2.0]]
    with pytest.raises(ParameterError, match="column '1' has neither low nor high"):
        tc.stream.TopBottomCoding(low={0: 0.0}).apply(np.zeros((2, 2)))
    with pytest.raises(ParameterError, match="must be below"):
        tc.stream.TopBottomCoding(low={0: 2.0}, high=1.0)
