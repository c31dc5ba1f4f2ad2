"""The interface of Python: odd frames and parameters, each answered by a result or one sentence."""

from __future__ import annotations

import time
import warnings
from collections.abc import Callable
from inspect import signature
from typing import Any

import numpy as np

import tacit as tc
from tacit.attack import registry as attackers
from tacit.base.errors import TacitError, TacitWarning
from tacit.loss import registry as losses
from tacit.protect import registry as protectors
from tacit.risk import registry as risks
from tacit.stream import registry as filters
from tools.fuzz import frames
from tools.fuzz.tables import Rng

#: letters of a sentence that somebody can read
LONGEST = 1500
#: what scikit-learn's rules ask for, each in words of its own
OF_THE_PROTOCOL = ("NotFittedError",)
#: warnings of a library that say what Python will do one day, not what is wrong with a result
LATER = (DeprecationWarning, PendingDeprecationWarning, FutureWarning)


def _names(frame: Any) -> list[Any]:
    columns = getattr(frame, "columns", None)
    if columns is None and isinstance(frame, dict):
        columns = list(frame)
    try:
        found = [] if columns is None or callable(columns) else list(columns)
    except TypeError:
        found = []
    # a table of Arrow has its columns themselves there
    plain = getattr(frame, "column_names", None)
    return list(plain) if isinstance(plain, list) else found


def _any(rng: Rng, values: list[Any]) -> Any:
    return values[rng.integers(len(values))]


def _value(rng: Rng, names: list[Any]) -> Any:
    if names and rng.random() < 0.3:
        return [_any(rng, names)]
    return _any(rng, frames.VALUES)


def _arguments(rng: Rng, made: Any, names: list[Any]) -> dict[str, Any]:
    """Some of its parameters with odd values, on top of those with which it runs."""
    given = dict(getattr(made, "example", None) or {}) if rng.random() < 0.5 else {}
    known = [
        name for name in signature(made).parameters if name not in ("self", "n_jobs")
    ]
    while known and rng.random() < 0.4:
        given[str(_any(rng, known))] = _value(rng, names)
    return given


def protect(rng: Rng) -> Callable[[], Any]:
    """A method on a frame."""
    frame = frames.frame(rng)
    name = str(rng.choice(list(protectors)))
    given = _arguments(rng, protectors[name], _names(frame))
    if rng.random() < 0.5 and "columns" in signature(protectors[name]).parameters:
        given.setdefault("columns", _names(frame)[:2] or None)
    way = rng.integers(3)

    def call() -> Any:
        made = protectors[name](**given)
        repr(made)
        if way == 0:
            return made.fit(frame).transform(frame)
        return made.fit_transform(frame)

    return call


def read(rng: Rng) -> Callable[[], Any]:
    """Roles and kinds on a frame, and what is asked of it."""
    frame = frames.frame(rng)
    kinds = [
        "quasi",
        "confidential",
        "identifier",
        "person",
        "household",
        "weight",
        "continuous",
    ]
    kinds += [
        "nominal",
        "ordinal",
        "code",
        "date",
        "boolean",
        "text",
        "count",
        "missing",
        "nobody",
    ]
    given = {}
    while rng.random() < 0.6:
        given[str(rng.choice(kinds))] = _value(rng, _names(frame))

    def call() -> Any:
        data = tc.Microdata.of(frame, **given)
        repr(data)
        return data.to_native(), data.numbers(data.schema.names())

    return call


def _masked(rng: Rng, frame: Any) -> Any:
    """Some release of the frame: itself, another frame, or what a method makes of it."""
    way = rng.random()
    if way < 0.3:
        return frame
    if way < 0.5:
        return frames.frame(rng)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        try:
            return tc.protect.Rounding(base=5).fit_transform(frame)
        except Exception:  # other cases look at that
            return frame


def measure(rng: Rng) -> Callable[[], Any]:
    """A measure of risk or loss on two frames."""
    frame = frames.frame(rng)
    masked = _masked(rng, frame)
    registry = risks if rng.random() < 0.5 else losses
    name = str(rng.choice(list(registry)))
    known = list(signature(registry[name]).parameters)[2:]
    given = {}
    while known and rng.random() < 0.3:
        given[str(_any(rng, known))] = _value(rng, _names(frame))
    return lambda: registry[name](frame, masked, **given)


def alone(rng: Rng) -> Callable[[], Any]:
    """A measure of one file."""
    frame = frames.frame(rng)
    name = str(
        rng.choice(["frequencies", "individual", "suda", "diversity", "closeness"])
    )
    keys = _names(frame)[:2] if rng.random() < 0.7 else _value(rng, _names(frame))
    given = {}
    known = list(signature(getattr(tc.risk, name)).parameters)[1:]
    while known and rng.random() < 0.3:
        given[str(_any(rng, known))] = _value(rng, _names(frame))
    if "keys" in known:
        given["keys"] = keys
    for required in {"column", "confidential"} & set(known):
        given.setdefault(required, (_names(frame) or ["age"])[-1])
    return lambda: getattr(tc.risk, name)(frame, **given)


