"""What was found in a release beside the attacks, as rows of the verdict."""

from __future__ import annotations

import math
from collections.abc import Mapping

from tacit.assess.contents import Contents
from tacit.assess.own_values import OwnValues
from tacit.assess.verdict import (
    ATTACK,
    FAILS,
    INFORMATION,
    MISSING,
    PASSES,
    RAW_RECORDS,
    Row,
)
from tacit.attack.alignment import Alignment

WHAT_TO_DO = (
    "rows of the two files do not seem to belong together: rows of a release are shuffled, and "
    "its private manifest says which is whose (--plan RELEASE.manifest.json); or say it yourself "
    "(truth=..., --key COLUMN), or that row i is row i (truth='rows', --aligned)"
)

COPIES = (
    "released records are as near to originals as copies, but not to those of their rows: either "
    "it was said wrongly which row is whose, or the release repeats records of other people in "
    "the file"
)


def release_rows(contents: Contents, limits: Mapping[str, float]) -> list[Row]:
    """Identifiers, raw columns and raw records; what was declared or guessed, for information."""
    limit = limits.get("raw_columns", limits.get("attack", ATTACK))
    raw_limit = limits.get("raw_records", RAW_RECORDS)
    rows = [
        _identifiers(contents),
        _raw_columns(contents, limit),
        _raw_records(contents, raw_limit),
    ]
    if contents.declared:
        what = "declared confidential or weights, released as they are and looked at as any other"
        rows.append(_told("declared_columns", contents.declared, what))
    if contents.inferred:
        why = "; ".join(
            f"'{name}' ({said})" for name, said in contents.inferred.items()
        )
        what = f"{why}: released as they are, which nobody declared; looked at as any other"
        number = float(len(contents.inferred))
        rows.append(Row("undeclared_columns", number, None, INFORMATION, what))
    if contents.pseudonyms:
        what = "pseudonyms of a secret key, by which rows of a unit are known to belong together"
        rows.append(_told("pseudonyms", contents.pseudonyms, what))
    return rows


def own_rows(found: OwnValues) -> list[Row]:
    """Columns whose values were shown to be other people's, and records that are somebody's."""
    if found.copied and not found.seen:
        return [Row("alignment", float("nan"), 0.0, MISSING, COPIES)]
    if not found.others:
        return []
    number = float(len(found.others))
    return [Row("values_of_others", number, None, INFORMATION, found.sentence)]


def alignment_row(alignment: Alignment | None, certain: bool) -> Row | None:
    """Whether rows belong together. ``certain``: an attack has proved that they do."""
    if alignment is None:
        return None
    if alignment.aligned or certain:
        return Row("alignment", alignment.score, None, INFORMATION, str(alignment))
    return Row("alignment", alignment.score, 0.0, MISSING, WHAT_TO_DO)


def _identifiers(contents: Contents) -> Row:
    standing = FAILS if contents.identifiers else PASSES
    why = "; ".join(contents.identifiers.values()) or "no identifier is in the release"
    return Row(
        "identifiers_released", float(len(contents.identifiers)), 0.0, standing, why
    )


def _raw_columns(contents: Contents, limit: float) -> Row:
    """Who can be read off the columns that were released as they are."""
    standing = FAILS if contents.singled_out > limit else PASSES
    why = _who_is_whose(contents) or "every column that nobody declared was changed"
    return Row("raw_columns", contents.singled_out, limit, standing, why)


def _who_is_whose(contents: Contents) -> str:
    """Which columns have which values; those that kept their names are told together."""
    kept: dict[str, list[str]] = {}
    renamed: list[str] = []
    for name, found in contents.raw.items():
        if name == found.column:
            kept.setdefault(found.relation, []).append(f"'{name}'")
        else:
            renamed.append(f"'{name}' has {found.relation} as '{found.column}'")
    told = [
        f"{', '.join(names)}: {relation} as in the original"
        for relation, names in kept.items()
    ]
    return "; ".join([*told, *renamed])


def _raw_records(contents: Contents, limit: float) -> Row:
    standing = FAILS if contents.raw_records > limit else PASSES
    why = "released records that equal one original record, and no other"
    return Row("raw_records", contents.raw_records, limit, standing, why)


def _told(
    name: str,
    columns: list[str],
    why: str,
) -> Row:
    return Row(
        name, float(len(columns)), None, INFORMATION, f"{', '.join(columns)}: {why}"
    )


def above_chance(
    rate: float,
    chance: float,
    records: int,
) -> bool:
    """An attack that finds far more than chance along the rows proves that they are aligned.

    Four standard deviations of the binomial, and at least three records.
    """
    expected = chance * records
    return rate * records > max(3.0, expected + 4.0 * math.sqrt(max(expected, 1.0)))
