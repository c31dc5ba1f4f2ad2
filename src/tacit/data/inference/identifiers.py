"""Direct identifiers: told by name, by a pattern or check digits, or because they are serial."""

from __future__ import annotations

import re
from collections.abc import Callable

import numpy as np

from tacit.data.column import Kind, Role
from tacit.data.inference import name_words
from tacit.data.inference.check_digits import by_check_digits
from tacit.data.inference.guess import Guess
from tacit.data.inference.profile import LEAST_VALUES, Profile

_PEOPLE = (
    "person|patient|record|customer|user|client|case|member|student|pupil|employee|subject"
    "|resp|respondent|indiv|individual|worker"
)
NAMED = re.compile(
    r"^(id|uuid|guid|ssn|nin|nhs|iban|bic|pid|idno|idnum|idcode|seqn|serial|index|rownames?|rowid"
    r"|name|vorname|nachname|nombre|apellidos?|pr[eé]nom|nom|(first|last|full|sur|middle|maiden)_?name"
    r"|e?-?mail(_?address)?|phone|tele?fono?|telephone|mobile|passport|address|street|url|website"
    r"|ip(_?address)?|licen[cs]e_?plate|account(_?(no|number))?|nr|lfdnr|lfd_?nr)$"
    r"|_(id|uuid|ssn|email|phone|iban)$"
    rf"|^({_PEOPLE})_?(id|no|nr|num|number|key|code)$|^(id|nr)_?({_PEOPLE})$",
    re.IGNORECASE,
)
"""Names of columns that say who somebody is."""
NUMBERED = re.compile(
    r"^(mrn|emrn|pat_?(id|nr|no|num)|pid\d?|pnr|ptid|usubjid|subj(id|no|nr|_?num)?|subid|suid|respid"
    r"|resp_?(nr|no|num)|case_?(id|no|nr|num)|caseid|mergeid|pidp|hidp|lopnr|lpnr|upn|urn|npi|medicare"
    r"|encounter(_?id)?|hadm_?id|stay_?id|visit_?id|admission_?id|bene_?id|desynpuf_id|barcode|token"
    r"|hash|pseudonym|pesel|nip|regon|nhs_?(no|nr|num|number)?|chi_?(no|number)?|hcn|cpf|cnpj|rut|rfc"
    r"|curp|cnp|dni|nie|nif|nir|nirpp|insee_?nr|ssn|sin|svn|sv_?nr|svnr|ahv(_?nr)?|avs|bsn|tckn"
    r"|tc_?kimlik(_?no)?|cpr(_?nr|_?nummer)?|hetu|isikukood|rodne_?cislo|oib|emso|jmbg|egn|amka|afm"
    r"|codice_?fiscale|cod_?fisc|steuer_?(id|nr|nummer)|kv_?nr|kvnr|versicherten_?(nr|nummer|id)"
    r"|person_?nummer|f(o|oe|ø)dselsnummer|personen_?(nr|id)|fall_?(nr|nummer|id)|akten_?(zeichen|nr)"
    r"|kunden?_?(nr|nummer|id)|mitglieds?_?(nr|nummer|id)|matr_?(nr|nummer)|matrikel_?(nr|nummer)"
    r"|num_?(dossier|patient|secu|client|adherent)|no_?(dossier|patient|client)|nip_?patient|ipp"
    r"|matricul[ae]|expediente|historia_?clinica|nhc|nr_?(pacjenta|klienta|dossier|pat)"
    r"|numer_?(pacjenta|klienta)|cartella|tessera(_?sanitaria)?|klantnr|klantnummer|pati[eë]nt_?(nr|nummer)"
    r"|respondent_?(nr|nummer)|henkil[oö]tunnus|asiakasnumero|numero_?(paciente|utente|cliente)|utente"
    r"|ts_?id|row_?(no|nr|num)|rec_?(no|nr|num|id)|lfd|laufnr|obs(_?(no|nr|num|id))?|nro|folio)$",
    re.IGNORECASE,
)
"""Names of the numbers that registers, hospitals and surveys give to people."""
BARE = re.compile(
    rf"^({_PEOPLE}|participants?|proband(en)?|kunde|mitglied|cliente|paciente|paziente|pacjent"
    r"|respondente|encuestado|enquete|individu|individuo|persona|persoon|osoba|henkil[oö]|klient|klant"
    r"|pasient|potilas|elev|schueler|sch[uü]ler|alumno|eleve|key|record|account|policy|contract|card"
    r"|voter|inmate|defendant|donor|owner|household(er)?|family|familie|famille)s?$",
    re.IGNORECASE,
)
"""Words for people: the number of one, where the values are as many as people could be."""
LABELLED = re.compile(
    r"\b(identifier|identification|id number|serial number|sequence number|e-?mail|telephone"
    r"|person(al)? (id|number)|case (id|number)|social security n)"
)
NAMED_HOUSEHOLD = re.compile(
    r"^(ori_)?h(ouse)?h?(old)?_?(id|no|nr|num|number)$|^hid$|^household$|^haushalt(s_?nr)?$|^fam(ily)?_?(id|no|nr)$",
    re.IGNORECASE,
)
# 19 of 20: a file holds a slip here and there
MOST = 0.95
PATTERNS: dict[str, re.Pattern[str]] = {
    "e-mail addresses": re.compile(r"[^@\s]+@[^@\s]+\.[^@\s]{2,}"),
    "web addresses": re.compile(r"(https?://|www\.)\S+", re.IGNORECASE),
    "telephone numbers": re.compile(
        r"(\+|00)[1-9][\d\s()./-]{6,18}\d|\(?0?\d{2,5}\)?[\s./-]\d[\d\s./-]{4,14}\d"
    ),
    "network addresses": re.compile(r"\d{1,3}(\.\d{1,3}){3}|([0-9a-f]{1,4}:){7}\w+"),
    "universal identifiers": re.compile(
        r"[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}", re.IGNORECASE
    ),
}
"""Texts that nobody shares."""
# telephone numbers have as many figures (ITU E.164), dates and years-with-months fewer
LEAST_DIGITS = 8
# random numbers of persons have many figures, and all as many; amounts do not
LONG_NUMBER = 1e7
# a measurement of so many people is hardly different for each and in rising order
LEAST_SORTED = 50
LONG_SERIAL = 1e4
# a person has fewer rows than a village or a school has people
ROWS_EACH = 20
SEEN_TWICE = 0.1


