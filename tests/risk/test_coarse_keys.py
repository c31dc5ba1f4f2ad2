"""Who stands out at each level of a hierarchy: against counting by hand."""

from __future__ import annotations

from collections import Counter

from hypothesis import given
from hypothesis import strategies as st

from tacit.data.hierarchies.known_rules import rule_of
from tacit.data.hierarchies.tree import coded
from tacit.data.microdata import Microdata
from tacit.risk.coarse_keys import CoarseKeys, class_sizes, usual_keys

PREFIX = {"prefix": [2, 1]}
ROWS = st.lists(
    st.tuples(
        st.sampled_from(["a11", "a12", "a21", "b11", None]),
        st.sampled_from("mf"),
        st.integers(1, 6),
    ),
    min_size=1,
    max_size=30,
)


@given(ROWS, st.booleans())
def test_counts_by_hand(rows: list[tuple[str | None, str, int]], people: bool) -> None:
    """Persons with any row whose key fewer than k persons share, at every level."""
    table = {
        "code": [row[0] for row in rows],
        "sex": [row[1] for row in rows],
        "who": [row[2] if people else place for place, row in enumerate(rows)],
    }
    if all(value is None for value in table["code"]):
        return
    data = Microdata.of(table, quasi=["code", "sex"], person=["who"], code=["code"])
    tree = coded(rule_of(PREFIX), data, "code")
    found = CoarseKeys.of(data, ["code", "sex"]).by_level("code", tree)
    for level, kept in enumerate((3, 2, 1, 0)):
        keys = [(None if row[0] is None else row[0][:kept], row[1]) for row in rows]
        pairs = set(zip(keys, table["who"], strict=True))
        sizes = Counter(key for key, _ in pairs)
        for k in (2, 3, 5, 10):
            below = {who for key, who in pairs if sizes[key] < k}
            assert found[level].below[k] == len(below)


def test_a_level_of_another_key_counts() -> None:
    data = Microdata.of(
        {"icd": ["J45", "J46", "K20", "K20"], "sex": ["m", "f", "m", "m"]},
        quasi=["icd", "sex"],
        code=["icd"],
    )
    keys = CoarseKeys.of(data, ["icd", "sex"])
    assert keys.below()[2] == 2
    sexless = keys.at("sex", coded(rule_of({"mask": [1]}), data, "sex"), 1)
    icd = coded(rule_of({"prefix": [1]}), data, "icd")
    assert [one.below[2] for one in sexless.by_level("icd", icd)] == [2, 0, 0]
    assert class_sizes(icd, 1).tolist() == [2, 2]


def test_numbers_are_no_usual_keys() -> None:
    data = Microdata.of(
        {"sex": ["m", "f"], "income": [1.5, 2.5]}, quasi=["sex", "income"]
    )
    assert usual_keys(data) == ["sex"]
    ages = Microdata.of(
        {"age": [float(i % 5) for i in range(20)], "pay": [i + 0.5 for i in range(20)]},
        quasi=["age", "pay"],
        continuous=["age", "pay"],
    )
    assert usual_keys(ages) == ["age"]
