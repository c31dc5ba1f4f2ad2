"""Values that look like codes for missing: told by their form, how often and how far out they are.

A suspicion is a question and never an answer: what is a code and what a value, a person says
(``--missing 'income=-8,-9'``). Only where a column could not be read otherwise (numbers with 'N'
among them, days of the year 9999) the guess is that they are codes, and the question is asked.
"""

from __future__ import annotations

import math
import re
from collections.abc import Mapping
from itertools import takewhile

import pyarrow as pa

from tacit.data.inference.profile import Profile
from tacit.data.missing import Code

BELOW = frozenset(
    [-float(n) for n in (*range(1, 10), 66, 77, 88, *range(95, 100))]
    + [-float(n) for n in (666, 777, 888, *range(995, 1000), 8888, *range(9995, 10000))]
    + [-99999.0, -999999.0, -88888.0]
)
"""Negative numbers that files use as codes."""
MOST_CODES = 6
"""No file that we know of gives more reasons than this in one column."""
MOST_MISSING = 0.95
"""A column that is nearly all codes says nothing of what its values look like."""
FAR = 1.5
"""A code of three nines or more is this many times the largest value, at least."""
FAR_OF_TWO = 2.0
"""The same of 99, which ages and percentages come near to."""
APART = 0.4
"""Or so far from them, as a share of what lies between the smallest and the largest."""
SPIKE, AT_LEAST, STEPS = 5, 5, 3
"""Or it is seen so many times as often as values near it, this often, and so far from them."""
NEAR = 5
# nobody writes more nines than eight
MOST_NINES = 10.0**8
IN_TEXT = re.compile(r"[.?*#-]{1,3}|na|n/a|n\.[ad]\.|nan|null|missing|k\.a\.")
"""Texts that stand for a gap among names of categories; a word such as 'unknown' is a category."""
TOKENS = re.compile(
    IN_TEXT.pattern
    + r"|none|nil|unknown|unk|refused|nd|n|x{1,3}|ka|s/d|s\.d\.|nsp|n[crsk]|ns/nc|dk|dk/na"
)
"""Texts that stand for a gap among numbers."""
LABEL = re.compile(
    r"\b(refus\w+|don'?t know|do(es)? not know|not known|no answer|not? applicable|inapplicable"
    r"|not asked|not stated|missing|dk|n/?a|unknown|not ascertained|no response|skip(ped)?"
    r"|weigert?|verweigert|weiß nicht|weiss nicht|keine (angabe|antwort)|trifft nicht zu"
    r"|ne sait pas|nsp|refuse de r[eé]pondre|sans r[eé]ponse|non r[eé]ponse|sans objet"
    r"|no sabe|no contesta|ns/nc|no aplica|non sa|non risponde|non applicabile|não sabe"
    r"|não responde|weet niet|geen antwoord|n\.v\.t|nie wiem|odmowa|brak (danych|odpowiedzi)"
    r"|nie dotyczy|vet (ej|inte|ikke)|ved ikke|ej svar|ubesvaret|nem tudja|nem válaszol"
    r"|neví|neodpověděl)",
    re.IGNORECASE,
)
"""What labels of codes say in the languages of surveys."""
NO_DATE = re.compile(
    r"\s*(9999|8888|7777|2999|0001|1111)[-/.]?\d\d[-/.]?\d\d(\b.*|$)|0{4}.*"
)
"""Days that nobody lives to see, and those of a counter that was never set."""
NUMBER = re.compile(r"\s*[+-]?(\d+([.,]\d*)?|[.,]\d+)([eE][+-]?\d+)?\s*")
# a column is one of numbers if nine in ten of its different values are, and a few words are not
MOST_NUMBERS, LEAST_NUMBERS, MOST_WORDS = 0.8, 5, 4


def suspected(profile: Profile) -> tuple[Code, ...]:
    """The values of a column that look like codes for missing, lowest first."""
    if profile.n == 0:
        return ()
    if profile.is_number:
        return tuple(map(_plain, [*_below(profile), *_above(profile)]))
    if profile.is_text:
        found = among_numbers(profile) or among_dates(profile)
        return found or tuple(
            sorted(
                text for text in _few_texts(profile) if IN_TEXT.fullmatch(_bare(text))
            )
        )
    if pa.types.is_temporal(profile.values.type):
        return tuple(sorted(t for t in _few_texts(profile) if NO_DATE.match(t)))
    return ()


def among_numbers(profile: Profile) -> tuple[Code, ...]:
    """Words in a column of text that holds numbers otherwise: 'N', 'NA', '.'."""
    texts = [str(text) for text in profile.distinct]
    if len(texts) > LEAST_NUMBERS * 10**6:
        return ()
    words = []
    for text in texts:
        if not NUMBER.fullmatch(text):
            words.append(text)
            if len(words) > MOST_WORDS:
                return ()
    numbers = len(texts) - len(words)
    if not words or numbers < LEAST_NUMBERS or numbers < MOST_NUMBERS * len(texts):
        return ()
    # '007' is a code and no number; so are letters beside it
    if any(re.match(r"0\d", text.strip()) for text in texts):
        return ()
    known = all(TOKENS.fullmatch(_bare(word)) or LABEL.search(word) for word in words)
    return tuple(sorted(words)) if known else ()


