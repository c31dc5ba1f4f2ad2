"""Pseudonyms for identifiers."""

from __future__ import annotations

import hmac
import os
import secrets
from copy import copy
from pathlib import Path
from typing import Annotated, Self

import numpy as np
import pyarrow as pa
from annotated_types import Ge, Le

from tacit.base import parameters
from tacit.base.errors import ParameterError
from tacit.data.io.on_disk import OnDisk
from tacit.data.microdata import Kind, Microdata, Role
from tacit.protect.base import Passes, Protector

SMALLEST_KEY = 16
"""Bytes of a secret: 128 random bits cannot be tried out."""
DRAWN_KEY = 32
"""Bytes of a secret that is drawn: as many as SHA-256 gives."""


class Pseudonyms(Protector):
    """Replace identifiers by keyed hashes, linkable by who holds the key and by nobody else.

    Parameters
    ----------
    key : str, optional
        Where the secret is, env:NAME (an environment variable) or file:PATH, of at least 16
        bytes; unless given, a fresh key is drawn and forgotten, and nobody can link again.
    length : int
        Characters of a pseudonym.
    columns : list of str, optional
        Columns to mask; unless given, the identifiers, which other methods drop.

    Notes
    -----
    **Definition.** ``hex(HMAC-SHA-256(key, value as text))``, the first ``length`` characters.
    The same value gets the same pseudonym in every column and file that is treated with the
    same key. The columns become ``other`` columns. Missing values stay.

    **Guarantee.** Without the key a pseudonym cannot be turned back, nor tested by guessing
    values (which an unkeyed hash allows). The key is read where ``key`` points and is kept
    nowhere: not in parameters, plan, manifest or output. Chance of any two of m values
    colliding: about m^2 / 2^(4 length + 1). This is pseudonymisation, not anonymisation: who
    holds the key can undo it.

    **Cost.** One hash per value.

    **Known attacks.** Frequencies stay (the commonest name has the commonest pseudonym); the
    other columns link as before.

    References
    ----------
    Krawczyk, Bellare and Canetti (1997), RFC 2104.

    Examples
    --------
    >>> import tacit as tc
    >>> people = {"name": ["ann", "bob", "ann"], "age": [1.0, 2.0, 3.0]}
    >>> data = tc.Microdata.of(people, identifier=["name"])
    >>> new = tc.Microdata.of(Pseudonyms().fit_transform(data)).to_native()["name"]
    >>> new[0] == new[2], new[0] == new[1]
    (True, False)
    """

    title = "Pseudonyms"
    family = "identifiers"
    purpose = "replace identifiers by codes that only the holder of a key can repeat"
    goal = "replace identifiers"
    plain = {"key": "where the secret key is"}
    # identifiers are not compared by attackers
    attacker = ""
    # equal values have equal pseudonyms, whoever's they are
    keeps_levels = True
    drops_identifiers = False
    example = {"columns": ["region"], "key": "env:TACIT_CONTRACT_KEY"}
    whole_file = (
        "blocks are cut along the columns that are masked, "
        "and identifiers are not for that"
    )
    passes = "values"

    def __init__(
        self,
        key: str | None = None,
        length: Annotated[int, Ge(8), Le(64)] = 24,
        columns: list[str] | None = None,
    ) -> None:
        self.key = key
        self.length = length
        self.columns = columns

    # of a file on the disk: the secret of all its pieces, for this call
    _secret: bytes | None = None

    def passes_of(self, data: Microdata) -> Passes:
        """A value is hashed by itself."""
        return "values" if self._targets(data) else "together"

    def settled(self, data: OnDisk, columns: list[str]) -> Self:
        """Knows the secret, which pieces must share and workers need not have."""
        made = copy(self)
        made._secret = read_key(self.key)
        return made

    def by_code(self, data: Microdata, name: str) -> bool:
        """Values are hashed as they are."""
        return False

    def _start(
        self,
        X: object,
        *,
        reset: bool,
    ) -> tuple[Microdata, list[str]]:
        # unlike other methods, this one keeps the identifiers: they are what it masks
        if reset:
            parameters.check(type(self), self.get_params(deep=False))
        data = self._read(X, reset=reset)
        if reset:
            self._released_ = data.names
        return data, self._targets(data)

    def treats(self, data: Microdata) -> list[str]:
        """The columns that become pseudonyms."""
        return self._targets(data)

    def _targets(self, data: Microdata) -> list[str]:
        if self.columns is None:
            return data.schema.names(role=Role.identifier)
        for name in self.columns:
            data.schema[name]  # raises if there is no such column
        return list(self.columns)

    def _apply(
        self,
        data: Microdata,
        columns: list[str],
        rng: np.random.Generator,
    ) -> Microdata:
        # read for this call and forgotten with it
        secret = read_key(self.key) if self._secret is None else self._secret
        for name in columns:
            # a value that occurs again is not hashed again
            known: dict[object, str | None] = {None: None}
            out: list[str | None] = []
            for value in data.table.column(name).to_pylist():
                if value not in known:
                    known[value] = pseudonym(str(value), secret, self.length)
                out.append(known[value])
            values = pa.array(out, type=pa.string())
            data = data.with_column(name, values, kind=Kind.nominal)
        return data.with_schema(data.schema.set(other=columns))


def pseudonym(
    value: str,
    secret: bytes,
    length: int,
) -> str:
    """One keyed hash as text.

    >>> pseudonym("Ada", b"0123456789abcdef", 12)
    '9bc245ae8032'
    """
    digest = hmac.digest(secret, value.encode(), "sha256")
    return digest.hex()[:length]


def read_key(where: str | None) -> bytes:
    """The secret itself; errors never quote it."""
    if where is None:
        return secrets.token_bytes(DRAWN_KEY)
    kind, _, place = where.partition(":")
    if kind == "env" and place:
        secret = os.environ.get(place, "").encode()
        if not secret:
            raise ParameterError(
                f"key: the environment variable {place} is not set; put the secret there"
            )
    elif kind == "file" and place:
        try:
            # editors end a file with a newline, which is no part of the secret
            secret = Path(place).read_bytes().strip()
        except OSError as error:
            raise ParameterError(
                f"key: {place} cannot be read ({error.strerror})"
            ) from None
    else:
        raise ParameterError(
            "key must be env:NAME or file:PATH; the secret itself is never a parameter"
        )
    if len(secret) < SMALLEST_KEY:
        raise ParameterError(
            f"key: the secret has {len(secret)} bytes; "
            f"use at least {SMALLEST_KEY} random ones"
        )
    return secret
