"""The look before protection, as the roles page shows it; the counting is that of `tacit.risk`."""

from __future__ import annotations

from tacit.app.messages import LookView
from tacit.data.microdata import Microdata
from tacit.report.words import count, percent
from tacit.risk.look import ENOUGH, Look, look


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
            {"number": size.keys, "below": [count(size.mean[k]) for k in size.mean]}
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


def _figures(seen: Look) -> list[dict[str, str]]:
    figures = [
        {"label": f"{seen.unit}s", "value": count(seen.units)},
        {"label": "alone with their keys", "value": percent(seen.uniques / seen.units)},
        {
            "label": "in groups below 5",
            "value": percent(seen.violations[5] / seen.units),
        },
        {
            "label": "found by who knows who is in the file",
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
