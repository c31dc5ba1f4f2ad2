"""Which original of a window is nearest to a masked record: the intruder's view of a stream.

The own original is always in the window, so the answer needs one pass: is any other strictly
nearer, and how many are exactly as near? Ties are shared and not broken by order, which is no
knowledge of the intruder's.
"""

import numpy as np

from tacit.kernels.arrays import Floats, Ints
from tacit.kernels.compiler import njit
from tacit.kernels.stream.neighbours import distances


@njit(cache=True, nogil=True, error_model="numpy")
def window_risk(
    originals: Floats,
    length: int,
    masked: Floats,
    place: Ints,
    before: int,
    after: int,
    weight: Floats,
    missing: Floats,
    kinds: Ints,
    out: Floats,
) -> None:
    """out[t] = chance that naming the nearest original names the own one of masked[t].

    originals (d, L), of which `length` are there, in order of arrival; the own original of
    masked[t] is column place[t]; the intruder holds `before` originals that came before it and
    `after` that came after it (as far as they exist). Nearest: 1 / (number of originals at the
    smallest distance) if the own one is among them, else 0.
    """
    room = np.empty(before + after + 1)
    for t in range(masked.shape[0]):
        own = place[t]
        low = max(0, own - before)
        high = min(length, own + after + 1)
        distances(
            originals,
            low,
            high,
            masked[t],
            weight,
            missing,
            kinds,
            room,
        )
        # the distance to the own original is the one to beat
        mine = room[own - low]
        nearer = 0
        ties = 0
        for s in range(high - low):
            nearer += room[s] < mine
            ties += room[s] == mine
        out[t] = 1.0 / ties if nearer == 0 else 0.0
