"""Forms for method parameters, made from the JSON schema of a method's annotations; nothing is written per method."""

from __future__ import annotations

import json
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any


@dataclass
class Field:
    """One input of a form."""

    name: str
    label: str
    widget: str  # number, integer, flag, choice, columns, text
    help: str = ""
    low: float | None = None
    high: float | None = None
    choices: list[str] = field(default_factory=list)
    default: Any = None
    value: Any = None
    required: bool = False

    @property
    def shown(self) -> str:
        """The value as the input shows it."""
        given = self.default if self.value is None else self.value
        if given is None:
            return ""
        if isinstance(given, float):
            return f"{given:g}" if float(f"{given:g}") == given else repr(given)
        return given if isinstance(given, str) else json.dumps(given, ensure_ascii=False)

    @property
    def chosen(self) -> list[str]:
        given = self.default if self.value is None else self.value
        return [str(v) for v in given] if isinstance(given, list | tuple) else []

    @property
    def limits(self) -> str:
        if self.low is not None and self.high is not None:
            return f"{self.low:g} to {self.high:g}"
        if self.low is not None:
            return f"{self.low:g} or more"
        return f"up to {self.high:g}" if self.high is not None else ""


def fields(schema: Mapping[str, Any], values: Mapping[str, Any] | None = None, about: str | None = None) -> list[Field]:
    """The inputs for a method whose parameters have this JSON schema; `about` is its docstring."""
    said = explained(about or "")
    required = set(schema.get("required", ()))
    made = [
        _field(name, _resolve(part, schema), said.get(name, ""), name in required, schema)
        for name, part in schema.get("properties", {}).items()
    ]
    for item in made:
        item.value = (values or {}).get(item.name)
    return made


def _resolve(part: Mapping[str, Any], whole: Mapping[str, Any]) -> dict[str, Any]:
    """Follow references, and look through `or null`."""
    part = dict(part)
    if "$ref" in part:
        part = {**whole.get("$defs", {}).get(part.pop("$ref").rpartition("/")[2], {}), **part}
    options = part.get("anyOf")
    if options:
        real = [_resolve(o, whole) for o in options if o.get("type") != "null"]
        if len(real) == 1:
            outer = {k: v for k, v in part.items() if k != "anyOf"}
            part = {**real[0], **outer}
    return part


def _field(name: str, part: dict[str, Any], said: str, required: bool, whole: Mapping[str, Any]) -> Field:
    made = Field(
        name=name,
        label=name.replace("_", " "),
        widget="text",
        help=said or part.get("description", ""),
        low=part.get("minimum", part.get("exclusiveMinimum")),
        high=part.get("maximum", part.get("exclusiveMaximum")),
        default=part.get("default"),
        required=required,
    )
    kind = part.get("type")
    if "enum" in part or "const" in part:
        made.widget, made.choices = "choice", [str(v) for v in part.get("enum", [part.get("const")])]
    elif kind in ("integer", "number"):
        made.widget = kind
    elif kind == "boolean":
        made.widget = "flag"
    elif kind == "array" and part.get("items", {}).get("type") == "string":
        made.widget = "columns"
    return made


def explained(doc: str) -> dict[str, str]:
    """Parameter -> its sentence, from the `Parameters:` part of a docstring (``name``: text; ``other``: text)."""
    _, found, rest = doc.partition("Parameters:")
    if not found:
        return {}
    part = re.split(r"\n\s*\n|>>>", rest)[0]
    pieces = re.split(r"``(\w+)``:", part)
    return {
        name: " ".join(text.replace("``", "").split()).rstrip(" ;,.")
        for name, text in zip(pieces[1::2], pieces[2::2], strict=True)
    }


def read(made: Sequence[Field], form: Mapping[str, list[str]], prefix: str) -> dict[str, Any]:
    """Parameters from what was sent. Left at its default or empty: left out. The plan checks the rest."""
    out: dict[str, Any] = {}
    for item in made:
        sent = form.get(prefix + item.name, [])
        text = sent[-1].strip() if sent else ""
        value: Any
        if item.widget == "flag":
            value = "on" in sent
        elif item.widget == "columns":
            value = [v for v in sent if v] or None
        elif item.widget == "choice":
            value = text or None
        else:
            value = _value(text, item.widget)
        if value is not None and value != item.default:
            out[item.name] = value
    return out


def _value(text: str, widget: str) -> Any:
    if not text:
        return None
    if widget in ("integer", "number"):
        try:
            number = float(text.replace(",", ".") if text.count(",") == 1 and "." not in text else text)
        except ValueError:
            return text  # the plan's check says what is wrong with it
        return int(number) if widget == "integer" and number.is_integer() else number
    if text[0] in '[{"-0123456789' or text in ("true", "false", "null"):
        try:
            return json.loads(text)
        except ValueError:
            return text
    return text
