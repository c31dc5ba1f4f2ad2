"""Where random numbers come from: one key for a release, and one tree of seeds below it.

- **The key** has 128 bits from the operating system (``secrets``). Bit 128 is set in every key
  that was drawn, so that it can be told from a seed that somebody gave by hand, and so that no
  drawn key is ever small.
- **The tree**: what draws at place ``path`` (step of a plan; block of a large file; window of a
  stream) gets ``child(key, *path)``, 128 bits of
  ``numpy.random.SeedSequence(key, spawn_key=path)``. It depends on the key and on the place
  alone, hence the same bytes on any number of threads, processes and machines.
- **The generator** of a drawn key is Philox-4x64-10 with a key of 128 bits; that of a seed given
  by hand is numpy's default, PCG64, as in other libraries. Stream filters draw by SipHash-2-4
  under 128 bits of the key (``tacit.kernels.stream.addressed``). Differentially private noise
  comes from none of them but from the operating system.

SeedSequence, Philox and PCG64 are statistical and not cryptographic: what keeps the noise on is
that the key cannot be guessed. A seed given by hand can: anyone with this software can try small
ones. It is for tests.
"""

from __future__ import annotations

import secrets
import warnings

import numpy as np
from numpy.typing import NDArray

from tacit.base.errors import ParameterError, TacitWarning

# more than anybody can try
BITS = 128
DRAWN = 1 << BITS
"""The bit that every drawn key has and no seed given by hand."""
FIXED = 0
"""Where attacks and measures begin their search: they protect nothing, and give the same figure
each time."""
DANGER = (
    "a seed was given by hand: anyone who has this software can try small seeds and take "
    "the noise off the release; leave it out unless this is a test"
)


def draw() -> int:
    """A new key: 128 bits from the operating system."""
    return DRAWN | secrets.randbits(BITS)


def by_hand(seed: int | None) -> bool:
    """Did somebody choose this seed? (None: it is to be drawn.)"""
    return seed is not None and seed < DRAWN


def child(
    key: int,
    *path: int,
) -> int:
    """The seed at a place below a key, 128 bits; below a drawn key it counts as drawn.

    >>> child(7, 0) == child(7, 0), child(7, 0) == child(7, 1)
    (True, False)
    >>> by_hand(child(7, 0)), by_hand(child(draw(), 0))
    (True, False)
    """
    sequence = np.random.SeedSequence(key, spawn_key=path)
    # words of 32 bits, always in the same byte order: the same seed on every machine
    words_of_seed = sequence.generate_state(BITS // 32, np.uint32).astype("<u4")
    seed = int.from_bytes(words_of_seed.tobytes(), "little")
    return (key & DRAWN) | seed


def generator(key: int) -> np.random.Generator:
    """The generator of a key or of a seed given by hand."""
    if by_hand(key):
        return np.random.default_rng(key)
    return np.random.Generator(np.random.Philox(np.random.SeedSequence(key)))


def words(key: int) -> NDArray[np.uint64]:
    """The key of a compiled filter: two words of 64 bits."""
    state = np.random.SeedSequence(key).generate_state(2, np.uint64)
    return np.asarray(state, dtype=np.uint64)


def warn(seed: int | None) -> None:
    """Name the danger of a seed that was given by hand; faces that write a release call this."""
    if by_hand(seed):
        warnings.warn(DANGER, TacitWarning, stacklevel=2)


def refuse(
    random_state: object,
    test_seed: bool,
    who: str,
) -> None:
    """Differentially private noise takes a seed only where the user says that this is a test."""
    if random_state is not None and not test_seed:
        raise ParameterError(
            f"{who} is differentially private and takes no seed: whoever tries the same one "
            "takes the noise off; leave it out, or say that this is a test: "
            "test_seed = true, or --test-seed on the command line"
        )
