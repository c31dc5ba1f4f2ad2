"""What a part of an assessment holds in memory, of a file that is larger than memory.

What would hold more than is allowed does not run, and says so: the verdict is then 'not assessed'.
"""

from __future__ import annotations

from dataclasses import dataclass

from tacit.attack.base import Attacker
from tacit.attack.nearest import Nearest
from tacit.base.errors import InputError
from tacit.base.facts import MeasurePasses, facts_of
from tacit.base.free_memory import free_memory
from tacit.data.microdata import Kind, Microdata

# the program with its libraries, compiled kernels, and the blocks of a search that are kept
BASE = 700 * 10**6
# bytes per record: a column of both files, sorted and compared (interval disclosure takes 150)
ONE_COLUMN = 160
# of each key: its codes, those of the classes, and one key left out
EACH_KEY = 40
# bytes per record and compared column: values of both files, as vectors, in order, copied
EACH_OF_SEVERAL = 80
# links of an attack and who ties, and while columns are looked at for raw values: 1,000,000 x 5
# took 1.05 GB, this says 1.0
LINKS = 220
# arcs of an assignment: a dozen candidates with cost, prices and paths; 1,000,000 records took 2 GB
ARCS = 1500
# of the memory that is free, what one run may take
SHARE = 0.8


@dataclass(frozen=True)
class Allowed:
    """How much memory an assessment of two files may take."""

    original: Microdata
    masked: Microdata
    limit: int

    @classmethod
    def of(
        cls, original: Microdata, masked: Microdata, limit: int | None
    ) -> Allowed | None:
        """None: the files are in memory already, and nothing is refused."""
        if original.in_memory and masked.in_memory:
            return None
        return cls(original, masked, limit or int(SHARE * free_memory()))

    def refuse_measure(self, measure: object) -> None:
        """Raise if a measure would hold too much."""
        self._refuse(*self._of_measure(facts_of(measure).passes))

    def refuse_attack(self, attacker: Attacker) -> None:
        """Raise if an attack would hold too much."""
        if isinstance(attacker, Nearest) and attacker.works_over_blocks:
            self._refuse(LINKS + ONE_COLUMN // 2, "the links of all records")
            return
        columns = len(self.original.quasi)
        self._refuse(
            ARCS + 2 * columns * EACH_OF_SEVERAL,
            "the compared columns and the links that come into question",
        )

    def _of_measure(self, passes: MeasurePasses) -> tuple[int, str]:
        """Bytes per record, and what they are."""
        schema, names = self.original.schema, self.original.quasi
        if passes == "runs":
            return 0, ""
        if passes == "columns":
            return ONE_COLUMN, "one column of both files"
        if passes == "links":
            return LINKS, "the links of all records"
        if passes == "keys":
            keys = [name for name in names if schema[name].scale is not Kind.continuous]
            number = len(keys or names)
            return ONE_COLUMN + number * EACH_KEY, f"{number} key columns"
        return 2 * len(names) * EACH_OF_SEVERAL, "all compared columns"

    def _refuse(self, each: int, what: str) -> None:
        needed = BASE + each * max(self.original.n, self.masked.n)
        if each and needed > self.limit:
            raise InputError(
                f"it holds {what} in memory, about {needed / 1e9:.1f} GB, "
                f"and {self.limit / 1e9:.1f} GB are allowed (--memory)"
            )
