"""A line chart as one SVG text, without a plotting library: axes, linear or logarithmic, points,
intervals, legend.

Kept this small on purpose: the figures of the papers are lines and points over one parameter, and an SVG in a
results folder must open anywhere and diff in version control.
"""

from __future__ import annotations

import math
from dataclasses import dataclass, field
from html import escape
from textwrap import wrap

#: colours that stay apart for colour-blind readers (Okabe and Ito 2008; grey and olive for black and light grey)
COLOURS = ("#0072B2", "#D55E00", "#009E73", "#CC79A7", "#E69F00", "#56B4E9", "#777777", "#B09C00")
#: light and dark, as the page around the picture
STYLE = (
    "<style>text{fill:#222}.note{fill:#666}.paper{fill:#fff}.grid{stroke:#e5e5e5}.axis{stroke:#333;fill:none}"
    "@media(prefers-color-scheme:dark){text{fill:#ddd}.note{fill:#aaa}.paper{fill:#1e2129}.grid{stroke:#3a3f4b}"
    ".axis{stroke:#bbb}}</style>"
)
_WIDTH, _HEIGHT, _LEFT, _RIGHT, _TOP, _BOTTOM = 720, 440, 76, 200, 40, 56
_LETTERS = 25  # of a name that fit into one line of the legend


@dataclass
class Line:
    """One series: points (x, y), optional interval (low, high) at each point, dashed or scattered if
    asked.
    """

    name: str
    points: list[tuple[float, float]]
    interval: list[tuple[float, float]] = field(default_factory=list)
    dashed: bool = False
    scatter: bool = False


@dataclass
class _Axis:
    low: float
    high: float
    log: bool
    start: float
    end: float

    def place(self, value: float) -> float:
        low, high = self.low, self.high
        if self.log:
            low, high, value = math.log10(low), math.log10(high), math.log10(max(value, self.low))
        return self.start + (self.end - self.start) * (value - low) / ((high - low) or 1.0)

    def ticks(self) -> list[float]:
        if self.log:
            first, last = math.floor(math.log10(self.low)), math.ceil(math.log10(self.high))
            every = max(1, (last - first) // 6)
            ticks = [10.0**e for e in range(first, last + 1, every)]
            kept = [t for t in ticks if self.low * 0.999 <= t <= self.high * 1.001]
            return kept if len(kept) > 1 else [self.low, self.high]
        raw = (self.high - self.low) / 5 or 1.0
        unit = 10.0 ** math.floor(math.log10(raw))
        step = min((m * unit for m in (1, 2, 2.5, 5, 10) if m * unit >= raw), default=raw)
        first = math.ceil(self.low / step)
        return [i * step for i in range(first, int(self.high / step + 1e-9) + 1)]


def _axis(values: list[float], log: bool, start: float, end: float) -> _Axis:
    kept = [v for v in values if math.isfinite(v) and (v > 0 or not log)] or [0.1, 1.0]
    low, high = min(kept), max(kept)
    if log:
        low, high = low / 1.15, high * 1.15
    else:
        pad = (high - low) * 0.05 or abs(high) * 0.05 or 0.5
        low, high = (0.0 if 0 <= low <= 0.4 * high else low - pad), high + pad
    return _Axis(low, high, log, start, end)


def _label(value: float) -> str:
    if value == 0:
        return "0"
    if abs(value) >= 1e6 or abs(value) < 1e-3:
        return f"{value:.0e}".replace("e+0", "e").replace("e-0", "e-")
    return f"{value:,.6g}"


def chart(
    title: str, x: str, y: str, lines: list[Line], *, log_x: bool = False, log_y: bool = False, note: str = ""
) -> str:
    """Draw ``lines`` and return the SVG document."""
    xs = [p[0] for line in lines for p in line.points]
    ys = [p[1] for line in lines for p in line.points] + [v for line in lines for i in line.interval for v in i]
    across = _axis(xs, log_x, _LEFT, _WIDTH - _RIGHT)
    up = _axis(ys, log_y, _HEIGHT - _BOTTOM, _TOP)
    out = [
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {_WIDTH} {_HEIGHT}" role="img" '
        f'font-family="system-ui, sans-serif" font-size="12"><title>{escape(title)}</title>{STYLE}',
        f'<rect class="paper" width="{_WIDTH}" height="{_HEIGHT}"/>',
        f'<text x="{_LEFT}" y="22" font-size="14" font-weight="600">{escape(title)}</text>',
    ]
    for tick in up.ticks():
        at = up.place(tick)
        out.append(f'<path class="grid" d="M{_LEFT} {at:.1f}H{_WIDTH - _RIGHT}"/>')
        out.append(f'<text x="{_LEFT - 6}" y="{at + 4:.1f}" text-anchor="end">{_label(tick)}</text>')
    for tick in across.ticks():
        at = across.place(tick)
        out.append(f'<path class="axis" d="M{at:.1f} {_HEIGHT - _BOTTOM}v5"/>')
        out.append(f'<text x="{at:.1f}" y="{_HEIGHT - _BOTTOM + 19}" text-anchor="middle">{_label(tick)}</text>')
    middle, half = (_LEFT + _WIDTH - _RIGHT) // 2, (_TOP + _HEIGHT - _BOTTOM) // 2
    out.append(
        f'<path class="axis" d="M{_LEFT} {_TOP}V{_HEIGHT - _BOTTOM}H{_WIDTH - _RIGHT}"/>'
        f'<text x="{middle}" y="{_HEIGHT - 16}" text-anchor="middle">{escape(x)}</text>'
        f'<text transform="translate(16 {half}) rotate(-90)" text-anchor="middle">'
        f"{escape(y)}</text>"
    )
    top = _TOP + 8
    for number, line in enumerate(lines):
        colour = COLOURS[number % len(COLOURS)]
        out += _draw(line, colour, across, up)
        dash = ' stroke-dasharray="5 3"' if line.dashed else ""
        key = _WIDTH - _RIGHT + 12
        out.append(f'<path d="M{key} {top}h20" stroke="{colour}" stroke-width="2"{dash}/>')
        for part in wrap(line.name, _LETTERS) or [""]:
            out.append(f'<text x="{key + 26}" y="{top + 4}">{escape(part)}</text>')
            top += 15
        top += 4
    if note:
        out.append(f'<text x="{_LEFT}" y="{_HEIGHT - 3}" font-size="10" class="note">{escape(note)}</text>')
    return "\n".join([*out, "</svg>", ""])


def _draw(line: Line, colour: str, across: _Axis, up: _Axis) -> list[str]:
    out = []
    placed = [(across.place(a), up.place(b)) for a, b in line.points if math.isfinite(b) and (b > 0 or not up.log)]
    if len(placed) > 1 and not line.scatter:
        path = "M" + "L".join(f"{a:.1f} {b:.1f}" for a, b in placed)
        dash = ' stroke-dasharray="5 3"' if line.dashed else ""
        out.append(f'<path d="{path}" fill="none" stroke="{colour}" stroke-width="2"{dash}/>')
    for (a, _), (low, high) in zip(line.points, line.interval, strict=False):
        if math.isfinite(low) and math.isfinite(high) and (low > 0 or not up.log):
            bar = f"M{across.place(a):.1f} {up.place(low):.1f}V{up.place(high):.1f}"
            out.append(f'<path d="{bar}" stroke="{colour}" stroke-width="4" stroke-opacity=".3"/>')
    out += [f'<circle cx="{a:.1f}" cy="{b:.1f}" r="3" fill="{colour}"/>' for a, b in placed]
    return out
