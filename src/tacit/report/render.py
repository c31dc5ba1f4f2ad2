"""Content in, one offline HTML file out."""

from __future__ import annotations

import base64
import hashlib
from functools import cache

from jinja2 import Environment, PackageLoader, StrictUndefined

from tacit.report.assets import font, text
from tacit.report.content import Content


@cache
def environment() -> Environment:
    """The templates.

    Every value is escaped unless a template says otherwise; only our own drawings are
    exempt. A name that is not there is an error, not an empty place.
    """
    return Environment(
        loader=PackageLoader("tacit.report", "templates"),
        autoescape=True,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
    )


def page(content: Content) -> str:
    """The page as HTML text, with style and font inside."""
    # colours first, because the other sheets use them
    style = (
        text("tokens.css") + text("charts.css") + text("report.css") + text("parts.css")
    )
    template = environment().get_template("report.html.j2")
    script = text("sort.js")
    # the page allows this one script and no other
    digest = hashlib.sha256(script.encode()).digest()
    script_hash = f"sha256-{base64.b64encode(digest).decode()}"
    return template.render(
        c=content, font=font(), style=style, script=script, script_hash=script_hash
    )
