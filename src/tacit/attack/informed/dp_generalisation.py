"""Private generalisation: the intruder reads the levels off the labels and compares classes."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np
import pyarrow as pa

from tacit.attack.informed.base import Informed
from tacit.attack.informed.evidence import Evidence, Rule
from tacit.attack.informed.pram import unchanged
from tacit.data.hierarchies.known_rules import rule_of
from tacit.data.hierarchies.tree import coded
from tacit.data.microdata import Kind, Microdata


class AwareDPGeneralisation(Informed):
    """Put every original into its class at the levels of the release, and look for the class.

    Parameters
    ----------
    hierarchies : dict, optional
        The rule of each column; columns without one are compared as they are.
    rule : {"assignment", "nearest", "likeliest"}
        Who is named: the best bijection, each original's cheapest record, or its likeliest.
    columns : list of str, optional
        The columns that the intruder compares; the quasi-identifiers unless given.

    Notes
    -----
    **Definition.** Hierarchies are public, and the level of a column is the lowest one whose
    labels hold all that were released. Candidates are the released records of an original's class.

    **Guarantee.** None needed: who was sampled is not known to anybody.

    **Cost.** A nearest run.

    References
    ----------
    Bild, Kuhn and Prasser (2018).

    Examples
    --------
    >>> x = {"icd": ["J45", "K20"]}
    >>> z = {"icd": ["J*", "K*"]}
    >>> AwareDPGeneralisation(hierarchies={"icd": {"prefix": [1]}}).link(x, z).correct
    2.0
    """

    title = "Knows the hierarchies, reads the levels and compares classes"

    method = "dp_generalisation"

    def __init__(
        self,
        hierarchies: dict[str, Any] | None = None,
        rule: Rule = "assignment",
        columns: list[str] | None = None,
    ) -> None:
        self.hierarchies = hierarchies
        self.rule = rule
        self.columns = columns

    @classmethod
    def knowing(
        cls,
        protector: Any,
        original: Microdata,
    ) -> AwareDPGeneralisation:
        """The hierarchies are public; the sample is not."""
        return cls(hierarchies=protector.hierarchies)

    @property
    def knows(self) -> str:
        """Who the intruder is and what they know, in one phrase."""
        return self._says("the hierarchies and the levels, and compares classes")

    def evidence(
        self,
        original: Microdata,
        masked: Microdata,
        columns: list[str],
    ) -> Evidence:
        """Another class counts heavily."""
        given = self.hierarchies or {}
        for name in columns:
            if name in given:
                original = _generalised(original, masked, name, given)
        return unchanged(original, masked, columns)


def _generalised(
    original: Microdata,
    masked: Microdata,
    name: str,
    given: Mapping[str, Any],
) -> Microdata:
    """The originals' labels at the level of the release."""
    found = coded(rule_of(given[name], name), original, name)
    released = masked.table.column(name).cast(pa.string()).unique().to_pylist()
    seen = {label for label in released if label is not None}
    # labels that nobody of the originals has are of records that the intruder does not know
    held = [len(seen & set(labels)) for labels in found.tree.labels]
    level = int(np.argmax(held))
    classes = found.tree.classes[level]
    labels = found.tree.labels[level]
    texts = [labels[classes[code]] if code >= 0 else None for code in found.codes]
    return original.with_column(name, pa.array(texts, pa.string()), kind=Kind.nominal)
