"""Direct identifiers: told by name, by a pattern or check digits, or because they are serial."""

from __future__ import annotations

import re
from collections.abc import Callable

import numpy as np

from tacit.data.column import Kind, Role
from tacit.data.inference import name_words
from tacit.data.inference.check_digits import by_check_digits
from tacit.data.inference.guess import Guess
from tacit.data.inference.keys import is_place
from tacit.data.inference.profile import LEAST_VALUES, Profile

_PEOPLE = (
    "person|patient|record|customer|user|client|case|member|student|pupil|employee|subject"
    "|resp|respondent|indiv|individual|worker|child|kid|mother|father|infant|baby|twin|sib|sibling|woman"
    "|driver|victim|offender|defendant|teacher|doctor|physician|nurse|donor|volunteer|rater|owner|tenant"
)
_BARE = (
    "person|patient|record|customer|user|client|case|member|student|pupil|employee|subject"
    "|resp|respond|respondent|indiv|individual|worker|child|kid|infant|baby|twin|woman"
    "|teacher|tch|instructor|interviewer|rater"
)
NAMED = re.compile(
    r"^(id|uuid|guid|ssn|nin|nhs|iban|bic|pid|idno|idnum|idcode|seqn|serial|index|rownames?|rowid"
    r"|name|vorname|nachname|nombre|apellidos?|pr[eé]nom|nom|(\w+_)?(first|last|full|sur|middle|maiden|given)_?names?"
    r"|forenames?|cognome|nome|imi[eę]|nazwisko|naam|voornaam|achternaam|fornavn|etternavn|fornamn"
    r"|efter(namn|navn)|etunimi|sukunimi|keresztn[eé]v|vezet[eé]kn[eé]v|jm[eé]no|p[rř][ií]jmen[ií]"
    r"|prenume|nume|apelido|sobrenome"
    r"|e?-?mail(_?address)?|phone|tele?fono?|telephone|mobile|passport|address|street|url|website"
    r"|ip(_?address)?|licen[cs]e_?plate|account(_?(no|number))?|nr|lfdnr|lfd_?nr)$"
    r"|[._](id|uuid|ssn|email|phone|iban)$"
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
    r"|numer_?(pacjenta|klienta)|cartella|tessera(_?sanitaria)?|klantnr|klantnummer|pati[eë]nt(en)?_?(nr|nummer|id)"
    r"|respondent_?(nr|nummer)|henkil[oö]tunnus|asiakasnumero|numero_?(paciente|utente|cliente)|utente"
    r"|ts_?id|row_?(no|nr|num)|rec_?(no|nr|num|id)|lfd|laufnr|obs(_?(no|nr|num|id))?|nro|folio"
    r"|bib(_?(no|nr|num|number))?)$",
    re.IGNORECASE,
)
"""Names of the numbers that registers, hospitals and surveys give to people."""
BARE = re.compile(
    rf"^({_BARE}|participants?|proband(en)?|kunde|mitglied|cliente|paciente|paziente|pacjent"
    r"|respondente|encuestado|enquete|individu|individuo|persona|persoon|osoba|henkil[oö]|klient|klant"
    r"|pasient|potilas|elev|schueler|sch[uü]ler|alumno|eleve|key|record|account|policy|contract|card"
    r"|voter|inmate|defendant|donor|owner|household(er)?|family|familie|famille|mom|mum|mother|father|dad"
    r"|dam|sire)s?$",
    re.IGNORECASE,
)
"""Words for people: the number of one, where the values are as many as people could be."""
PARENT = re.compile(
    r"^(mom|mum|mother|father|dad|dam|sire|child|kid|infant|baby|twin|woman)s?$",
    re.IGNORECASE,
)
"""People of a family, whose numbers stand together; else it is a height, or how many there are."""
SURELY = re.compile(
    r"^(subjects?|patients?|persons?|participants?|respondents?|proband(en)?|individuals?|paciente"
    r"|paziente|pacjent|pati[eë]nt|pasient|potilas|clients?|students?|pupils?|members?)$",
    re.IGNORECASE,
)
"""Numbers of these are people, however many measurements there are of each."""
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
WITH_FIGURES = re.compile(r".*\d.*")
# fewer are kinds of them
LEAST_PEOPLE = 20
# a person has fewer rows than a village or a school has people
ROWS_EACH = 20
ROWS_OF_VISITS = 100
MANY = 1000
SEEN_TWICE = 0.1
MOST_PAIRS = 0.8


def is_named(profile: Profile) -> bool:
    """Name or label say that it identifies somebody, and the values are not a few codes."""
    name = profile.name
    named = NAMED.search(name) is not None or NUMBERED.search(name) is not None
    if is_place(profile) and not profile.all_differ:
        return False
    named = named or profile.labelled(LABELLED)
    return (named and not profile.has_few) or is_bare(profile)


def is_bare(profile: Profile) -> bool:
    """Called 'patient' or 'record', with as many values as people could be."""
    if not BARE.search(profile.name) or profile.n < LEAST_VALUES:
        return False
    number = profile.is_number and profile.is_whole
    if not (profile.is_text or number) or profile.has_few:
        return False
    if PARENT.search(profile.name):
        in_order = number and (profile.rises or profile.runs == profile.size)
        return in_order and profile.size * ROWS_EACH >= profile.n
    # 'a01' is a subject, and 'physics' another sort of one
    numbered = number or profile.share(WITH_FIGURES) == 1
    if SURELY.search(profile.name) and numbered and profile.size > LEAST_PEOPLE:
        return True
    return profile.size * ROWS_EACH >= profile.n


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
    if profile.runs != profile.size:
        return None
    # numbers from 1 to a thousand and more in their order are hardly those of villages
    many = profile.size >= MANY and profile.rises and profile.has_all_between
    if profile.size * (ROWS_OF_VISITS if many else ROWS_EACH) < profile.n:
        return None
    if is_place(profile):
        return None
    # fewer than one in ten has a second row: slips of a measurement, or a few codes, rather than
    # persons; nor has a person a number below 0
    if profile.long_runs < SEEN_TWICE * profile.size or profile.low < 0:
        return None
    times = (name_words.YEARS, name_words.MONTHS, name_words.TIMES)
    if any(profile.holds(stems) for stems in times):
        return None
    serial = profile.has_all_between and profile.low in (0, 1)
    if profile.rises:
        # a measured number may be what the file is sorted by; most of its values are no pairs
        pairs = profile.long_runs >= MOST_PAIRS * profile.size and not _is_amount(
            profile
        )
        if not serial and profile.low < LONG_SERIAL and not pairs:
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
