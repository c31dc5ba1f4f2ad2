"""Sets of thresholds with the names that offices give to releases.

They are conventions and no law: how much risk is accepted depends on who gets the file, and what a
contract or a guarded room keeps them from doing. A file for everybody has the defaults of the
verdict. Every threshold of the others is at least as high, and all are shown beside what was found.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

from tacit.assess.verdict import ATTACK, thresholds_of_measures

OWN = "own"
"""The name of thresholds that are none of the sets."""


@dataclass(frozen=True)
class Preset:
    """Thresholds for one sort of release."""

    name: str
    title: str
    why: str
    attack: float
    """The largest share of people that the strongest intruder may find."""
    changes: Mapping[str, float] = field(default_factory=dict)
    """Thresholds of measures that differ from their defaults."""

    @property
    def thresholds(self) -> dict[str, float]:
        """Every threshold by measure; that of the strongest attack is the one for attacks."""
        return {**thresholds_of_measures(), **self.changes, "strongest": self.attack}


PRESETS = {
    preset.name: preset
    for preset in (
        Preset(
            "public",
            "public use file",
            "everybody may have it, and nobody has signed anything",
            ATTACK,
        ),
        # 0.09 is what the European Medicines Agency (2016, policy 0070) and Health Canada
        # (2019) accept for published clinical reports, where groups of eleven are usual
        Preset(
            "scientific",
            "scientific use file",
            "researchers who signed a contract not to look for anybody",
            0.09,
            {
                "worst_off": 0.01,
                "individual": 0.02,
                "population_uniques": 0.005,
                "household": 0.09,
                "household_keys": 0.09,
                "person_keys": 0.09,
                "marketer": 0.09,
            },
        ),
        # 0.2 is one in five: the group of five that enclaves ask for
        Preset(
            "secure",
            "secure room",
            "it is looked at in a guarded room, and results are checked before they leave",
            0.2,
            {
                "worst_off": 0.05,
                "subgroups": 0.5,
                "individual": 0.1,
                "population_uniques": 0.02,
                "suda": 0.05,
                "household": 0.2,
                "household_keys": 0.2,
                "person_keys": 0.2,
                "marketer": 0.2,
            },
        ),
    )
}
"""By name, the strictest first."""


def preset_of(attack: float, thresholds: Mapping[str, float]) -> str:
    """The name of the set that these thresholds are; ``own`` for none.

    >>> preset_of(0.05, {}), preset_of(0.07, {})
    ('public', 'own')
    """
    for name, preset in PRESETS.items():
        usual = preset.thresholds
        same = all(usual.get(one) == limit for one, limit in thresholds.items())
        missing = set(preset.changes) - set(thresholds)
        if attack == preset.attack and same and not missing:
            return name
    return OWN
