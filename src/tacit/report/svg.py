"""A drawing as text: the few SVG elements that our charts need, with every label escaped.

Colours are never written into the drawing. Elements carry classes and the style sheet gives the classes their
colour, so one drawing serves light, dark and paper, and a page that forbids inline styles can show it.
"""

from __future__ import annotations

from html import escape

from tacit.report.words import number

Value = str | float | int | None


def _attribute(value: Value) -> str:
    if isinstance(value, float):
        return f"{value:.2f}".rstrip("0").rstrip(".")
    return escape(str(value), quote=True)


class Drawing:
    """An SVG picture under construction. `title` is what a screen reader says for the whole picture."""

    def __init__(self, width: float, height: float, title: str, *, kind: str = "chart", live: bool = False):
        self.width, self.height, self.title, self.kind = width, height, title, kind
        self.live = live
        self.parts: list[str] = []

    def add(self, tag: str, text: str | None = None, tip: str | None = None, **attributes: Value) -> None:
        """One element. A trailing or inner underscore in a name stands for a dash (`class_`, `text_anchor`)."""
        written = "".join(
            f' {key.rstrip("_").replace("_", "-")}="{_attribute(value)}"'
            for key, value in attributes.items()
            if value is not None
        )
        inside = (f"<title>{escape(tip)}</title>" if tip else "") + (escape(text) if text is not None else "")
        self.parts.append(f"<{tag}{written}>{inside}</{tag}>" if inside else f"<{tag}{written}/>")

    def open(self, tag: str, tip: str | None = None, **attributes: Value) -> None:
        self.add(tag, None, None, **attributes)
        self.parts[-1] = self.parts[-1][:-2] + ">" + (f"<title>{escape(tip)}</title>" if tip else "")

    def close(self, tag: str) -> None:
        self.parts.append(f"</{tag}>")

    def rect(self, x: float, y: float, w: float, h: float, class_: str, tip: str | None = None, rx: float = 0) -> None:
        self.add("rect", tip=tip, x=x, y=y, width=max(w, 0.0), height=max(h, 0.0), rx=rx or None, class_=class_)

    def line(self, x1: float, y1: float, x2: float, y2: float, class_: str) -> None:
        self.add("line", x1=x1, y1=y1, x2=x2, y2=y2, class_=class_)

    def text(self, x: float, y: float, text: str, class_: str = "label", anchor: str = "start") -> None:
        self.add("text", text, x=x, y=y, class_=class_, text_anchor=anchor if anchor != "start" else None)

    def path(self, points: list[tuple[float, float]], class_: str, close: bool = False) -> None:
        d = "M" + "L".join(f"{x:.1f} {y:.1f}" for x, y in points) + ("Z" if close else "")
        if points:
            self.add("path", d=d, class_=class_)

    def mark(self, x: float, y: float, shape: str, class_: str, size: float = 5, tip: str | None = None) -> None:
        """A point whose shape, and not only its colour, says what it is."""
        s = size
        outline = {
            "square": [(-s, -s), (s, -s), (s, s), (-s, s)],
            "diamond": [(0, -1.35 * s), (1.35 * s, 0), (0, 1.35 * s), (-1.35 * s, 0)],
            "triangle": [(0, -1.25 * s), (1.2 * s, s), (-1.2 * s, s)],
            "wedge": [(0, 1.25 * s), (1.2 * s, -s), (-1.2 * s, -s)],
            "plus": [
                (-s / 2.5, -s * 1.2), (s / 2.5, -s * 1.2), (s / 2.5, -s / 2.5), (s * 1.2, -s / 2.5),
                (s * 1.2, s / 2.5), (s / 2.5, s / 2.5), (s / 2.5, s * 1.2), (-s / 2.5, s * 1.2),
                (-s / 2.5, s / 2.5), (-s * 1.2, s / 2.5), (-s * 1.2, -s / 2.5), (-s / 2.5, -s / 2.5),
            ],
        }.get(shape)  # fmt: skip
        if outline is None:
            self.add("circle", tip=tip, cx=x, cy=y, r=s * 1.1, class_=class_)
        else:
            d = "M" + "L".join(f"{x + a:.1f} {y + b:.1f}" for a, b in outline) + "Z"
            self.add("path", tip=tip, d=d, class_=class_)

    def __str__(self) -> str:
        role = "group" if self.live else "img"
        return (
            f'<svg class="drawing {self.kind}" viewBox="0 0 {_attribute(float(self.width))} '
            f'{_attribute(float(self.height))}" role="{role}" aria-label="{escape(self.title, quote=True)}">'
            + "".join(self.parts)
            + "</svg>"
        )


SHAPES = ("circle", "square", "diamond", "triangle", "wedge", "plus")


def wide(text: str, size: float = 12) -> float:
    """About how wide a text is drawn: capitals and digits take more room than small letters."""
    return sum(0.7 if c.isupper() else 0.6 if c.isdigit() else 0.3 if c in " .,:;il|'" else 0.58 for c in text) * size


def ticks(low: float, high: float, about: int = 5) -> list[float]:
    """Round positions between low and high: steps of 1, 2, 2.5 or 5 times a power of ten."""
    import math

    if not (math.isfinite(low) and math.isfinite(high)) or high <= low:
        return [low] if math.isfinite(low) else []
    raw = (high - low) / max(about, 1)
    power = 10.0 ** math.floor(math.log10(raw))
    step = next((m * power for m in (1, 2, 2.5, 5, 10) if m * power >= raw * 0.999), 10 * power)
    first = math.ceil(low / step - 1e-9)
    last = math.floor(high / step + 1e-9)
    return [round(i * step, 12) for i in range(first, last + 1)]


class Scale:
    """A straight map from values to positions."""

    def __init__(self, low: float, high: float, start: float, end: float):
        self.low, self.high, self.start, self.end = low, high, start, end

    def __call__(self, value: float) -> float:
        width = self.high - self.low
        share = (value - self.low) / width if width else 0.5
        return self.start + share * (self.end - self.start)

    def ticks(self, about: int = 5) -> list[float]:
        return ticks(self.low, self.high, about)


def bottom_axis(d: Drawing, x: Scale, y: float, about: int = 5, percent: bool = False) -> None:
    d.line(x.start, y, x.end, y, "axis")
    for value in x.ticks(about):
        d.line(x(value), y, x(value), y + 4, "axis")
        d.text(x(value), y + 16, f"{100 * value:g} %" if percent else number(value), "tick", "middle")


def left_axis(d: Drawing, y: Scale, x: float, to: float, about: int = 4, percent: bool = False) -> None:
    for value in y.ticks(about):
        d.line(x, y(value), to, y(value), "grid")
        d.text(x - 6, y(value) + 4, f"{100 * value:g} %" if percent else number(value), "tick", "end")
