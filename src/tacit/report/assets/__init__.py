"""Style sheets and the font, read once from the package."""

from __future__ import annotations

import base64
from functools import cache
from importlib.resources import files


@cache
def text(name: str) -> str:
    """The text of one style sheet."""
    return files(__name__).joinpath(name).read_text(encoding="utf-8")


@cache
def font() -> str:
    """The font as a CSS rule with the file inside it, for pages that open offline."""
    # as text, because a page that opens offline may fetch nothing
    content = files(__name__).joinpath("inter.woff2").read_bytes()
    data = base64.b64encode(content).decode()
    return (
        "@font-face{font-family:'Inter';font-weight:100 900;font-display:swap;"
        f"src:url(data:font/woff2;base64,{data}) format('woff2')}}"
    )
