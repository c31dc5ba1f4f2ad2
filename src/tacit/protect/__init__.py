"""Protectors: objects that mask microdata (scikit-learn transformers). A new method is one file and one line here."""

from __future__ import annotations

from tacit.registry import Registry

registry = Registry(
    __name__,
    noise="noise:Noise",
    microaggregation="microaggregation:Microaggregation",
)

_ALSO = {"Protector": "base:Protector", "NumericProtector": "base:NumericProtector"}
__getattr__ = registry.attribute(_ALSO)


def __dir__() -> list[str]:
    return registry.directory(_ALSO)
