"""A hospital extract: patients with one or several stays, diagnoses as ICD codes, postcodes, dates.

Definition. A patient has a sex, a year of birth and a postcode of five digits (towns have falling
shares), and 1 + Poisson(0.6) stays in one year. A stay has a diagnosis with falling shares, more
often of the heart and the lung in old age, a drug that follows the chapter of the diagnosis, and a
length of 1 + Poisson(4) days.
"""

from __future__ import annotations

import numpy as np
import pyarrow as pa

from tacit.base.errors import ParameterError

DIAGNOSES = (
    *("I10", "I21.0", "I25.1", "I48.0", "I50.1"),
    *("J18.9", "J20.9", "J44.1", "J45.0", "J45.1"),
    *("K35.8", "K40.9", "K57.3", "K80.2"),
    *("S06.0", "S52.5", "S72.0", "S82.6"),
    *("O80", "O82"),
)
DRUGS = ("aspirin", "ramipril", "salbutamol", "amoxicillin", "ibuprofen", "morphine")
TOWNS = (
    "80331",
    "80333",
    "80469",
    "85049",
    "86150",
    "10115",
    "10117",
    "20095",
    "50667",
)


def make_hospital(
    patients: int = 1_000,
    seed: int = 0,
) -> pa.Table:
    """Stays in a hospital: one row for each.

    Parameters
    ----------
    patients : int
        How many patients there are; each has 1.6 stays on average.
    seed : int
        The same seed gives the same table.

    Returns
    -------
    pyarrow.Table
        ``patient``, ``sex``, ``age``, ``postcode``, ``admitted`` (a date of 2024), ``icd``,
        ``drug`` and ``days``, by date.

    Examples
    --------
    >>> table = make_hospital(100, seed=1)
    >>> table.num_rows, table["postcode"][0].as_py()
    (161, '80333')
    """
    if patients < 1:
        raise ParameterError(
            f"make_hospital: patients must be at least 1, not {patients}."
        )
    rng = np.random.default_rng(seed)
    born = 1925 + np.floor(95 * rng.beta(1.3, 1.4, patients)).astype(np.int64)
    sex = rng.integers(0, 2, patients)
    share = 1.0 / np.arange(1, len(TOWNS) + 1)
    town = rng.choice(len(TOWNS), patients, p=share / share.sum())
    of = np.repeat(np.arange(patients), 1 + rng.poisson(0.6, patients))
    n = len(of)
    age = 2024 - born[of]
    drawn = [_diagnosis(a, s, rng) for a, s in zip(age, sex[of], strict=True)]
    diagnosis = np.array(drawn)
    # half of the patients of a chapter get its usual drug
    usual = np.array(["IJKSO".index(code[0]) for code in DIAGNOSES])[diagnosis]
    drug = np.where(rng.random(n) < 0.5, usual, rng.integers(0, len(DRUGS), n))
    day = rng.integers(0, 366, n)
    order = np.argsort(day, kind="stable")
    number = rng.permutation(patients) + 10_000
    admitted = np.datetime64("2024-01-01") + day
    columns = {
        "patient": pa.array([f"P{number[i]}" for i in of]),
        "sex": pa.array(["f", "m"]).take(pa.array(sex[of])),
        "age": pa.array(age),
        "postcode": pa.array(TOWNS).take(pa.array(town[of])),
        "admitted": pa.array(admitted, type=pa.date32()),
        "icd": pa.array(DIAGNOSES).take(pa.array(diagnosis)),
        "drug": pa.array(DRUGS).take(pa.array(drug)),
        "days": pa.array(1 + rng.poisson(4, n)),
    }
    return pa.table(columns).take(pa.array(order))


def _diagnosis(
    age: int,
    sex: int,
    rng: np.random.Generator,
) -> int:
    """Hearts and lungs of the old, bones of the young, births of women."""
    weight = np.ones(len(DIAGNOSES))
    weight[:10] *= 1 + age / 25
    weight[14:18] *= 2.0 if age < 40 else 1.0
    weight[18:] = 6.0 if sex == 0 and 18 <= age <= 45 else 0.0
    weight /= np.arange(1, len(weight) + 1) ** 0.3
    return int(rng.choice(len(weight), p=weight / weight.sum()))
