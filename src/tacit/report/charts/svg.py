"""A drawing as text: the few SVG elements that our charts need, with every label escaped.

Colours are never written into the drawing. Elements carry classes and the style sheet gives
the classes their colour, so one drawing serves light, dark and paper, and a page that
forbids inline styles can show it.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from html import escape

Value = str | float | int | None
Position = tuple[float, float]

# The first shapes are the easiest to tell apart, because most maps have few families.
SHAPES = ("circle", "square", "diamond", "triangle", "wedge", "plus")


def _attribute(value: Value) -> str:
    """A hundredth of a pixel is finer than any screen shows, and keeps files small."""
    if isinstance(value, float):
        return f"{value:.2f}".rstrip("0").rstrip(".")
    return escape(str(value), quote=True)


def _steps(points: Sequence[Position], closed: bool) -> str:
    """The `d` attribute of a path through these points."""
    places = "L".join(f"{x:.1f} {y:.1f}" for x, y in points)
    return f"M{places}Z" if closed else f"M{places}"


class Drawing:
    """An SVG picture under construction.

    Parameters
    ----------
    width, height : float
        Size of the coordinate system; the page may scale the picture.
    title : str
        What a screen reader says for the whole picture.
    kind : str
        A class beside ``drawing``, for rules of the style sheet that hold for one kind only.
    live : bool
        The picture holds things to click, so it is a group of controls and not one image.
    """

    def __init__(
        self,
        width: float,
        height: float,
        title: str,
        *,
        kind: str = "chart",
        live: bool = False,
    ) -> None:
        self.width, self.height = width, height
        self.title, self.kind = title, kind
        self.live = live
        self.parts: list[str] = []

    def add(
        self,
        tag: str,
        text: str | None = None,
        tip: str | None = None,
        **attributes: Value,
    ) -> None:
        """One element. An underscore in a name is a dash, a last one is dropped."""
        written = "".join(
            f' {key.rstrip("_").replace("_", "-")}="{_attribute(value)}"'
            for key, value in attributes.items()
            if value is not None
        )
        # browsers show a title as a tip, and screen readers say it
        inside = f"<title>{escape(tip)}</title>" if tip else ""
        if text is not None:
            inside += escape(text)
        whole = f"<{tag}{written}>{inside}</{tag}>" if inside else f"<{tag}{written}/>"
        self.parts.append(whole)

    def open(self, tag: str, tip: str | None = None, **attributes: Value) -> None:
        """Start an element that holds the next ones, until `close`."""
        self.add(tag, None, None, **attributes)
        # an empty element was written; without its closing slash it stays open
        opened = self.parts[-1].removesuffix("/>") + ">"
        named = f"<title>{escape(tip)}</title>" if tip else ""
        self.parts[-1] = opened + named

    def close(self, tag: str) -> None:
        """End an element that `open` started."""
        self.parts.append(f"</{tag}>")

    def rect(
        self,
        x: float,
        y: float,
        w: float,
        h: float,
        class_: str,
        tip: str | None = None,
        rx: float = 0,
    ) -> None:
        """A rectangle; a negative size, which rounding can give, is drawn as none."""
        self.add(
            "rect",
            tip=tip,
            x=x,
            y=y,
            width=max(w, 0.0),
            height=max(h, 0.0),
            rx=rx or None,
            class_=class_,
        )

    def line(self, x1: float, y1: float, x2: float, y2: float, class_: str) -> None:
        """A straight line between two points."""
        self.add(
            "line",
            x1=x1,
            y1=y1,
            x2=x2,
            y2=y2,
            class_=class_,
        )

    def text(
        self,
        x: float,
        y: float,
        text: str,
        class_: str = "label",
        anchor: str = "start",
    ) -> None:
        """A text; `anchor` says whether x is its start, middle or end."""
        self.add(
            "text",
            text,
            x=x,
            y=y,
            class_=class_,
            text_anchor=anchor if anchor != "start" else None,
        )

    def upright(self, x: float, y: float, text: str, class_: str = "label") -> None:
        """A text that reads upwards, centred on the point: the name of an upright axis."""
        turned = f"translate({x:.1f} {y:.1f}) rotate(-90)"
        self.add(
            "text",
            text,
            transform=turned,
            class_=class_,
            text_anchor="middle",
        )

    def path(
        self, points: Sequence[Position], class_: str, close: bool = False
    ) -> None:
        """A line through all points in order; nothing for none."""
        if points:
            self.add("path", d=_steps(points, close), class_=class_)

    def mark(
        self,
        x: float,
        y: float,
        shape: str,
        class_: str,
        size: float = 5,
        tip: str | None = None,
    ) -> None:
        """A point whose shape, and not only its colour, says what it is."""
        outline = _outline(shape, size)
        if not outline:
            # a circle of the same radius looks smaller than a square, so it is enlarged
            self.add(
                "circle",
                tip=tip,
                cx=x,
                cy=y,
                r=size * 1.1,
                class_=class_,
            )
            return
        # the outline is drawn around (0, 0)
        moved = [(x + dx, y + dy) for dx, dy in outline]
        self.add("path", tip=tip, d=_steps(moved, True), class_=class_)

    def document(self, style: str) -> str:
        """The picture as a file of its own, one element per line, so that versions compare.

        Parameters
        ----------
        style : str
            The ``<style>`` element that gives the classes their colours.
        """
        name = 'xmlns="http://www.w3.org/2000/svg"'
        head = self._head().replace("<svg", f"<svg {name} {self._size()}", 1)
        return "\n".join([head + style, *self.parts, "</svg>", ""])

    def unscaled(self) -> str:
        """The picture for a page in its own size, where letters must not grow with it."""
        return str(self).replace("<svg", f"<svg {self._size()}", 1)

    def _size(self) -> str:
        return f'width="{self.width:g}" height="{self.height:g}"'

    def _head(self) -> str:
        # an image is one thing for a screen reader; a group can hold buttons
        role = "group" if self.live else "img"
        width = _attribute(float(self.width))
        height = _attribute(float(self.height))
        label = escape(self.title, quote=True)
        return (
            f'<svg class="drawing {self.kind}" viewBox="0 0 {width} {height}" '
            f'role="{role}" aria-label="{label}">'
        )

    def __str__(self) -> str:
        return self._head() + "".join(self.parts) + "</svg>"


PHONE = 340
"""The width of a drawing for a telephone: its letters are as large there as on a screen."""


def for_both(draw: Callable[[float], Drawing], width: float) -> str:
    """One drawing for a screen and one for a telephone; the style sheet shows which fits."""
    screen, phone = draw(width), draw(PHONE)
    screen.kind += " for-screen"
    phone.kind += " for-phone"
    return f"{screen}{phone}"


def _outline(shape: str, s: float) -> list[Position]:
    """Corners around (0, 0); none for a circle. The factors make the areas look alike."""
    if shape == "square":
        return [(-s, -s), (s, -s), (s, s), (-s, s)]
    if shape == "diamond":
        far = 1.35 * s
        return [(0, -far), (far, 0), (0, far), (-far, 0)]
    if shape in ("triangle", "wedge"):
        # a wedge is a triangle on its head
        turn = 1 if shape == "triangle" else -1
        return [(0, -1.25 * s * turn), (1.2 * s, s * turn), (-1.2 * s, s * turn)]
    if shape == "plus":
        arm, far = s / 2.5, s * 1.2
        return [
            (-arm, -far),
            (arm, -far),
            (arm, -arm),
            (far, -arm),
            (far, arm),
            (arm, arm),
            (arm, far),
            (-arm, far),
            (-arm, arm),
            (-far, arm),
            (-far, -arm),
            (-arm, -arm),
        ]
    return []


def _width(letter: str) -> float:
    """Width of a letter as a share of the font size, about as Inter draws it."""
    if letter.isupper():
        return 0.7
    if letter.isdigit():
        return 0.6
    return 0.3 if letter in " .,:;il|'" else 0.58


def wide(text: str, size: float = 12) -> float:
    """About how wide a text is drawn: capitals and digits take more room."""
    return sum(_width(letter) for letter in text) * size
