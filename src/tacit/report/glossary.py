"""The words of the report, each explained in a sentence or two.

The same words as in the code and the docs.
"""

from __future__ import annotations

# Sentences for readers who meet statistical disclosure control for the first time.
WORDS: dict[str, str] = {
    "original, masked": (
        "The file before protection, which stays inside, and the file after it, "
        "which is released."
    ),
    "quasi-identifier": "A column that an intruder may know from elsewhere, such as age or "
    "income, and use to find a person.",
    "confidential": "A column that is released as it is because the intruder does not know "
    "it; it is what they would learn.",
    "intruder": "Someone who holds the original values of the quasi-identifiers and tries"
    " to say which masked record belongs to whom.",
    "correct links": "How many people the intruder names rightly, in expectation. An original "
    "that matches g identical masked records, one of them its own, counts "
    "1/g. Row order is never used.",
    "chance": "What blind guessing would get right. A rate near chance means that the "
    "attack learned nothing.",
    "95 % interval": "The range in which the rate would fall for most files like this one.",
    "nearest record": "An intruder who names the most similar masked record, for each person "
    "separately.",
    "optimal assignment": (
        "An intruder who knows that every masked record belongs to one person, "
        "and solves for all links together. The strongest of those who use "
        "distances alone."
    ),
    "columns left alone": (
        "An intruder who sees which columns were released unchanged and links by "
        "those only."
    ),
    "loss": "How far results computed on the masked file are from those of the "
    "original. 0 means that nothing changed.",
    "score": "Half loss and half disclosure risk, both from 0 to 100; lower is better.",
    "frontier": "The plans that no other plan beats on both risk and loss.",
    "group": "Records of the masked file with the same values in all quasi-"
    "identifiers.",
    "plan": "The ordered steps of protection with their parameters. The "
    "same plan and file give the same bytes.",
}


def entries() -> list[tuple[str, str]]:
    """Word and explanation, in the order in which a reader meets them."""
    return list(WORDS.items())
