"""Random draws of the differentially private filter: by address, so that a replay is the same.

Random words are SHAKE-256 of the secret key of the stream, of a keyed hash of all records that
left before and of those that leave now, and of what the words are for. SHAKE-256 is a pseudo-random
function of a secret key: without it the words cannot be told from those of the operating system.

The same records at the same place give the same words: a window that leaves twice is the same
window. Other records, or the same ones cut into other windows, give words of their own: the noise
of one release never comes off by subtracting another.
"""

from __future__ import annotations

import hashlib
import math

import numpy as np
import numpy.typing as npt

from tacit.base.typing import Floats, Ints

Words = npt.NDArray[np.uint64]

# bytes of the hash of all records that left
CHAIN = 32
# a huge epsilon must not overflow exp; with exp(30) a category is false once in 10^13 answers, and
# a smaller exponent than asked for only protects more
LARGEST_EXPONENT = 30.0
# what words are drawn for: no two uses share any
NOISE = 0
FIRST_RESPONSE = 1


def chained(
    key: bytes,
    before: bytes,
    first: int,
    rows: Floats,
) -> bytes:
    """The hash of all records that left before, and of a window of rows that begins at ``first``.

    It is keyed: who has no key cannot try records on it.
    """
    # one form of each value: there are many NaN, and two zeros
    plain = np.where(np.isnan(rows), np.nan, rows) + 0.0
    address = np.array([first, *rows.shape], dtype="<i8").tobytes()
    content = before + address + plain.astype("<f8").tobytes()
    person = b"tacit window"
    hashed = hashlib.blake2b(content, key=key, person=person, digest_size=CHAIN)
    return hashed.digest()


class WindowWords:
    """The random words of one window.

    Parameters
    ----------
    key : bytes
        The secret of the stream, of a fixed length.
    chain : bytes
        What `chained` gives for the window: its address.
    """

    def __init__(self, key: bytes, chain: bytes) -> None:
        self._secret = b"tacit noise" + key + chain

    def draw(self, purpose: int, size: int) -> Words:
        """The first words for a purpose; asked for more, the same ones and others after them."""
        content = self._secret + purpose.to_bytes(4, "little")
        raw = hashlib.shake_256(content).digest(8 * size)
        # little-endian on every machine: same key, same numbers
        return np.frombuffer(raw, dtype="<u8").astype(np.uint64)


def name_of(key: bytes) -> str:
    """A name for a stream that tells nothing of its key."""
    return hashlib.blake2b(key=key, person=b"tacit stream", digest_size=8).hexdigest()


def randomised_response(
    codes: Floats,
    categories: int,
    epsilon: float,
    words: Words,
) -> Floats:
    """The true category with probability e^epsilon / (e^epsilon + m - 1), else one of the others.

    The probability of the truth is rounded down to the grid of 2^-53, so that no category is more
    telling than promised. A missing value answers as the first category. ``words`` are two uniform
    words for each code.
    """
    n = len(codes)
    odds = math.exp(min(epsilon, LARGEST_EXPONENT))
    truthful = odds / (odds + categories - 1)
    threshold = max(int(truthful * 2**53) - 1, 0)
    truth = np.where(np.isnan(codes), 0, codes).astype(np.int64)
    others = np.uint64(categories - 1)
    other: Ints = (words[:n] % others).astype(np.int64)
    # the others are numbered without the truth: make room for it
    other += other >= truth
    # the upper 53 of 64 bits are a uniform number on the grid
    honest = (words[n:] >> np.uint64(11)) < np.uint64(threshold)
    return np.where(honest, truth, other).astype(np.float64)