def attack(rng: Rng) -> Callable[[], Any]:
    """An attacker on two frames."""
    frame = frames.frame(rng)
    masked = _masked(rng, frame)
    name = str(rng.choice(list(attackers)))
    given = _arguments(rng, attackers[name], _names(frame))
    return lambda: attackers[name](**given).link(frame, masked)


def assess(rng: Rng) -> Callable[[], Any]:
    """One release, one answer, by few attacks."""
    frame = frames.frame(rng)
    masked = _masked(rng, frame)
    given: dict[str, Any] = {
        "attackers": ["nearest"],
        "risks": ["k_anonymity"],
        "losses": ["KS"],
    }
    while rng.random() < 0.4:
        names = [
            "attackers",
            "risks",
            "losses",
            "truth",
            "key",
            "thresholds",
            "options",
        ]
        names += ["in_order", "release_as_is", "plan"]
        given[str(_any(rng, names))] = _value(rng, _names(frame))
    return lambda: tc.assess(frame, masked, **given).to_dict()


def stream(rng: Rng) -> Callable[[], Any]:
    """A filter over an array, or over records one by one."""
    frame = frames.frame(rng)
    name = str(rng.choice(list(filters)))
    given = _arguments(rng, filters[name], _names(frame))
    if name == "dp_microaggregation" and rng.random() < 0.7:
        given.setdefault("bounds", dict.fromkeys(_names(frame)[:2], (0, 9)) or [(0, 1)])
    one_by_one = rng.random() < 0.4
    odd = [_any(rng, frames.VALUES) for _ in range(3)]

    def call() -> Any:
        made = filters[name](**given)
        if not one_by_one:
            return made.apply(frame)
        for place in range(8):
            made.push({"age": place, "x": place / 2} if place % 3 else odd[place // 3])
        return made.flush()

    return call


def plan(rng: Rng) -> Callable[[], Any]:
    """A plan of odd entries."""
    frame = frames.frame(rng)
    keys = [
        "method",
        "columns",
        "seed",
        "k",
        "percent",
        "steps",
        "plans",
        "role",
        "quasi",
        5,
    ]
    step: dict[Any, Any] = {"method": str(rng.choice(list(protectors)))}
    while rng.random() < 0.6:
        step[_any(rng, keys)] = _any(rng, frames.VALUES)
    whole: Any = (
        {"steps": [step]} if rng.random() < 0.7 else _any(rng, [step, [step], 5, None])
    )
    return lambda: tc.Plan.from_dict(whole).apply(frame)


MAKERS: dict[Callable[[Rng], Callable[[], Any]], float] = {
    protect: 0.36, read: 0.16, measure: 0.14, alone: 0.06, attack: 0.08, assess: 0.06,
    stream: 0.08, plan: 0.06,
}  # fmt: skip


def one(seed: int, number: int) -> dict[str, Any]:
    """A call, judged: a result, or one sentence, and no warning but our own."""
    rng = np.random.default_rng([seed, 2, number])
    makers = list(MAKERS)
    make = makers[rng.choice(len(makers), p=list(MAKERS.values()))]
    code, said = 0, ""
    wrong: list[str] = []
    began = time.process_time()
    with warnings.catch_warnings(record=True) as told:
        warnings.simplefilter("always")
        try:
            call = make(rng)
        except Exception as error:  # of the generator
            return _result(
                number, make.__name__, 99, [f"not generated: {error!r:.200}"], 0
            )
        told.clear()
        try:
            call()
        except TacitError as error:
            code, said = 2, str(error)
            if not said or "\n" in said or len(said) > LONGEST:
                wrong.append(f"a sentence of {len(said)} letters")
        except Exception as error:  # whatever else it is, it is a defect
            code, said = 3, f"{type(error).__name__}: {error}"
            if type(error).__name__ not in OF_THE_PROTOCOL:
                place = _place(error)
                wrong.append(f"{type(error).__name__} at {place}: {str(error)[:150]!r}")
    noise = [w for w in told if not issubclass(w.category, (TacitWarning, *LATER))]
    wrong += [f"raw {w.category.__name__}: {str(w.message)[:100]}" for w in noise[:1]]
    result = _result(number, make.__name__, code, wrong, time.process_time() - began)
    return result | {"err": said[:300]}


def _place(error: BaseException) -> str:
    """The last line of our own that it came from."""
    found, traced = "?", error.__traceback__
    while traced is not None:
        path = traced.tb_frame.f_code.co_filename
        if "/tacit/" in path:
            found = f"{path.split('/tacit/')[-1]}:{traced.tb_lineno}"
        traced = traced.tb_next
    return found


def _result(
    number: int, command: str, code: int, wrong: list[str], seconds: float
) -> dict[str, Any]:
    return {
        "number": number, "command": command, "form": "Python", "code": code, "wrong": wrong,
        "noise": [], "err": "", "words": [], "seconds": round(seconds, 2),
    }  # fmt: skip
