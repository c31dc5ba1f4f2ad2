"""Text: yes and no, dates, steps of a scale, codes, categories, or sentences."""

from __future__ import annotations

import re

import numpy as np

from tacit.data.column import Kind, Role
from tacit.data.inference import name_words
from tacit.data.inference.guess import Guess
from tacit.data.inference.orders import in_order
from tacit.data.inference.profile import LEAST_VALUES, Profile
from tacit.data.inference.text_dates import of_dates

YES_NO = (
    ("yes", "no"), ("y", "n"), ("true", "false"), ("t", "f"), ("1", "0"), ("ja", "nein"),
    ("j", "n"), ("ja", "nee"), ("ja", "nej"), ("ja", "nei"), ("oui", "non"), ("o", "n"),
    ("si", "no"), ("sí", "no"), ("s", "n"), ("sim", "não"), ("sim", "nao"), ("tak", "nie"),
    ("ano", "ne"), ("áno", "nie"), ("da", "ne"), ("da", "nu"), ("igen", "nem"),
    ("kyllä", "ei"), ("jah", "ei"), ("taip", "ne"), ("jā", "nē"), ("evet", "hayır"),
    ("ναι", "όχι"), ("да", "нет"), ("так", "ні"), ("是", "否"), ("はい", "いいえ"),
)  # fmt: skip
"""Yes and no in the languages of files that we know of."""
# two words are a pair and no scale
LEAST_OF_ORDER = 3
# 19 of 20
MOST = 0.95
CODES: dict[str, re.Pattern[str]] = {
    "ICD-10 codes": re.compile(r"[A-TV-Z]\d[0-9A-Z](\.?[0-9A-Z]{1,4})?", re.IGNORECASE),
    "ATC codes": re.compile(r"[A-Z]\d{2}[A-Z]{2}\d{2}"),
    "NACE codes": re.compile(r"([A-U]\s?)?\d{2}\.\d{1,2}"),
    "postcodes": re.compile(
        r"[A-Z]{1,2}\d[A-Z\d]? ?\d[A-Z]{2}|\d{4} ?[A-Z]{2}|[A-Z]\d[A-Z] ?\d[A-Z]\d|\d{5}-\d{4}"
        r"|[A-Z]{1,2}-\d{4,5}"
    ),
    "numbers with leading zeros": re.compile(r"\d+"),
}
"""Texts that stand in a classification."""
_NUMBER = r"[$€£]?\d[\d.,]*\s*[kK]?"
_RANGE = re.compile(
    rf"[\[(]?\s*-?{_NUMBER}\s*(-|–|to|bis|,|a|à)\s*-?{_NUMBER}\s*[\])]?"
    rf"|{_NUMBER}\s*(\+|and over|or more|y más|und mehr)"
    rf"|([<>≤≥]=?|under|over|less than|more than)\s*{_NUMBER}",
    re.IGNORECASE,
)
_ZERO = re.compile(r"(?<![\d.,])0\d")
# free text: sentences rather than names of things. Places and occupations have up to four words.
SENTENCE_WORDS = 5
SENTENCE_SIGNS = 40
# a category that is seen less than twice is hardly one
OFTEN_DIFFERENT = 0.5
# nearly as good as different in every record
NEARLY_ALL = 0.9


def of_texts(profile: Profile) -> Guess:
    """What a column of text is, identifiers apart.

    Parameters
    ----------
    profile : Profile
        A column that is stored as text.
    """
    if profile.n == 0:
        return Guess(Kind.nominal, "text, all missing", "unsure")
    # the narrowest description first: a date is a code as well
    looks = (_yes_no, of_dates, _sentences, _ordered, _codes)
    # who calls a column an area means no range of numbers
    if is_named_code(profile):
        looks = (_yes_no, _codes, of_dates, _sentences, _ordered)
    for look in looks:
        found = look(profile)
        if found is not None:
            return found
    size = profile.size
    enough = profile.n >= LEAST_VALUES
    if enough and size >= NEARLY_ALL * profile.n:
        return Guess(
            Kind.nominal,
            "text",
            "unsure",
            ask="text that differs in nearly every record: does it name people?",
            role=Role.identifier,
            role_why="text that differs in nearly every record",
        )
    if enough and size > OFTEN_DIFFERENT * profile.n:
        ask = "text with as many values as records, nearly: does it name people?"
        return Guess(Kind.nominal, "text", "unsure", ask=ask)
    return Guess(Kind.nominal, "text")


