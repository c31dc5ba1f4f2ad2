"""The ways in which a record can be told: one line each."""

from __future__ import annotations

from collections.abc import Iterator

from tacit.attack.features.agreement import Learned
from tacit.attack.features.classes import classes
from tacit.attack.features.differences import differences
from tacit.attack.features.feature import Feature
from tacit.attack.features.forest import LEFT, TOLD
from tacit.attack.features.relations import (
    BENT,
    BY_ONE,
    BY_RANK,
    PRODUCT,
    SUM,
    relations,
)
from tacit.attack.features.two_files import TwoFiles
from tacit.attack.features.unit_rows import unit_rows
from tacit.attack.features.values import residues, values

# whether values are near is one thing, however it is read: the reading that tells most is taken
CLOSENESS = (
    "value",
    "rank",
    SUM,
    PRODUCT,
    BENT,
    BY_ONE,
    BY_RANK,
    TOLD,
    LEFT,
)


def catalogue(files: TwoFiles, pairs: Learned) -> Iterator[Feature]:
    """Every feature of these files; some are fitted on known pairs."""
    yield from values(files)
    yield from residues(files, pairs)
    yield from classes(files)
    yield from differences(files)
    yield from unit_rows(files)
    yield from relations(files, pairs)
