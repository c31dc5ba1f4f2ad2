"""Names of columns that Stata, SPSS and SAS allow, and what was renamed."""

from __future__ import annotations

import re
import unicodedata
import warnings
from collections.abc import Iterable
from dataclasses import dataclass

import pyarrow as pa

from tacit.base.errors import TacitWarning
from tacit.data.notes import annotate
from tacit.data.notes import columns as said_of_columns


@dataclass(frozen=True)
class Rules:
    """What a program allows in a name."""

    program: str
    #: most bytes (Stata: characters) of a name
    longest: int
    #: characters that may stand after the first
    more: str
    #: may names hold letters of every language?
    letters: bool
    #: may a name begin with an underscore?
    underscore: bool
    reserved: frozenset[str]
    #: are A and a the same name?
    folds: bool


# words of the languages, which no column may be named
_STATA = frozenset(
    {"_all", "_b", "byte", "_coef", "_cons", "double", "float", "if", "in", "int"}
    | {"long", "_n", "_N", "_pi", "_pred", "_rc", "_skip", "str", "strL"}
    | {"using", "with"}
)
_SPSS = frozenset(
    ("ALL", "AND", "BY", "EQ", "GE", "GT", "LE", "LT", "NE", "NOT", "OR", "TO", "WITH")
)

RULES = {
    ".dta": Rules("Stata", 32, r"\w", True, True, _STATA, False),
    ".sav": Rules("SPSS", 64, r"\w.@#$", True, False, _SPSS, True),
    ".zsav": Rules("SPSS", 64, r"\w.@#$", True, False, _SPSS, True),
    ".por": Rules("SPSS", 8, "A-Z0-9_.@#$", False, False, _SPSS, True),
    ".xpt": Rules("SAS", 32, "A-Za-z0-9_", False, True, frozenset(), True),
}


def legal(names: Iterable[str], ending: str) -> dict[str, str]:
    """Each name, and the name that it has in a file with this ending.

    Names that are legal stay; others are changed as little as possible, and never into a name
    that another column has.

    >>> legal(["age", "net income", "2nd"], ".dta")
    {'age': 'age', 'net income': 'net_income', '2nd': 'v2nd'}
    """
    names = list(names)
    rules = RULES.get(ending)
    if rules is None:
        return {name: name for name in names}
    out: dict[str, str] = {}
    taken: set[str] = set()
    # legal names first: they keep what they have
    for name in sorted(names, key=lambda name: _made(name, rules) != name):
        made = _made(name, rules)
        base, number = made, 1
        # two columns may become one name once signs are gone
        while _folded(made, rules) in taken:
            number += 1
            suffix = f"_{number}"
            made = _cut(base, rules.longest - len(suffix)) + suffix
        taken.add(_folded(made, rules))
        out[name] = made
    return {name: out[name] for name in names}


def tell(names: dict[str, str], ending: str) -> None:
    """Warn of what was renamed."""
    renamed = [f"'{old}' is '{new}'" for old, new in names.items() if old != new]
    if renamed:
        warnings.warn(
            f"{RULES[ending].program} does not allow some names of columns; in the "
            f"release {', '.join(renamed)}",
            TacitWarning,
            stacklevel=2,
        )


def named_back(table: pa.Table, names: dict[str, str]) -> pa.Table:
    """The table of a file with the names that its columns had before, and what is said of them.

    ``names`` are those of ``legal``: each name, and the one that it has in the file.
    """
    before = {there: name for name, there in names.items()}
    said = {}
    for name, entry in said_of_columns(table).items():
        said[before.get(name, name)] = entry
    names_before = [before.get(name, name) for name in table.column_names]
    # Arrow forgets the notes of a table that it renames
    renamed = table.rename_columns(names_before)
    noted = renamed.replace_schema_metadata(table.schema.metadata)
    return annotate(noted, columns=said)


def _made(name: str, rules: Rules) -> str:
    made = name
    if not rules.letters:
        # é becomes e where the format has plain letters only
        plain = unicodedata.normalize("NFKD", made)
        made = plain.encode("ascii", "ignore").decode()
    upper = "a-z" not in rules.more and not rules.letters
    if upper:
        made = made.upper()
    made = re.sub(f"[^{rules.more}]", "_", made)
    made = _cut(made, rules.longest)
    prefix = "V" if upper else "v"
    if not made:
        return prefix
    first = made[0]
    if not (first.isalpha() or (first == "_" and rules.underscore)):
        made = _cut(prefix + made, rules.longest)
    if rules.program == "SPSS":
        # a full stop ends a command
        made = made.rstrip(".") or prefix
    is_reserved = (
        made.upper() in rules.reserved if rules.folds else made in rules.reserved
    )
    if is_reserved or (rules.program == "Stata" and re.fullmatch(r"str\d+", made)):
        made = f"{made}_"
    return made


def _cut(name: str, longest: int) -> str:
    # letter by letter: a cut inside of one would leave half of it
    while len(name.encode()) > longest:
        name = name[:-1]
    return name


def _folded(name: str, rules: Rules) -> str:
    return name.upper() if rules.folds else name
