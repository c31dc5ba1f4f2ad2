"""SipHash-2-4 in plain Python, written from the paper: the twin of the streams' generator."""

from __future__ import annotations

from typing import Any

WORD = (1 << 64) - 1


def _turn(x: int, by: int) -> int:
    return ((x << by) | (x >> (64 - by))) & WORD


def _round(a: int, b: int, c: int, d: int) -> tuple[int, int, int, int]:
    a = (a + b) & WORD
    b = _turn(b, 13) ^ a
    a = _turn(a, 32)
    c = (c + d) & WORD
    d = _turn(d, 16) ^ c
    a = (a + d) & WORD
    d = _turn(d, 21) ^ a
    c = (c + b) & WORD
    b = _turn(b, 17) ^ c
    return a, b, _turn(c, 32), d


def of_bytes(key: bytes, message: bytes) -> int:
    """SipHash-2-4 of any message."""
    first, second = int.from_bytes(key[:8], "little"), int.from_bytes(key[8:], "little")
    a, b = first ^ 0x736F6D6570736575, second ^ 0x646F72616E646F6D
    c, d = first ^ 0x6C7967656E657261, second ^ 0x7465646279746573
    whole = len(message) // 8 * 8
    words = [int.from_bytes(message[i : i + 8], "little") for i in range(0, whole, 8)]
    words.append(int.from_bytes(message[whole:], "little") | (len(message) % 256) << 56)
    for word in words:
        a, b, c, d = _round(*_round(a, b, c, d ^ word))
        a ^= word
    c ^= 0xFF
    for _ in range(4):
        a, b, c, d = _round(a, b, c, d)
    return a ^ b ^ c ^ d


def siphash(keys: Any, record: int, column: int, attempt: int) -> int:
    """The 64 bits that belong to this address."""
    key = b"".join(int(word).to_bytes(8, "little") for word in keys)
    return of_bytes(
        key,
        record.to_bytes(8, "little") + (column << 32 | attempt).to_bytes(8, "little"),
    )
