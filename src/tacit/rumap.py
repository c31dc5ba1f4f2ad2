"""The risk-utility map as SVG: one point a plan, the frontier as a line, the bound, the recommended plan.

Drawn with text only: no plotting package, no script, readable in black and white (each family has its own shape).
"""

from __future__ import annotations

import math
from html import escape
from typing import Any

WIDTH, HEIGHT = 760, 520
LEFT, RIGHT, TOP, BOTTOM = 72, 190, 36, 56
COLOURS = ("#0b6e99", "#c4501b", "#2d7d46", "#7a4fa3", "#a3841f", "#b0305c", "#4a5d6b", "#1f8a8a")
SHAPES = 4


def ticks(low: float, high: float, number: int = 5) -> list[float]:
    """Round numbers between low and high."""
    span = max(high - low, 1e-12)
    raw = span / number
    magnitude = 10.0 ** math.floor(math.log10(raw))
    step = min((m * magnitude for m in (1, 2, 5, 10)), key=lambda s: abs(s - raw))
    first = math.ceil(low / step - 1e-9)
    return [i * step for i in range(first, math.floor(high / step + 1e-9) + 1)]


def draw(comparison: dict[str, Any]) -> str:
    """SVG text of ``Frontier.to_dict()``."""
    points = [p for p in comparison["plans"] if not p.get("failed") and _finite(p["risk"]) and _finite(p["loss"])]
    top_risk = max([p["risk"] for p in points] + [float(comparison["bound"])], default=1.0) * 1.06 or 1.0
    top_loss = max([p["loss"] for p in points], default=1.0) * 1.06 or 1.0

    def x(loss: float) -> float:
        return LEFT + (WIDTH - LEFT - RIGHT) * min(max(loss / top_loss, 0.0), 1.0)

    def y(risk: float) -> float:
        return HEIGHT - BOTTOM - (HEIGHT - TOP - BOTTOM) * min(max(risk / top_risk, 0.0), 1.0)

    families = sorted({p["family"] for p in points})
    parts = [
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {WIDTH} {HEIGHT}" role="img" '
        f'aria-label="Risk-utility map of {len(points)} plans" font-family="sans-serif" font-size="12">',
        f'<rect width="{WIDTH}" height="{HEIGHT}" fill="#fff"/>',
        f'<text x="{LEFT}" y="20" font-size="14">Risk and loss of {len(points)} plans; lower left is better</text>',
    ]
    for value in ticks(0.0, top_loss):
        parts.append(
            f'<line x1="{x(value):.1f}" y1="{TOP}" x2="{x(value):.1f}" y2="{HEIGHT - BOTTOM}" stroke="#e4e4e4"/>'
            f'<text x="{x(value):.1f}" y="{HEIGHT - BOTTOM + 16}" text-anchor="middle">{value:g}</text>'
        )
    for value in ticks(0.0, top_risk):
        parts.append(
            f'<line x1="{LEFT}" y1="{y(value):.1f}" x2="{WIDTH - RIGHT}" y2="{y(value):.1f}" stroke="#e4e4e4"/>'
            f'<text x="{LEFT - 6}" y="{y(value) + 4:.1f}" text-anchor="end">{value:g}</text>'
        )
    bound = float(comparison["bound"])
    parts.append(
        f'<line x1="{LEFT}" y1="{y(bound):.1f}" x2="{WIDTH - RIGHT}" y2="{y(bound):.1f}" stroke="#b00" '
        f'stroke-dasharray="6 4"/><text x="{WIDTH - RIGHT + 6}" y="{y(bound) + 4:.1f}" fill="#b00">'
        f"bound {bound:g}</text>"
    )
    middle = (LEFT + WIDTH - RIGHT) / 2
    parts.append(
        f'<text x="{middle}" y="{HEIGHT - 14}" text-anchor="middle">loss: {escape(str(comparison["loss"]))}</text>'
        f'<text transform="translate(18 {(TOP + HEIGHT - BOTTOM) / 2}) rotate(-90)" text-anchor="middle">'
        f"risk: {escape(str(comparison['risk']))}</text>"
    )
    line = sorted((p for p in points if p.get("frontier")), key=lambda p: (p["loss"], -p["risk"]))
    if len(line) > 1:
        path = " ".join(f"{x(p['loss']):.1f},{y(p['risk']):.1f}" for p in line)
        parts.append(f'<polyline points="{path}" fill="none" stroke="#444" stroke-width="1.5"/>')
    for p in points:
        parts.append(_point(p, x, y, families.index(p["family"])))
    at = TOP + 16
    for i, family in enumerate(families):
        if abs(at - y(bound)) < 14:  # leave room for the bound's own label
            at += 24
        parts.append(_mark(WIDTH - RIGHT + 14, at, i, 5))
        parts.append(f'<text x="{WIDTH - RIGHT + 26}" y="{at + 4}">{escape(family)}</text>')
        at += 20
    return "\n".join([*parts, "</svg>", ""])


def _point(p: dict[str, Any], x: Any, y: Any, family: int) -> str:
    cx, cy = x(p["loss"]), y(p["risk"])
    low, high = p["risk_interval"]
    out = ""
    if high - low > 1e-12:
        out += (
            f'<line x1="{cx:.1f}" y1="{y(high):.1f}" x2="{cx:.1f}" y2="{y(low):.1f}" '
            f'stroke="{COLOURS[family % len(COLOURS)]}" opacity="0.5"/>'
        )
    title = f"{p['name']}: risk {p['risk']:.4g}, loss {p['loss']:.4g}"
    out += f"<g><title>{escape(title)}</title>{_mark(cx, cy, family, 5 if p.get('frontier') else 3.5)}"
    if p.get("recommended"):
        out += f'<circle cx="{cx:.1f}" cy="{cy:.1f}" r="10" fill="none" stroke="#111" stroke-width="2"/>'
        anchor, dx = ("end", -14) if cx > WIDTH - RIGHT - 160 else ("start", 14)
        out += (
            f'<text x="{cx + dx:.1f}" y="{cy - 10:.1f}" text-anchor="{anchor}" font-weight="bold">'
            f"{escape(p['name'])}</text>"
        )
    return out + "</g>"


def _mark(cx: float, cy: float, family: int, r: float) -> str:
    fill = COLOURS[family % len(COLOURS)]
    shape = family % SHAPES
    if shape == 0:
        return f'<circle cx="{cx:.1f}" cy="{cy:.1f}" r="{r}" fill="{fill}"/>'
    if shape == 1:
        return f'<rect x="{cx - r:.1f}" y="{cy - r:.1f}" width="{2 * r}" height="{2 * r}" fill="{fill}"/>'
    if shape == 2:
        corners = f"{cx:.1f},{cy - r:.1f} {cx + r:.1f},{cy + r:.1f} {cx - r:.1f},{cy + r:.1f}"
    else:
        corners = f"{cx:.1f},{cy - r:.1f} {cx + r:.1f},{cy:.1f} {cx:.1f},{cy + r:.1f} {cx - r:.1f},{cy:.1f}"
    return f'<polygon points="{corners}" fill="{fill}"/>'


def _finite(value: Any) -> bool:
    return isinstance(value, int | float) and math.isfinite(value)
