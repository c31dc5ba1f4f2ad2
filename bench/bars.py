"""Ratios as one SVG text: a line a peer, a dot a measurement, a bar to their mean; right of 1 ours
is faster.
"""

from __future__ import annotations

import math
from html import escape

from tacit.report.charts.lines import COLOURS, STYLE

_WIDTH, _LEFT, _RIGHT, _TOP, _STEP = 760, 290, 66, 58, 22


def bars(title: str, ratios: dict[str, list[float]]) -> str:
    """Peers from the hardest to beat to the easiest."""
    means = {
        peer: math.exp(sum(map(math.log, values)) / len(values))
        for peer, values in ratios.items()
    }
    low = min(0.5, *(min(values) for values in ratios.values())) / 1.2
    high = max(2.0, *(max(values) for values in ratios.values())) * 1.2
    height = _TOP + _STEP * len(ratios) + 12

    def place(value: float) -> float:
        return _LEFT + (_WIDTH - _LEFT - _RIGHT) * math.log(value / low) / math.log(
            high / low
        )

    out = [
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {_WIDTH} {height}" role="img" '
        f'font-family="system-ui, sans-serif" font-size="12"><title>{escape(title)}</title>{STYLE}',
        f'<rect class="paper" width="{_WIDTH}" height="{height}"/>',
        f'<text x="12" y="22" font-size="14" font-weight="600">{escape(title)}</text>',
    ]
    for power in range(math.ceil(math.log10(low)), math.floor(math.log10(high)) + 1):
        at = place(10.0**power)
        out.append(f'<path class="grid" d="M{at:.1f} {_TOP - 8}V{height - 12}"/>')
        out.append(
            f'<text x="{at:.1f}" y="{_TOP - 12}" text-anchor="middle">{10.0**power:,.6g}</text>'
        )
    for line, (peer, mean) in enumerate(
        sorted(means.items(), key=lambda pair: pair[1])
    ):
        middle, colour = (
            _TOP + _STEP * line + 6,
            COLOURS[0] if mean >= 1 else COLOURS[1],
        )
        left, right = sorted((place(1.0), place(mean)))
        out.append(
            f'<text x="{_LEFT - 10}" y="{middle + 4}" text-anchor="end">{escape(peer)}</text>'
        )
        out.append(
            f'<rect x="{left:.1f}" y="{middle - 6}" width="{right - left:.1f}" height="12" fill="{colour}" '
            f'fill-opacity=".35"/>'
        )
        out += [
            f'<circle cx="{place(v):.1f}" cy="{middle}" r="3" fill="{colour}"/>'
            for v in ratios[peer]
        ]
        out.append(
            f'<text x="{_WIDTH - 8}" y="{middle + 4}" text-anchor="end">{mean:,.3g}</text>'
        )
    out.append(f'<path class="axis" d="M{place(1.0):.1f} {_TOP - 8}V{height - 12}"/>')
    return "\n".join([*out, "</svg>", ""])
