"""Content in, one offline HTML file out."""

from __future__ import annotations

from functools import cache

from jinja2 import Environment, PackageLoader, StrictUndefined

from tacit.report.assets import font, text
from tacit.report.content import Content


@cache
def environment() -> Environment:
    """Every value is escaped unless a template says otherwise; only our own drawings are exempt."""
    return Environment(
        loader=PackageLoader("tacit.report", "templates"),
        autoescape=True,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
    )


def page(content: Content) -> str:
    style = text("tokens.css") + text("charts.css") + text("report.css")
    return environment().get_template("report.html.j2").render(c=content, font=font(), style=style)
