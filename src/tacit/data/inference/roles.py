"""What a column is for: told by its name, its label, or what its values gave away."""

from __future__ import annotations

import re

from tacit.data.column import Kind, Role
from tacit.data.inference import identifiers
from tacit.data.inference.guess import Guess
from tacit.data.inference.identifiers import NUMBERED
from tacit.data.inference.keys import is_key, is_numbered
from tacit.data.inference.profile import Profile

WEIGHT = re.compile(
    r"^(sampl(e|ing)|survey|design|household|person|hh|pop(ulation)?|final|analysis)_?(weights?|wgt|wt)$"
    r"|^[pfa]?wgt$|^weights_|^[pf]weights?$|^wgt_|_wgt$|^(wtssall|finalwt|perwt|hhwt|fnlwgt)$",
    re.IGNORECASE,
)
"""Names of sampling weights; 'weight' alone is rather that of a body."""
WEIGHT_CODES = re.compile(
    r"^(bsrw|brrw|brr_?w?|jkw|jrr|repw|boot_?w|rw|w_?rep|fayw?)\d+$|^(per|person|fam|house)_?we?i?ghts?$"
    r"|^(pwgtp|wgtp|repwtp?_?\d+|repwtp|pwt|asecwt|earnwt|wt_?fa|wtint|wtmec|wtsaf|wtdr)\w*$"
    r"|^(p|f|a|d|h|i)weights?$|^(psp|an|cal|cross|enh|calib)_?we?i?ghts?\w*$"
    r"|^(samp|smp|svy|surv|cell|hh|pers|norm|adj|des|cal|sel|nr)_?(wt|wgt|weight)s?\d*$"
    r"|^(wt|wgt|weight|w)_?(samp|smp|svy|surv|ind|pers|hh|fin|final|nat|norm|adj|des|cal|fstuwt)\w*$"
    r"|^(hv|v|mv)005$|^w_fstuwt$|^senwgt$|^totwgt$|^houwgt$|^gewicht(ung)?(sfaktor)?$|^hochrechnungsfaktor$"
    r"|^(hrf|phrf|hhrf)\w*$|^(pond|ponderacion|ponderation|pond[eé]ration|extri\d*|fac(teur)?_?(tri|exp)\w*"
    r"|factor(_?(exp|expansion))?|fex(_?c)?|facexp|fator(_expans[aã]o)?|pesofin|coefin|coeff?_?(pond|fin)\w*"
    r"|peso_?(fin|camp)\w*|weegfactor|waga_?\w*|vikt|kalvikt|v[aæ]gt|paino)$",
    re.IGNORECASE,
)
"""Names of weights in censuses and surveys: PWGTP of the ACS, V005 of DHS, phrf of the SOEP."""
WEIGHT_HINT = re.compile(
    r"^((post|base|rep|long|ind|fin|nat|mod|raw)_?)?(w|wt|wts|wgt|wgts|wghts?|weights?|weighting|gew|gewicht|poids|peso|pond|waga|vikt)[_.]?\d*$",
    re.IGNORECASE,
)
"""Names that may be those of a body's weight, too: the values decide."""
# weights that were made to add up to the number of records
NEAR_ONE = 0.005
# nobody weighs more; a respondent stands for more people
HEAVIEST = 700.0
# a respondent may stand for many times as many as another; newborn children weigh 3,300 grams and
# none three times as much
SKEWED = 2.5
# the same in all records of a stratum: so many records for each value, at least
EACH_STRATUM = 10
LEAST_STRATA = 3
# scales show hundredths of a kilogram, and children of so many as 3.215 kg have as many weights
SHOWN = 100
# no adult is so light, in kilograms or pounds
LIGHTEST = 25.0
WEIGHT_LABEL = re.compile(r"\b(sampl\w+|survey|design|final|expansion) weight\b")
# one row in twenty that repeats a number is a person seen again rather than a slip
SEEN_AGAIN = 0.95


def role_of(profile: Profile, guess: Guess) -> tuple[Role, str]:
    """The role and its reason.

    Names come first: they are what the producer of the file meant. A number that names people
    and stands in several rows is ``person``: whose record this is.
    """
    if profile.is_number and _is_named_weight(profile):
        return Role.weight, "named like a sampling weight"
    if profile.is_number and WEIGHT_HINT.search(profile.name):
        why = _weighs(profile)
        if why:
            return Role.weight, f"called a weight, and {why}"
    if guess.kind in (Kind.boolean, Kind.date):
        return Role.quasi, "nothing says that an intruder cannot know it"
    if identifiers.is_household(profile):
        return Role.household, "named like a household number"
    if identifiers.is_named(profile):
        numbered = is_numbered(profile) or NUMBERED.search(profile.name) is not None
        numbered = numbered or identifiers.is_bare(profile)
        if numbered and _stands_in_several_rows(profile):
            return (
                Role.person,
                "named like the number of a person, with several rows each",
            )
        return Role.identifier, "named like a direct identifier"
    if guess.role is not None:
        return guess.role, guess.role_why
    if is_key(profile):
        why = "named like a number that tells records apart"
        return (Role.identifier if profile.all_differ else Role.person), why
    return Role.quasi, "nothing says that an intruder cannot know it"


def _is_named_weight(profile: Profile) -> bool:
    if profile.labelled(WEIGHT_LABEL) or WEIGHT.search(profile.name):
        return True
    # 'factor' and 'waga' may be anything with few values
    return WEIGHT_CODES.search(profile.name) is not None and not profile.has_few


def _weighs(profile: Profile) -> str:
    """Why numbers that are called weight are no bodies'."""
    if not profile.n or profile.low < 0 or (profile.has_few and profile.is_whole):
        return ""
    mean = profile.mean
    if not profile.is_whole and abs(mean - 1) <= NEAR_ONE:
        return "they add up to the number of records"
    skewed = profile.high > SKEWED * mean
    if max(mean, profile.high) > HEAVIEST and (skewed or profile.size == 1):
        return "they add up to a population"
    strata = LEAST_STRATA <= profile.size <= profile.n / EACH_STRATUM
    light = profile.high < HEAVIEST and mean < LIGHTEST
    if strata and light and _is_fine(profile):
        return "they are the same for all of a stratum"
    return ""


def _is_fine(profile: Profile) -> bool:
    """Some value has more decimals than scales show."""
    values = profile.highest * SHOWN
    return bool((abs(values - values.round()) > NEAR_ONE).any())


def _stands_in_several_rows(profile: Profile) -> bool:
    if not (profile.is_number or profile.is_text):
        return False
    if profile.is_number and not profile.is_whole:
        return False
    return 1 < profile.size < SEEN_AGAIN * profile.n
