"""The look before protection, as the roles page shows it; the counting is that of `tacit.risk`."""

from __future__ import annotations

from tacit.app.messages import LookView
from tacit.data.microdata import Microdata
from tacit.report.words import count, percent
from tacit.risk.frequencies import frequencies
from tacit.risk.individual import individual
from tacit.risk.look import ENOUGH, Look, look

# The size of a group below which people are counted beside those who are alone.
SMALL = 5
ALONE = "alone with their keys"
FOUND = "found by who knows who is in the file"


def look_of(data: Microdata) -> LookView:
    """Figures, keys, sizes and records in words."""
    seen = look(data)
    order = sorted(seen.keys, key=lambda name: -seen.contributions[name])
    return {
        "verdict": seen.verdict[:1].upper() + seen.verdict[1:] + ".",
        "state": "bad" if seen.violations[ENOUGH] else "warn",
        "figures": _figures(seen),
        "unit": f"{seen.unit.capitalize()}s",
        "ks": list(seen.violations),
        "sizes": [
            {
                "number": size.keys,
                "below": [count(round(size.mean[k])) for k in size.mean],
            }
            for size in seen.sizes
        ],
        "keys": [
            {
                "name": name,
                "share": percent(seen.contributions[name] / 100),
                "alone": count(seen.alone[name]),
            }
            for name in order
        ],
        "riskiest": [
            {
                "row": count(one.row),
                "risk": percent(one.risk),
                "alone_on": ", ".join(f"{n} = {one.values[n]}" for n in one.alone_on),
            }
            for one in seen.riskiest
        ],
        "note": _note(seen),
    }


def counts_of(data: Microdata) -> list[dict[str, str]]:
    """The figures that follow every choice of a key: a fraction of what the whole look costs.

    They are those of the look, so that nothing jumps when it arrives.
    """
    if not data.quasi:
        return []
    counted = frequencies(data, data.quasi, missing="category")
    everybody = data.drop(data.schema.names(role="weight"))
    expected = individual(everybody, data.quasi, missing="category").expected
    units = counted.units
    below = counted.violations(SMALL) / units.number
    return [
        {"label": f"{units.word}s", "value": count(units.number)},
        {"label": ALONE, "value": percent(counted.violations(2) / units.number)},
        {"label": f"in groups below {SMALL}", "value": percent(below)},
        {"label": FOUND, "value": count(round(expected))},
    ]


def _figures(seen: Look) -> list[dict[str, str]]:
    figures = [
        {"label": f"{seen.unit}s", "value": count(seen.units)},
        {"label": ALONE, "value": percent(seen.uniques / seen.units)},
        {
            "label": f"in groups below {SMALL}",
            "value": percent(seen.violations[SMALL] / seen.units),
        },
        {
            "label": FOUND,
            "value": count(round(seen.in_file)),
        },
    ]
    if seen.weighted:
        label = "found by who does not, by the weights"
        figures.append({"label": label, "value": count(seen.expected)})
    if seen.households is not None:
        figures.insert(1, {"label": "households", "value": count(seen.households)})
    return figures


def _note(seen: Look) -> str:
    """What the figures rest on."""
    sets = "some sets" if seen.sampled else "all sets"
    return f"Groups are means over {sets} of that many keys."
