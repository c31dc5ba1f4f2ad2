"""Loss measures: functions (original, masked, **options) -> Measure. A new measure is one file and one line here."""

from __future__ import annotations

from tacit.registry import Registry

registry = Registry(
    __name__,
    IL="means:il",
    IL1="means:il1",
    IL2="means:il2",
    IL3="means:il3",
    IL4="means:il4",
    IL5="means:il5",
    PIL="chance:pil",
    SSE="cells:sse",
    changed="cells:changed",
    KS="distributions:ks",
    TV="distributions:tv",
    correlation="structure:correlation",
    eigenvalues="structure:eigenvalues",
    pMSE="learners:pmse",
    regression="coefficients:regression",
    classifier="learners:classifier",
)

# the names of the literature, beside the functions' own: tc.loss.PIL is tc.loss.pil
_ALSO = {
    "IL": "means:il",
    "IL1": "means:il1",
    "IL2": "means:il2",
    "IL3": "means:il3",
    "IL4": "means:il4",
    "IL5": "means:il5",
    "PIL": "chance:pil",
    "SSE": "cells:sse",
    "KS": "distributions:ks",
    "TV": "distributions:tv",
    "pMSE": "learners:pmse",
}
__getattr__ = registry.attribute(_ALSO)


def __dir__() -> list[str]:
    return registry.directory(_ALSO)
