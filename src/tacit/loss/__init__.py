"""Loss measures: functions (original, masked, **options) -> Measure.

A new measure is one file, named after it, and one line here.
"""

from __future__ import annotations

from tacit.base.registry import Registry

registry = Registry(
    __name__,
    IL="il:il",
    IL1="il:il1",
    IL2="il:il2",
    IL3="il:il3",
    IL4="il:il4",
    IL5="il:il5",
    PIL="pil:pil",
    SSE="sse:sse",
    changed="changed:changed",
    KS="ks:ks",
    TV="tv:tv",
    correlation="correlation:correlation",
    eigenvalues="eigenvalues:eigenvalues",
    pMSE="pmse:pmse",
    regression="regression:regression",
    classifier="classifier:classifier",
)

# the names of the literature, beside the functions' own: tc.loss.PIL is tc.loss.pil
_ALSO = {
    "IL": "il:il",
    "IL1": "il:il1",
    "IL2": "il:il2",
    "IL3": "il:il3",
    "IL4": "il:il4",
    "IL5": "il:il5",
    "PIL": "pil:pil",
    "SSE": "sse:sse",
    "KS": "ks:ks",
    "TV": "tv:tv",
    "pMSE": "pmse:pmse",
}
__getattr__ = registry.attribute(_ALSO)


def __dir__() -> list[str]:
    return registry.directory(_ALSO)
