"""Numbers of persons, weights, places and scales of health, survey, register and census files."""

from __future__ import annotations

from typing import Any

import numpy as np
import pandas as pd
import pyarrow as pa
import pytest

import tacit as tc
from tacit.cli.schema import questions
from tacit.data.column import Column
from tacit.data.inference import infer

N = 600
RNG = np.random.default_rng(33)
VISITS = np.repeat(np.cumsum(RNG.integers(1, 9, N // 3)) + 5000, 3)
"""Numbers of persons with three rows each, in rising order."""


def guess(name: str, values: Any, label: str = "") -> Column:
    column = pa.chunked_array([pa.array(values, from_pandas=True)])
    return infer(name, column, label)


@pytest.mark.parametrize(
    "name",
    # English, German, French, Spanish, Portuguese, Italian, Dutch, Polish, Swedish, Finnish, Czech
    [
        "mrn",
        "patient",
        "subject",
        "customer",
        "record",
        "key",
        "pesel",
        "SUBJID",
        "usubjid",
        "respondent",
        "respond",
        "childid",
        "Patient_ID",
        "person_nr",
        "Versichertennummer",
        "Patientennr",
        "Kunde",
        "num_dossier",
        "no_patient",
        "paciente",
        "historia_clinica",
        "utente",
        "paziente",
        "codice_fiscale",
        "klantnr",
        "BSN",
        "nr_pacjenta",
        "lopnr",
        "henkilotunnus",
        "rodne_cislo",
        "case.id",
        "seqn",
    ],
)
def test_names_of_persons_in_ten_languages(name: str) -> None:
    assert guess(name, VISITS).role == "person"
    assert guess(name, RNG.permutation(VISITS)).role == "person"
    once = RNG.permutation(N) * 7 + 1000
    assert guess(name, once).role == "identifier"
    # a few codes are none
    assert guess(name, RNG.integers(1, 4, N)).role == "quasi"


@pytest.mark.parametrize(
    "name", ["fake_first_name", "forename", "imię", "cognome", "nachname", "förnamn"]
)
def test_names_of_people(name: str) -> None:
    if name == "förnamn":
        name = "fornamn"
    texts = [f"Name{i % 150}" for i in range(N)]
    assert guess(name, texts).role == "identifier"


def test_persons_without_a_name_that_says_so() -> None:
    """Numbers whose rows stand together are persons; incomes and values of a few codes are not."""
    assert guess("v17", VISITS).role == "person"
    assert guess("v17", np.repeat(np.arange(1, 201), 3)).role == "person"
    # as long as each other, in no order
    random = RNG.choice(9 * 10**5, N // 3, replace=False) + 10**5
    assert guess("v17", np.repeat(random, 3)).role == "person"
    income = np.repeat(np.round(RNG.lognormal(9, 0.8, N // 3)), 3)
    assert guess("household_income", np.repeat(random, 3)).role == "quasi"
    assert guess("v17", income).role == "quasi"
    coded = np.concatenate([np.full(20, -8), np.round(RNG.lognormal(9, 0.5, N))])
    assert guess("v17", coded).role == "quasi"
    incomes = RNG.choice(8 * 10**4, N, replace=False) + 10**4
    coded = np.concatenate([np.full(90, 99999), incomes])
    assert guess("v17", coded).role == "quasi"
    assert guess("week", np.repeat(np.arange(1, 53), 12)).role == "quasi"


@pytest.mark.parametrize(
    "name", ["school", "sch", "hospital_id", "clinic_nr", "site", "stratum", "tch"]
)
def test_places_and_numbers_that_were_given_out_are_no_numbers(name: str) -> None:
    sizes = RNG.multinomial(40 * N, RNG.dirichlet(np.ones(120)))
    column = guess(name, RNG.permutation(np.repeat(np.arange(1, 121), sizes)))
    assert (column.kind, column.role) == ("code", "quasi")
    assert column.ask


def test_what_is_measured_from_1_on_stays_a_number() -> None:
    assert guess("v17", np.round(RNG.gamma(2, 40, 40 * N)) + 1).scale == "continuous"
    assert guess("v17", RNG.integers(18, 91, 40 * N)).scale == "continuous"


@pytest.mark.parametrize(
    ("name", "values"),
    [
        ("PWGTP", RNG.integers(1, 900, N)),
        ("WGTP", RNG.integers(0, 700, N)),
        ("perweight", RNG.integers(700, 30000, N)),
        ("bsrw12", RNG.lognormal(5, 1, N)),
        ("V005", RNG.integers(10**5, 10**6, N)),
        ("pspwght", RNG.lognormal(0, 0.4, N)),
        # by their sum: a population, or the number of records
        ("weight", RNG.lognormal(6, 1.2, N)),
        ("w", (lambda w: w / w.mean())(RNG.lognormal(0, 0.4, N))),
        # by strata
        ("wt", RNG.choice([0.41253, 1.87311, 12.33333, 3.25178], N)),
        ("hochrechnungsfaktor", RNG.lognormal(5, 1, N)),
        ("pond", RNG.lognormal(7, 1, N)),
    ],
)
def test_weights(name: str, values: Any) -> None:
    column = guess(name, values)
    assert (column.role, column.kind) == ("weight", "continuous")


@pytest.mark.parametrize(
    ("name", "values"),
    [
        ("weight", np.round(RNG.normal(78, 15, N), 1)),
        ("weight", np.round(RNG.normal(78, 15, N))),
        # grams and kilograms of newborn children, also seen several times
        ("weight", RNG.normal(3300, 450, N).round()),
        ("wt", np.repeat(np.round(RNG.normal(1.4, 0.4, N // 20), 1), 20)),
        ("bweight", RNG.normal(3300, 450, N).round()),
        # reported, and after the treatment
        ("repwt", np.round(RNG.normal(66, 12, N))),
        ("post_weight", np.round(RNG.normal(66, 12, N))),
    ],
)
def test_bodies_are_no_weights(name: str, values: Any) -> None:
    assert guess(name, values).role == "quasi"


def acs(n: int = 2000) -> pd.DataFrame:
    """An extract of the American Community Survey as its files are written."""
    rng = np.random.default_rng(2)
    age = rng.integers(0, 95, n)
    minutes = rng.integers(1, 150, n).astype(str).astype(object)
    minutes[age < 16] = "N"
    income = np.round(rng.lognormal(10, 0.9, n), -1)
    income[age < 15] = -19999
    return pd.DataFrame(
        {
            "SERIALNO": [f"2019HU{i:07d}" for i in rng.permutation(n)],
            "PUMA": rng.choice([f"28-{p:05d}" for p in range(100, 2200, 100)], n),
            "ST": rng.choice([28, 1, 5, 22, 47], n),
            "PWGTP": rng.integers(1, 400, n),
            "PWGTP1": rng.integers(0, 500, n),
            "AGEP": age,
            "JWMNP": minutes,
            "PINCP": income,
            "birth_month": rng.integers(1, 13, n),
            "Unnamed: 0": np.arange(n),
        }
    )


def test_a_census_extract() -> None:
    """The guesses of issue 33 that were dangerous or wrong: places, weights, 'N', months, index."""
    schema = tc.Microdata.of(acs()).schema
    seen = {column.name: (str(column.role), str(column.scale)) for column in schema}
    assert seen == {
        "SERIALNO": ("identifier", "nominal"),
        "PUMA": ("quasi", "nominal"),
        "ST": ("quasi", "nominal"),
        "PWGTP": ("weight", "continuous"),
        "PWGTP1": ("weight", "continuous"),
        "AGEP": ("quasi", "continuous"),
        "JWMNP": ("quasi", "continuous"),
        "PINCP": ("quasi", "continuous"),
        "birth_month": ("quasi", "ordinal"),
        "Unnamed: 0": ("identifier", "nominal"),
    }
    assert schema["PUMA"].kind == "code"
    assert schema["JWMNP"].suspects == ("N",)
    assert len(questions(schema)) <= 5


def test_scales_by_labels_and_by_their_ends() -> None:
    toml = "[columns.v]\n[columns.v.labels]\n"
    words = ("never", "rarely", "sometimes", "often", "always")
    labels = "".join(f'{5 - i} = "{word}"\n' for i, word in enumerate(words))
    values = {"v": RNG.integers(1, 6, N)}
    of_words = tc.Microdata.of(values, tc.Schema.from_toml(toml + labels)).schema["v"]
    assert of_words.kind == "ordinal"
    ends = '1 = "not at all satisfied"\n10 = "completely satisfied"\n'
    values = {"v": RNG.integers(1, 11, N)}
    of_ends = tc.Microdata.of(values, tc.Schema.from_toml(toml + ends)).schema["v"]
    assert of_ends.kind == "ordinal"
    assert guess("q4", RNG.integers(0, 11, N)).kind == "ordinal"
    assert guess("N3", RNG.integers(1, 7, N)).kind == "ordinal"
    assert guess("JobSatisfaction", RNG.integers(1, 5, N)).kind == "ordinal"
    assert guess("x", RNG.choice(["Low", "Very_High", "High"], N)).kind == "ordinal"


def test_the_same_question_of_several_columns_is_one() -> None:
    rng = np.random.default_rng(1)
    frame = {f"q{i}": rng.integers(1, 6, N) for i in range(1, 25)}
    asked = questions(tc.Microdata.of(frame).schema)
    assert len(asked) == 1
    assert asked[0].startswith("q1, q2, q3, q4, q5 and 19 others (ordinal):")
