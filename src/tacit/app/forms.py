"""Forms for method parameters, made from the JSON schema of a method's annotations.

Nothing is written per method: what an input is follows from the type of the parameter, its hint
from the Parameters section of the docstring.
"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import TypedDict

from tacit.base.docs import parse

# Digits of a whole number that somebody types: 128 bits, as a seed has, are fewer.
DIGITS = 40

# The part of JSON schema that pydantic uses for our annotations; the names with a dollar sign
# cannot be written as a class.
JsonSchema = TypedDict(
    "JsonSchema",
    {
        "$ref": str,
        "$defs": "dict[str, JsonSchema]",
        "type": str,
        "description": str,
        "default": object,
        "enum": list[object],
        "const": object,
        "minimum": float,
        "exclusiveMinimum": float,
        "maximum": float,
        "exclusiveMaximum": float,
        "items": "JsonSchema",
        "additionalProperties": object,
        "anyOf": "list[JsonSchema]",
        "properties": "dict[str, JsonSchema]",
        "required": list[str],
    },
    total=False,
)


@dataclass
class Field:
    """One input of a form."""

    name: str
    label: str
    widget: str  # number, integer, flag, choice, columns, rules, text
    help: str = ""
    low: float | None = None
    high: float | None = None
    choices: list[str] = field(default_factory=list)
    default: object = None
    value: object = None
    required: bool = False
    # most people leave it at its default
    advanced: bool = False

    @property
    def said(self) -> bool:
        """Was something else than the default given?"""
        return self.value is not None and self.value != self.default

    @property
    def current(self) -> object:
        """The value, or the default where none was given."""
        return self.default if self.value is None else self.value

    @property
    def shown(self) -> str:
        """The value as the input shows it."""
        current = self.current
        if current is None:
            return ""
        if isinstance(current, float):
            # The short form where it is the same number: what is shown must come back unchanged.
            short = f"{current:g}"
            return short if float(short) == current else repr(current)
        if isinstance(current, str):
            return current
        return json.dumps(current, ensure_ascii=False)

    @property
    def chosen(self) -> list[str]:
        """The columns that are ticked."""
        current = self.current
        return (
            [str(one) for one in current] if isinstance(current, list | tuple) else []
        )

    @property
    def limits(self) -> str:
        """The range that is allowed, in words."""
        if self.low is not None and self.high is not None:
            return f"{self.low:g} to {self.high:g}"
        if self.low is not None:
            return f"{self.low:g} or more"
        return f"up to {self.high:g}" if self.high is not None else ""


def fields(
    schema: JsonSchema,
    values: Mapping[str, object] | None = None,
    about: str | None = None,
    plain: Mapping[str, str] | None = None,
) -> list[Field]:
    """The inputs for a method whose parameters have this JSON schema.

    Parameters
    ----------
    schema : JsonSchema
        The schema of all parameters, as pydantic writes it.
    values : mapping, optional
        What was given so far, by parameter; the others show their defaults.
    about : str, optional
        The method's docstring, whose Parameters section gives the hints.
    plain : mapping, optional
        Labels in plain words; where there are some, parameters without one are advanced.
    """
    hints = parse(about or "").parameters
    required = set(schema.get("required", ()))
    inputs = []
    for name, part in schema.get("properties", {}).items():
        one = _field(name, _resolve(part, schema), hints.get(name, ""))
        one.required = name in required
        label = (plain or {}).get(name, "")
        one.label = label[:1].upper() + label[1:] or one.label
        # which columns are masked is asked of everybody
        asked = one.required or (one.widget == "columns" and name == "columns")
        one.advanced = bool(plain) and name not in (plain or {}) and not asked
        one.value = (values or {}).get(name)
        inputs.append(one)
    return inputs


def _resolve(part: JsonSchema, whole: JsonSchema) -> JsonSchema:
    """Follow references, and look through `or null`."""
    part = part.copy()
    if "$ref" in part:
        name = part.pop("$ref").rpartition("/")[2]
        target = whole.get("$defs", {}).get(name, JsonSchema())
        # What stands beside a reference (a default) counts more than what it refers to.
        part = {**target, **part}
    options = [one for one in part.get("anyOf", ()) if one.get("type") != "null"]
    # With one real type the input is of that type; with several it stays a line of text.
    if len(options) == 1:
        part.pop("anyOf")
        part = {**_resolve(options[0], whole), **part}
    return part


def _field(name: str, part: JsonSchema, hint: str) -> Field:
    """The input for one parameter; what has no widget of its own is text."""
    made = Field(
        name=name,
        label=name.replace("_", " "),
        widget="text",
        help=_without_marks(hint or part.get("description", "")),
        low=part.get("minimum", part.get("exclusiveMinimum")),
        high=part.get("maximum", part.get("exclusiveMaximum")),
        default=part.get("default"),
    )
    kind = part.get("type")
    if "enum" in part or "const" in part:
        made.widget = "choice"
        # A Literal of one value is written as a constant.
        made.choices = [str(one) for one in part.get("enum", [part.get("const")])]
    elif kind in ("integer", "number"):
        made.widget = kind
    elif kind == "boolean":
        made.widget = "flag"
    elif kind == "array" and part.get("items", {}).get("type") == "string":
        # Every list of names that a method takes is a list of columns.
        made.widget = "columns"
        made.label = made.label.capitalize()
    elif kind == "object" and _holds_rules(part):
        made.widget = "rules"
    return made


def _without_marks(text: str) -> str:
    """A sentence of a docstring without the marks around its code."""
    return text.replace("``", "")


def _holds_rules(part: JsonSchema) -> bool:
    """Is it a table of tables that may hold anything? Those are rules, which have an editor."""
    inner = part.get("additionalProperties")
    return isinstance(inner, dict) and inner.get("additionalProperties") is True


def read(
    inputs: Sequence[Field], form: Mapping[str, list[str]], prefix: str
) -> dict[str, object]:
    """Parameters from what was sent. Left at its default or empty: left out.

    The plan checks the rest, so that a mistake gives the same sentence here as everywhere.
    """
    parameters: dict[str, object] = {}
    for one in inputs:
        # Rules are not in the form: they have an editor of their own, and stay as they are.
        if one.widget == "rules":
            value = one.value
        else:
            value = _read_one(one.widget, form.get(prefix + one.name, []))
        if value is not None and value != one.default:
            parameters[one.name] = value
    return parameters


def _read_one(widget: str, sent: list[str]) -> object:
    """The value of one input; None if it is empty."""
    text = sent[-1].strip() if sent else ""
    if widget == "flag":
        # A box that is not ticked is not sent at all.
        return "on" in sent
    if widget == "columns":
        return [name for name in sent if name] or None
    if widget == "choice":
        return text or None
    if widget in ("integer", "number"):
        return _number(text, whole=widget == "integer") if text else None
    return _text(text) if text else None


def whole_number(text: str) -> int | None:
    """A number as it is typed, or None.

    Digits of our own script only: a superscript two is a digit too, and no number. A seed of 128
    bits has 39 of them; Python refuses to read thousands.
    """
    is_number = text.isascii() and text.isdigit() and len(text) <= DIGITS
    return int(text) if is_number else None


def _number(text: str, whole: bool) -> float | int | str:
    has_decimal_comma = text.count(",") == 1 and "." not in text
    try:
        number = float(text.replace(",", ".") if has_decimal_comma else text)
    except ValueError:
        return text  # the plan's check says what is wrong with it
    return int(number) if whole and number.is_integer() else number


def _text(text: str) -> object:
    """Lists, tables, numbers and flags may be typed as JSON; all else is the text itself."""
    if text[0] in '[{"-0123456789' or text in ("true", "false", "null"):
        try:
            return json.loads(text)
        except (ValueError, RecursionError):
            return text
    return text
