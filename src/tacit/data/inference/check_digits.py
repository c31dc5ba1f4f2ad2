"""Numbers with check digits: bank accounts, and the national numbers of many countries.

A check digit holds by chance once in ten to once in a hundred; that it holds for 19 of 20
distinct values, and for twenty of them at least, says what they are.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from importlib import import_module

from tacit.data.column import Kind, Role
from tacit.data.inference.guess import Guess
from tacit.data.inference.profile import LEAST_VALUES, Profile

# as in identifiers: 19 of 20
MOST = 0.95
# numbers of persons that hold a check digit, by python-stdnum's names; formats without one are
# left out, because any number of their length would pass
NATIONAL = [
    "at.vnr",
    "be.nn",
    "bg.egn",
    "br.cpf",
    "ch.ssn",
    "cl.rut",
    "cn.ric",
    "co.nit",
    "cz.rc",
    "de.idnr",
    "dk.cpr",
    "ee.ik",
    "es.dni",
    "es.nie",
    "fi.hetu",
    "fr.nir",
    "gb.nhs",
    "gr.amka",
    "hr.oib",
    "hu.anum",
    "id.nik",
    "ie.pps",
    "il.idnr",
    "in_.aadhaar",
    "is_.kennitala",
    "it.codicefiscale",
    "kr.rrn",
    "lt.asmens",
    "lv.pk",
    "mx.curp",
    "nl.bsn",
    "no.fodselsnummer",
    "pl.pesel",
    "pt.nif",
    "ro.cnp",
    "se.personnummer",
    "si.emso",
    "tr.tckimlik",
    "tw.ubn",
    "za.idnr",
]
# shorter numbers with a check digit are not persons'; the longest, IBANs, have 34 figures
LEAST_LENGTH = 8
MOST_LENGTH = 60


def by_check_digits(profile: Profile) -> Guess | None:
    """An identifier by its check digits, or None.

    IBAN is checked here; national numbers need python-stdnum (``tacit[identifiers]``).
    Without it such a column is found only if its values all differ.
    """
    texts = _texts(profile)
    if len(texts) < LEAST_VALUES:
        return None
    for what, holds in _checks():
        hits = 0
        for place, text in enumerate(texts, start=1):
            # longer texts are none, and their arithmetic has limits of its own
            hits += len(text) <= MOST_LENGTH and holds(text)
            # a look at the first ones rules most checks out
            if place == LEAST_VALUES and hits < MOST * LEAST_VALUES:
                break
        else:
            if hits >= MOST * len(texts):
                return Guess(
                    Kind.nominal,
                    "tells people apart",
                    "sure",
                    role=Role.identifier,
                    role_why=f"{what}: the check digits hold",
                )
    return None


def iban_holds(text: str) -> bool:
    """ISO 13616: country and check digits moved to the end, letters as 10 to 35, modulo 97 is 1."""
    compact = text.replace(" ", "").upper()
    # the shortest IBAN (Norway) has 15 signs, the longest allowed 34
    country = compact[:2]
    if not (15 <= len(compact) <= 34 and country.isalpha()):
        return False
    if not (compact.isascii() and compact.isalnum()):
        return False
    turned = compact[4:] + compact[:4]
    digits = "".join(str(int(sign, 36)) for sign in turned)
    return int(digits) % 97 == 1


def _texts(profile: Profile) -> list[str]:
    if profile.is_text:
        texts = profile.sample
    else:
        if profile.high < 10 ** (LEAST_LENGTH - 1):
            return []
        texts = [str(int(number)) for number in profile.lowest]
    long_enough = [text for text in texts if len(text) >= LEAST_LENGTH]
    return texts if len(long_enough) >= MOST * len(texts) else []


def _checks() -> Iterator[tuple[str, Callable[[str], bool]]]:
    yield "bank accounts (IBAN)", iban_holds
    for name in NATIONAL:
        try:
            module = import_module(f"stdnum.{name}")
        # not installed, or an older version that knows fewer countries
        except ImportError:
            continue
        # the library adds a sign where a country is a word of Python
        module_name = name.partition(".")[0]
        country = module_name.strip("_").upper()
        yield f"national numbers ({country})", module.is_valid
