"""Sets of thresholds: the strictest is the default, no other is stricter, each has its name."""

from __future__ import annotations

import itertools

from tacit.assess.presets import OWN, PRESETS, preset_of
from tacit.assess.verdict import ATTACK, thresholds_of_measures


def test_a_file_for_everybody_has_the_defaults() -> None:
    public = PRESETS["public"]
    assert public.attack == ATTACK
    assert public.thresholds == thresholds_of_measures()


def test_no_set_is_stricter_than_the_one_before() -> None:
    order = list(PRESETS.values())
    for strict, loose in itertools.pairwise(order):
        assert loose.attack > strict.attack
        for name, limit in strict.thresholds.items():
            assert loose.thresholds[name] >= limit
        assert set(loose.changes) <= set(thresholds_of_measures())


def test_names() -> None:
    for name, preset in PRESETS.items():
        assert preset_of(preset.attack, preset.changes) == name
        assert preset_of(preset.attack, {**preset.changes, "suda": 0.9}) == OWN
    # an attack rate of one set with the measures of another is neither
    assert preset_of(PRESETS["secure"].attack, {}) == OWN
