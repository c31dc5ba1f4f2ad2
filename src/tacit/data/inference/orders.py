"""Words that have an order, in the languages of surveys; lowest first."""

from __future__ import annotations

import re
from collections.abc import Sequence

ORDERS = (
    ("very low", "low", "medium", "moderate", "high", "very high"),
    ("low", "med", "high"),
    ("never", "rarely", "seldom", "sometimes", "often", "usually", "always"),
    ("very poor", "very bad", "poor", "bad", "fair", "average", "good", "very good", "excellent"),
    ("strongly disagree", "disagree", "somewhat disagree", "neutral", "neither agree nor disagree",
     "somewhat agree", "agree", "strongly agree"),
    ("very dissatisfied", "dissatisfied", "neutral", "satisfied", "very satisfied"),
    ("very unhappy", "unhappy", "neutral", "happy", "very happy"),
    ("none", "mild", "moderate", "severe", "very severe"),
    ("none", "a little", "some", "a lot"),
    ("small", "medium", "large", "very large"),
    ("primary", "secondary", "tertiary"),
    ("none", "primary", "lower secondary", "upper secondary", "post secondary", "tertiary"),
    ("january", "february", "march", "april", "may", "june", "july", "august", "september",
     "october", "november", "december"),
    ("jan", "feb", "mar", "apr", "may", "jun", "jul", "aug", "sep", "oct", "nov", "dec"),
    ("monday", "tuesday", "wednesday", "thursday", "friday", "saturday", "sunday"),
    ("nie", "selten", "manchmal", "gelegentlich", "oft", "häufig", "meistens", "immer"),
    ("jamais", "rarement", "parfois", "souvent", "très souvent", "toujours"),
    ("nunca", "casi nunca", "rara vez", "a veces", "a menudo", "casi siempre", "siempre"),
    ("mai", "raramente", "qualche volta", "a volte", "spesso", "quasi sempre", "sempre"),
    ("nunca", "raramente", "às vezes", "muitas vezes", "frequentemente", "sempre"),
    ("nooit", "zelden", "soms", "vaak", "meestal", "altijd"),
    ("nigdy", "rzadko", "czasami", "często", "zawsze"),
    ("aldrig", "sällan", "ibland", "ofta", "alltid"),
    ("aldrig", "sjældent", "nogle gange", "af og til", "ofte", "altid"),
    ("nikdy", "zřídka", "někdy", "často", "vždy"),
    ("sehr schlecht", "schlecht", "teils teils", "mittelmäßig", "gut", "sehr gut"),
    ("sehr unzufrieden", "unzufrieden", "teils teils", "zufrieden", "sehr zufrieden"),
    ("stimme gar nicht zu", "stimme eher nicht zu", "teils teils", "stimme eher zu",
     "stimme voll zu"),
    ("très mauvais", "mauvais", "moyen", "bon", "très bon"),
    ("pas du tout d'accord", "plutôt pas d'accord", "plutôt d'accord", "tout à fait d'accord"),
    ("muy malo", "malo", "regular", "bueno", "muy bueno"),
    ("molto male", "male", "discretamente", "bene", "molto bene"),
    ("muito mau", "mau", "razoável", "bom", "muito bom"),
    ("zeer slecht", "slecht", "gaat wel", "goed", "zeer goed"),
    ("bardzo zły", "zły", "przeciętny", "dobry", "bardzo dobry"),
    ("not at all", "a little", "somewhat", "moderately", "quite a bit", "very much", "a lot",
     "extremely"),
    ("not at all important", "not very important", "somewhat important", "fairly important",
     "important", "very important", "extremely important"),
    ("not at all satisfied", "not very satisfied", "fairly satisfied", "very satisfied"),
)  # fmt: skip
"""Words that have an order, lowest first."""


def in_order(words: Sequence[str]) -> list[int] | None:
    """The place of each word in an order that holds them all; None: there is none.

    >>> in_order(["Always", "never", "often"])
    [6, 0, 4]
    """
    small = [" ".join(re.split(r"[\s_-]+", word.strip().lower())) for word in words]
    for order in ORDERS:
        if set(small) <= set(order) and len(set(small)) == len(small):
            return [order.index(word) for word in small]
    return None
