"""Pseudonyms for identifiers."""

from __future__ import annotations

import hmac
import os
import secrets
from pathlib import Path
from typing import Annotated, Any

import numpy as np
import pyarrow as pa
from annotated_types import Ge, Le

from tacit.errors import ParameterError
from tacit.microdata import Kind, Microdata, Role
from tacit.protect.base import Protector

SMALLEST_KEY = 16


class Pseudonyms(Protector):
    """Replace identifiers by keyed hashes, so that records stay linkable by who holds the key and by nobody else.

    Definition: ``hex(HMAC-SHA-256(key, value as text))``, the first ``length`` characters. The same value gets
    the same pseudonym in every column and file that is treated with the same key.
    Source: RFC 2104. Guarantee: without the key a pseudonym cannot be turned back, nor tested by guessing values
    (which an unkeyed hash allows). The key is read where ``key`` points and is kept nowhere: not in parameters, plan,
    manifest or output. Chance of any two of m values colliding: about m^2 / 2^(4 length + 1). Missing values stay.
    This is pseudonymisation, not anonymisation: who holds the key can undo it. Cost: one hash a value.
    Known attacks: frequencies stay (the commonest name has the commonest pseudonym); the other columns link as before.

    Parameters: ``key``: where the secret is: ``env:NAME`` (an environment variable) or ``file:PATH``, at least 16
    bytes. None draws a fresh key that is forgotten: pseudonyms that nobody can link again. ``columns``: default:
    the identifier columns, which are otherwise dropped on release; they become ``other`` columns.

    >>> import tacit as tc
    >>> data = tc.Microdata.of({"name": ["ann", "bob", "ann"], "age": [1.0, 2.0, 3.0]}, identifier=["name"])
    >>> new = tc.Microdata.of(Pseudonyms().fit_transform(data)).to_native()["name"]
    >>> new[0] == new[2], new[0] == new[1]
    (True, False)
    """

    def __init__(
        self,
        key: str | None = None,
        length: Annotated[int, Ge(8), Le(64)] = 24,
        columns: list[str] | None = None,
    ) -> None:
        self.key = key
        self.length = length
        self.columns = columns

    def _start(self, X: Any, *, reset: bool) -> tuple[Microdata, list[str]]:
        from tacit import parameters

        if reset:
            parameters.check(type(self), self.get_params(deep=False))
        data = self._read(X, reset=reset)
        if reset:
            self._released_ = data.names
        return data, self._targets(data)

    def _targets(self, data: Microdata) -> list[str]:
        names = data.schema.names(role=Role.identifier) if self.columns is None else list(self.columns)
        for name in names:
            data.schema[name]
        return names

    def _apply(self, data: Microdata, columns: list[str], rng: np.random.Generator) -> Microdata:
        secret = read_key(self.key)
        for name in columns:
            known: dict[Any, str | None] = {None: None}
            out: list[str | None] = []
            for value in data.table.column(name).to_pylist():
                if value not in known:
                    known[value] = pseudonym(str(value), secret, self.length)
                out.append(known[value])
            data = data.with_column(name, pa.array(out, type=pa.string()), kind=Kind.nominal)
        return data.with_schema(data.schema.set(other=columns))


def pseudonym(value: str, secret: bytes, length: int) -> str:
    """One keyed hash as text.

    >>> pseudonym("Ada", b"0123456789abcdef", 12)
    '9bc245ae8032'
    """
    return hmac.digest(secret, value.encode(), "sha256").hex()[:length]


def read_key(where: str | None) -> bytes:
    """The secret itself; errors never quote it."""
    if where is None:
        return secrets.token_bytes(32)
    kind, _, place = where.partition(":")
    if kind == "env" and place:
        found = os.environ.get(place, "").encode()
        if not found:
            raise ParameterError(f"key: the environment variable {place} is not set; put the secret there")
    elif kind == "file" and place:
        try:
            found = Path(place).read_bytes().strip()
        except OSError as error:
            raise ParameterError(f"key: {place} cannot be read ({error.strerror})") from None
    else:
        raise ParameterError("key must be env:NAME or file:PATH; the secret itself is never a parameter")
    if len(found) < SMALLEST_KEY:
        raise ParameterError(f"key: the secret has {len(found)} bytes; use at least {SMALLEST_KEY} random ones")
    return found