def is_named(profile: Profile) -> bool:
    """Name or label say that it identifies somebody, and the values are not a few codes."""
    name = profile.name
    named = NAMED.search(name) is not None or NUMBERED.search(name) is not None
    named = named or profile.labelled(LABELLED)
    return (named and not profile.has_few) or is_bare(profile)


def is_bare(profile: Profile) -> bool:
    """Called 'patient' or 'record', with as many values as people could be."""
    if not BARE.search(profile.name) or profile.n < LEAST_VALUES:
        return False
    whole = profile.is_text or (profile.is_number and profile.is_whole)
    return whole and not profile.has_few and profile.size * ROWS_EACH >= profile.n


def is_household(profile: Profile) -> bool:
    """Named like the number of a household."""
    named = NAMED_HOUSEHOLD.search(profile.name) is not None
    return named and not profile.has_few


def by_values(profile: Profile) -> Guess | None:
    """A direct identifier that only its values give away, or None."""
    finders: tuple[Callable[[Profile], Guess | None], ...]
    if profile.is_text:
        finders = (_by_pattern, by_check_digits, _all_texts_differ)
    # a few numbers all differ by chance
    elif profile.is_number and profile.n >= LEAST_VALUES and profile.is_whole:
        finders = (_serial, by_check_digits, _in_order)
    else:
        return None
    for find in finders:
        found = find(profile)
        if found is not None:
            return found
    return None


def _by_pattern(profile: Profile) -> Guess | None:
    for what, pattern in PATTERNS.items():
        if profile.share(pattern) < MOST:
            continue
        # dates and ranges are written with the same signs
        if what == "telephone numbers" and not _long_enough(profile):
            continue
        return found(f"{what}", "sure")
    return None


def _long_enough(profile: Profile) -> bool:
    digits = [sum(sign.isdigit() for sign in text) for text in profile.sample]
    return float(np.median(digits)) >= LEAST_DIGITS


def _all_texts_differ(profile: Profile) -> Guess | None:
    if profile.n < LEAST_VALUES or not profile.all_differ:
        return None
    return found("text that is different in every record", "likely")


def _serial(profile: Profile) -> Guess | None:
    """A number of its own for each record: 1, 2, 3, ..., or long numbers of one length."""
    if not profile.all_differ:
        return None
    # a run of years or months is a time, not a number of records
    is_time = profile.holds(name_words.YEARS) or profile.holds(name_words.MONTHS)
    if profile.has_all_between and not is_time:
        return found("a serial number: each once, without a gap", "likely")
    if profile.n >= LEAST_SORTED and profile.rises and not is_time:
        return found(
            "whole numbers that all differ, by which the file is sorted", "likely"
        )
    if profile.low >= LONG_NUMBER and _same_length(profile):
        return found("long numbers of one length that all differ", "likely")
    return None


def _in_order(profile: Profile) -> Guess | None:
    """Numbers of persons with several rows each, which stand together: 1 1 1 2 2 3 3 3."""
    if profile.all_differ or profile.has_few or profile.size < LEAST_VALUES:
        return None
    if profile.size * ROWS_EACH < profile.n or profile.runs != profile.size:
        return None
    # fewer than one in ten has a second row: slips of a measurement, or a few codes, rather than
    # persons; nor has a person a number below 0
    if profile.long_runs < SEEN_TWICE * profile.size or profile.low < 0:
        return None
    if profile.holds(name_words.YEARS) or profile.holds(name_words.MONTHS):
        return None
    serial = profile.has_all_between and profile.low in (0, 1)
    if profile.rises:
        # a measured number may be what the file is sorted by
        if not serial and profile.low < LONG_SERIAL:
            return None
    # an income of a household is the same in its rows, too; numbers given out have one length
    elif _is_amount(profile) or not (
        serial or (profile.low >= LONG_SERIAL and _same_length(profile))
    ):
        return None
    why = "whole numbers whose rows stand together, as those of a person with several rows"
    return found(why, "likely", Role.person)


def _same_length(profile: Profile) -> bool:
    return len(str(int(profile.low))) == len(str(int(profile.high)))


def _is_amount(profile: Profile) -> bool:
    return profile.holds(name_words.AMOUNTS) or profile.says(name_words.NUMBERS)


def found(why: str, confidence: str, role: Role = Role.identifier) -> Guess:
    """An identifier with its reason."""
    return Guess(
        Kind.nominal,
        "tells records apart",
        "sure" if confidence == "sure" else "likely",
        role=role,
        role_why=why,
    )
