"""A gap stays a gap, and a missing code that very code: the law of every registered method.

A method that is excused says why here, and its docstring says what becomes of gaps.
"""

from __future__ import annotations

from dataclasses import replace
from functools import cache

import numpy as np
import pandas as pd
import pytest

import tacit as tc
from contract import examples
from tacit.base.errors import InputError
from tacit.data.missing import Missing

NAMES = list(tc.protect.registry)
pytestmark = pytest.mark.filterwarnings("ignore::tacit.base.errors.TacitWarning")

MORE = {
    "local_suppression": "it protects by blanking cells: no gap goes, and others come",
}
CLASSES = {
    "generalisation": "a gap is a value of its own, which the class '*' holds; records that "
    "stay alone are blanked"
}
MOVED = {
    "record_swapping": "an area moves to another household, and a gap with it",
    "massc": "values of small groups are substituted and records are left out",
}
FEWER = {"sampling": "it leaves records out; those that stay keep their gaps"}
MADE = {
    "dp_generalisation": "which gaps there are is data: records are drawn, and classes are noisy"
}
REFUSED = {
    "dp_microaggregation": "which values are missing is data, and no noise is on it",
    "laplace": "which values are missing is data, and no noise is on it",
}
EXCUSED = {**MORE, **CLASSES, **MOVED, **FEWER, **MADE, **REFUSED}
CODES = {
    "income": Missing((-8, -9)),
    "age": Missing((999,)),
    "region": Missing(("refused", ".")),
}


def frame() -> pd.DataFrame:
    """The frame of the suite with codes and gaps in columns of every kind."""
    table = examples.frame(120).reset_index(drop=True)
    table["region"] = table["region"].astype(object)
    for name, first, code in (
        ("income", 0, -8),
        ("income", 10, -9),
        ("income", 20, None),
        ("age", 5, 999),
        ("region", 0, "refused"),
        ("region", 15, "."),
        ("region", 30, None),
        ("school", 40, None),
        ("born", 50, None),
        ("debt", 60, None),
    ):
        table.loc[first : first + 7, name] = code
    return table


@cache
def data() -> tc.Microdata:
    """The same with its codes declared."""
    plain = tc.Microdata.of(examples.frame(120).reset_index(drop=True))
    schema = plain.schema
    for name, codes in CODES.items():
        schema = schema.put(replace(schema[name], missing=codes))
    return tc.Microdata.of(frame(), schema)


def reasons(given: tc.Microdata) -> dict[str, list[str | None]]:
    """Of each column and record: why there is no value (None: there is one)."""
    return {name: given.reasons(name) for name in given.names}


@pytest.mark.parametrize("name", [name for name in NAMES if name not in EXCUSED])
def test_gaps_of_the_release_are_those_of_the_original(name: str) -> None:
    masked = examples.seeded(name, 7).fit_transform(data())
    assert reasons(masked) == reasons(data())
    # what is written, too: no value became a code
    again = tc.Microdata.of(masked.to_native(), data().schema.select(masked.names))
    for column in CODES:
        assert again.reasons(column) == data().reasons(column)


@pytest.mark.parametrize("name", MORE)
def test_methods_that_blank_cells_fill_none(name: str) -> None:
    masked = reasons(examples.seeded(name, 7).fit_transform(data()))
    for column, before in reasons(data()).items():
        kept = [b for a, b in zip(before, masked[column], strict=True) if a is not None]
        assert kept == [a for a in before if a is not None]


@pytest.mark.parametrize("name", FEWER)
def test_records_that_stay_keep_their_gaps(name: str) -> None:
    # gives the row of each record away
    known = tc.Microdata.of(frame().assign(row=np.arange(120.0) / 7), data().schema)
    known = tc.Microdata.of(known, other=["row"])
    masked = examples.seeded(name, 7).fit_transform(known)
    rows = np.rint(masked.column("row") * 7).astype(int)
    before = reasons(data())
    for column in data().names:
        assert masked.reasons(column) == [before[column][row] for row in rows]


@pytest.mark.parametrize("name", REFUSED)
def test_private_methods_refuse_gaps(name: str) -> None:
    with pytest.raises(InputError, match="missing values, and where they are"):
        examples.seeded(name, 7).fit_transform(data())


def test_a_gap_that_moves_brings_no_code_of_another() -> None:
    """Swapped areas: as many gaps as before, none with the code of the row it came to."""
    swap = examples.seeded("record_swapping", 7, rate=1.0)
    masked = swap.fit_transform(data())
    gaps = [reason for reason in masked.reasons("region") if reason is not None]
    assert len(gaps) == sum(reason is not None for reason in data().reasons("region"))
    assert set(gaps) == {""}


def test_every_excuse_is_of_a_method_that_there_is() -> None:
    assert set(EXCUSED) <= set(NAMES)


def test_what_aware_intruders_are_told_of_gaps_is_true() -> None:
    """``keeps_gaps`` is what they believe: a wrong one makes them weaker, or blind."""
    for name in NAMES:
        says = examples.protector(name).keeps_gaps
        assert says == (name not in EXCUSED or name in FEWER), name