def among_dates(profile: Profile) -> tuple[Code, ...]:
    """Days such as 9999-12-31 in a column of text dates."""
    few = [text for text in profile.sample if NO_DATE.match(text)]
    others = [text for text in profile.sample if text not in few]
    like_dates = sum(bool(re.match(r"\d{4}-\d\d-\d\d", text)) for text in others)
    if few and others and like_dates == len(others):
        return tuple(sorted(few))
    return ()


def by_label(
    labels: Mapping[str, str], profile: Profile, suspects: tuple[Code, ...]
) -> tuple[Code, ...]:
    """Codes that occur and whose label says that there is no answer, and suspects without a label.

    Labels are those of the file, by code as text.
    """
    suspects = tuple(one for one in suspects if _text(one) not in labels)
    said = [code for code, label in labels.items() if LABEL.search(label)]
    if not said or len(said) == len(labels) > 1:
        return suspects
    occurring = {_text(value) for value in profile.few}
    known = tuple(_typed(code) for code in said if code in occurring)
    return tuple(dict.fromkeys((*suspects, *known)))


def _below(profile: Profile) -> list[float]:
    """Negative codes in a column whose values are not negative."""
    negative = [float(v) for v in takewhile(lambda v: v < 0, profile.lowest)]
    if not negative or len(negative) > MOST_CODES or not set(negative) <= BELOW:
        return []
    # -1, 0 and 1 are three answers; of few values the question is what they are
    if profile.size - len(negative) < 3 and max(negative) == -1:
        return []
    if profile.high <= 1 and negative == [-1.0]:
        return []
    return _repeated(profile, negative)


def _above(profile: Profile) -> list[float]:
    """Nines (and what stands beside them) far above all values."""
    # an infinite value is no code
    rising = [float(v) for v in profile.highest if math.isfinite(v)]
    family = _family(rising[-1]) if rising else frozenset()
    tail = list(takewhile(lambda v: v in family, reversed(rising)))[::-1]
    rest = rising[: len(rising) - len(tail)]
    if not tail or not rest or len(tail) > MOST_CODES:
        return []
    # a run of values that goes on up to the nines is no tail
    while len(tail) > 1 and tail[0] - rest[-1] <= tail[1] - tail[0] and len(rest) > 1:
        if tail[0] - rest[-1] > 1:
            break
        rest.append(tail.pop(0))
    gap, high = tail[0] - rest[-1], rest[-1]
    if len(family) <= 3:
        # 1 2 3 4 9, and not 0 3 6 9
        far = high <= 5 and gap >= 3 and _without_gap(rest)
    else:
        times = FAR_OF_TWO if tail[-1] < 100 else FAR
        far = tail[0] >= times * high or gap >= APART * (high - rest[0])
        far = far and gap >= STEPS
        if not far and gap >= STEPS and profile.is_whole:
            near = profile.counts([*rest[-NEAR:]])
            often = sum(profile.counts(tail))
            far = often >= max(AT_LEAST, SPIKE * max(near))
    return _repeated(profile, tail) if far else []


def _family(top: float) -> frozenset[float]:
    """The codes of as many figures as a number of nines: 999, 998, 997, 888, ..."""
    if not 0 < top < MOST_NINES:
        return frozenset()
    for tenth in (1.0, 10.0):
        whole = round(top * tenth)
        if abs(whole - top * tenth) > 1e-9 or whole <= 0:
            continue
        figures = len(str(whole))
        nines = 10**figures - 1
        if figures == 1:
            return frozenset((7.0, 8.0, 9.0)) if whole in (8, 9) else frozenset()
        codes = {nines - n for n in range(5)} | {nines // 9 * n for n in (6, 7, 8)}
        if whole in codes:
            return frozenset(code / tenth for code in codes)
    return frozenset()


def _without_gap(values: list[float]) -> bool:
    whole = all(value == round(value) for value in values)
    return whole and values[-1] - values[0] + 1 == len(values)


def _repeated(profile: Profile, codes: list[float]) -> list[float]:
    """The codes, if some is seen twice and not nearly everything is one."""
    counts = profile.counts(codes)
    if max(counts) < 2 or sum(counts) > MOST_MISSING * profile.n:
        return []
    return codes


def _few_texts(profile: Profile) -> list[str]:
    return [str(text) for text in profile.few]


def _bare(text: str) -> str:
    return text.strip().lower()


def _plain(code: float) -> Code:
    return int(code) if code.is_integer() else code


def _typed(code: str) -> Code:
    """A code as a number where it is one."""
    try:
        return _plain(float(code))
    except ValueError:
        return code


def _text(value: object) -> str:
    if isinstance(value, float) and value.is_integer():
        return str(int(value))
    return str(value)
