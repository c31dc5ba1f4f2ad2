"""What an attack of a large file holds in memory: a fact about the attacker, measured.

``python -m bench.held`` measures every attacker in processes of their own; what is said here must
not be less.
"""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class Holding:
    """Bytes for each record, and for each coordinate of what is compared.

    Attributes
    ----------
    each
        Bytes for each record of the longer file.
    coordinate
        Bytes for each record and coordinate: a number is one, a nominal column has one for each
        category.
    what
        What is held, as a phrase.
    """

    each: float
    coordinate: float
    what: str

    def bytes_of(self, records: int, coordinates: int) -> int:
        """Bytes of an attack on so many records.

        >>> Holding(100, 10, "links").bytes_of(1000, 3)
        130000
        """
        return int(records * (self.each + coordinates * self.coordinate))


LINKS = "the links of all records"
GRAPH = "the graph of links that come into question"
COLUMNS = "the compared columns and the links that come into question"
