"""Keys that no search has used: a release that was chosen is drawn again before it is believed.

Of many draws a search takes one that looked safe, and looks are part luck: a release that is drawn
anew from the same plan is often above the bound that the search saw it keep.
"""

from __future__ import annotations

from tacit.base import seeds

FRESH = 1
"""The branch below a key from which fresh ones come; the search itself draws at other places."""


def fresh(key: int, i: int) -> int:
    """The i-th fresh key below the key of a search; the same seed gives the same ones."""
    return seeds.child(key, FRESH, i)
