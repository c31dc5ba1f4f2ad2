"""What may be asked of an assessment: names and mappings, or one sentence."""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from tacit.base.errors import ParameterError, shown


def refuse_others(
    names: Mapping[str, object],
    mappings: Mapping[str, object],
) -> None:
    """Refuse what is neither.

    Parameters
    ----------
    names : mapping
        What each argument was given that takes a list of names, or None.
    mappings : mapping
        The same of those that take a mapping from names, or None.
    """
    for word, value in names.items():
        if value is None:
            continue
        if isinstance(value, Mapping):
            for name, attacker in value.items():
                if not hasattr(attacker, "link"):
                    raise ParameterError(
                        f"{word}: '{name}' is {shown(attacker)}, and no attacker with a link()"
                    )
            continue
        # letters of a word are no names, and whoever is asked once is looked at once
        listed = not isinstance(value, str | bytes) and isinstance(value, Iterable)
        listed = listed and getattr(value, "ndim", 1) == 1
        if not listed or (
            isinstance(value, list | tuple)
            and not all(isinstance(one, str) for one in value)
        ):
            raise ParameterError(f"{word}={shown(value)} must be a list of names")
    for word, value in mappings.items():
        if value is None:
            continue
        if not isinstance(value, Mapping) or not all(
            isinstance(one, str) for one in value
        ):
            raise ParameterError(f"{word}={shown(value)} must be a dict by names")
