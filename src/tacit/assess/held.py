"""What a part of an assessment holds in memory.

What would hold more than is allowed does not run, and says so: the verdict is then 'not assessed'.
Of files in memory that is asked of attacks alone: what measures hold there is counted where it is
decided that a file fits (``scale.any_size``).
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass

from tacit.attack.base import Attacker
from tacit.attack.holding import Holding
from tacit.base.errors import InputError
from tacit.base.facts import MeasureFacts, facts_of
from tacit.base.free_memory import free_memory
from tacit.data.microdata import Kind, Microdata, Role
from tacit.data.pair import read_as
from tacit.risk.judged import keys_of

# the program with its libraries, compiled kernels, and the blocks of a search that are kept
BASE = 700 * 10**6
# bytes per combination of keys, and per key of it: codes, values, frequencies, scores
COMBINATION = 200
KEY_OF_COMBINATION = 60
# bytes per record and compared column: values of both files, as vectors, in order, copied
EACH_OF_SEVERAL = 80
# links of an attack and who ties, and while columns are looked at for raw values: 1,000,000 x 5
# took 1.05 GB, this says 1.0
LINKS = 220
# bytes per record of an attack that has run, which measures ask: links, scores, who ties
KEPT = 60
# the same with what explains each link, which files in memory have
KEPT_IN_MEMORY = 140
# times that files in memory are held: as they were read, and as numbers
COPIES = 2
# records up to which nothing is refused in memory: the dearest attack holds some 200 MB of them
SMALL = 50_000
# of the memory that is free, what one run may take
SHARE = 0.8


@dataclass(frozen=True)
class Allowed:
    """How much memory an assessment of two files may take."""

    original: Microdata
    masked: Microdata
    limit: int
    length: int | None = None
    """Records of the files, where these are their first ones."""
    on_disk: bool = True
    """Are the files on the disk? Otherwise they are held themselves."""

    @classmethod
    def of(
        cls, original: Microdata, masked: Microdata, limit: int | None
    ) -> Allowed | None:
        """None: the files are small and in memory, and nothing is refused."""
        on_disk = not (original.in_memory and masked.in_memory)
        if not on_disk and max(original.n, masked.n) <= SMALL:
            return None
        limit = limit or int(SHARE * free_memory())
        return cls(original, masked, limit, on_disk=on_disk)

    def refuse_measure(self, measure: object) -> None:
        """Raise if a measure of files on the disk would hold too much."""
        if not self.on_disk:
            return
        facts = facts_of(measure)
        self._refuse(*self._of_measure(facts), facts.holds)

    def refuse_keys(self, names: list[str]) -> None:
        """Raise if what counts these keys of the release would hold too much."""
        self._refuse(*self._of_combinations(self.masked, names))

    def why_not(self, measure: object) -> str | None:
        """Why a measure would not run; None: it would."""
        return _reason(lambda: self.refuse_measure(measure))

    def why_no_attack(self, attacker: Attacker, ran: int = 0) -> str | None:
        """Why an attack would not run after so many others; None: it would."""
        return _reason(lambda: self.refuse_attack(attacker, ran))

    def combinations(self, keys: int) -> int:
        """How many combinations of so many keys may be held."""
        return max(0, self.limit - BASE) // (COMBINATION + keys * KEY_OF_COMBINATION)

    def refuse_attack(self, attacker: Attacker, ran: int = 0) -> None:
        """Raise if an attack would hold too much, after so many others that have run."""
        if self._small:
            return
        holding = attacker.holding(self.original, on_disk=self.on_disk)
        self._refuse(self._while_held(holding, ran), holding.what)

    def of_attack(self, attacker: Attacker, ran: int = 0) -> int:
        """Bytes that an attack holds beside the program, after so many others that have run."""
        holding = attacker.holding(self.original, on_disk=self.on_disk)
        return self._while_held(holding, ran)

    def _while_held(self, holding: Holding, ran: int) -> int:
        """Bytes of this, of the files if they are in memory, and of so many attacks before."""
        if self.on_disk:
            kept, files = KEPT, 0
        else:
            kept, files = KEPT_IN_MEMORY, COPIES * self._bytes
        coordinates = self._coordinates if holding.coordinate else 0
        held = holding.bytes_of(self.records, coordinates)
        return held + ran * kept * self.records + files

    def most_of(self, attackers: Iterable[Attacker]) -> int:
        """Bytes of the whole process while the dearest of these attacks runs; 0 of small files."""
        if self._small:
            return 0
        each = [self.of_attack(attacker, ran) for ran, attacker in enumerate(attackers)]
        return BASE + max(each, default=0)

    @property
    def _small(self) -> bool:
        """Are the files so small that nothing is refused?"""
        return not self.on_disk and self.records <= SMALL

    @property
    def _bytes(self) -> int:
        """Bytes of both files in memory."""
        return sum(
            int(file.table.nbytes * self.records / max(file.n, 1))
            for file in (self.original, self.masked)
        )

    @property
    def _coordinates(self) -> int:
        """Coordinates of the compared columns: a nominal one has one for each category."""
        return sum(
            1 + len(self.original.categories(name))
            if self.original.schema[name].scale is Kind.nominal
            else 1
            for name in self.original.quasi
        )

    @property
    def records(self) -> int:
        """Records of the longer file."""
        if self.length is not None:
            return self.length
        return max(self.original.n, self.masked.n)

    def _of_measure(self, facts: MeasureFacts) -> tuple[int, str]:
        """Bytes, and what they are."""
        passes = facts.passes
        if facts.with_units is not None:
            passes = facts.way(self._has_units)
        names = self.original.quasi
        if passes in ("runs", "pieces", "sample"):
            return 0, ""
        if passes == "links":
            return LINKS * self.records, "the links of all records"
        if passes == "together":
            each = 2 * len(names) * EACH_OF_SEVERAL
            return each * self.records, "all compared columns"
        if passes == "units" and not self._has_units:
            return 0, ""
        # whose records they are stands on the disk
        release = read_as(self.original, self.masked)
        names = keys_of(release) or release.quasi
        return self._of_combinations(release, names, cells=passes == "cells")

    @property
    def _has_units(self) -> bool:
        """Do persons or households have several records?"""
        # measured: what reads files is not loaded where they are in memory
        from tacit.risk.combinations import has_units

        return has_units(self.original, self.masked)

    def _of_combinations(
        self, release: Microdata, names: list[str], *, cells: bool = False
    ) -> tuple[int, str]:
        """Bytes of the different combinations of keys, which are counted on the disk."""
        from tacit.data.io.on_disk import OnDisk
        from tacit.risk.combinations import tally, weight_of

        if not isinstance(release, OnDisk) or not names:
            return 0, ""
        found = tally(release, names, weight_of(release, None)).number
        if cells:
            columns = release.schema.names(role=Role.confidential)
            found += max(
                (
                    tally(release, [*_others(names, name), name]).number
                    for name in columns
                ),
                default=0,
            )
        each = COMBINATION + len(names) * KEY_OF_COMBINATION
        return each * found, f"{found:,} combinations of keys"

    def _refuse(self, held: int, what: str, why: str = "") -> None:
        needed = BASE + held
        if held and needed > self.limit:
            because = f" ({why})" if why else ""
            raise InputError(
                f"it holds {what} in memory{because}, about {needed / 1e9:.1f} GB, "
                f"and {self.limit / 1e9:.1f} GB are allowed (--memory)"
            )


def _others(names: list[str], name: str) -> list[str]:
    """The keys beside which a confidential column is judged."""
    return [other for other in names if other != name]


def _reason(refuse: Callable[[], None]) -> str | None:
    """What is said where something is refused."""
    try:
        refuse()
    except InputError as error:
        return str(error)
    return None