def _bare(text: str) -> str:
    """'1. Yes' and '2 = No' without their codes."""
    return re.sub(r"^\(?\d+[.):=\s-]+\s*", "", text.strip().lower())


def _yes_no(profile: Profile) -> Guess | None:
    if profile.size != 2:
        return None
    # labels are often written with their codes
    both = {_bare(str(text)) for text in profile.distinct}
    if any(both == set(pair) for pair in YES_NO):
        return Guess(Kind.boolean, "yes and no")
    return None


def _sentences(profile: Profile) -> Guess | None:
    texts = profile.sample
    words = [len(text.split()) for text in texts]
    signs = [len(text) for text in texts]
    mean_words = float(np.mean(words))
    mean_signs = float(np.mean(signs))
    # few long words (chemical names) are no sentences, nor many short ones
    wordy = mean_words >= SENTENCE_WORDS and mean_signs >= SENTENCE_SIGNS / 2
    long = mean_signs >= SENTENCE_SIGNS and mean_words >= 2
    varied = profile.size > OFTEN_DIFFERENT * profile.n
    if not (varied and (wordy or long)):
        return None
    return Guess(
        Kind.text,
        "sentences, hardly two alike",
        "likely",
        role=Role.identifier,
        role_why="free text is dropped unless you give the column another role",
    )


def _ordered(profile: Profile) -> Guess | None:
    """Words with an order, or classes such as 18-24."""
    texts = [str(text) for text in profile.distinct]
    # a scale with more words than the longest order is none
    if len(texts) > 30:
        return None
    rank = in_order([_bare(text) for text in texts])
    if rank is not None and len(texts) >= LEAST_OF_ORDER:
        ranked = tuple(text for _, text in sorted(zip(rank, texts, strict=True)))
        return Guess(Kind.ordinal, "words with an order", "likely", categories=ranked)
    ranges = len(texts) >= LEAST_OF_ORDER and profile.share(_RANGE) == 1
    # 28-01100 is an area, and nobody writes an amount with a zero before it
    ranges = ranges and not any(_ZERO.search(text) for text in texts)
    if ranges and any(re.search(r"\d\s*(-|–|to|bis|,)", text) for text in texts):
        # as text 100-199 would stand before 20-29
        ranked = tuple(sorted(texts, key=_place))
        return Guess(Kind.ordinal, "classes of numbers", "likely", categories=ranked)
    return None


def _place(text: str) -> tuple[float, int, float]:
    """Where a class stands: by its first number; 'under' before, 'over' after."""
    numbers = [
        float(number.replace(",", "").rstrip("."))
        for number in re.findall(r"\d[\d,]*(?:\.\d+)?", text.replace(" ", ""))
    ]
    below = bool(re.match(r"\s*(<|≤|under|less)", text, re.IGNORECASE))
    above = bool(
        re.match(r"\s*(>|≥|over|more)", text, re.IGNORECASE)
        or re.search(r"\+|and over|or more|más|mehr", text)
    )
    # 'under 20' and '20-29' begin with the same number
    side = -1 if below else int(above)
    return (numbers[0], side, numbers[-1])


def is_named_code(profile: Profile) -> bool:
    """The name says that the texts stand in a classification."""
    return profile.says(name_words.CODES) or profile.holds(name_words.CODE_STEMS)


def _codes(profile: Profile) -> Guess | None:
    for what, pattern in CODES.items():
        if profile.share(pattern) < MOST:
            continue
        # '007' as text is no number; text without zeros is one that somebody quoted
        zeros = any(re.match(r"0\d", text) for text in profile.sample)
        if what.startswith("numbers") and not zeros:
            break
        if profile.size >= LEAST_OF_ORDER:
            return Guess(Kind.code, what, "likely")
    named = is_named_code(profile)
    coded = profile.share(re.compile(r"[\w.-]*\d[\w.-]*")) >= MOST
    if (named and coded) or profile.labelled(name_words.CODE_LABEL):
        return Guess(Kind.code, "named like a code", "likely")
    return None
