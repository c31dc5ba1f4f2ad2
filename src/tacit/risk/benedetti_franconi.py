"""E(1/F | f): the individual risk of Benedetti and Franconi, in a form that keeps its digits.

With f records of a key in the sample and an estimated F of them in the population, p = f / F
and q = 1 - p, the population frequency is taken as negative binomial, and the risk is

    r = integral over t > 0 of (p e^-t / (1 - q e^-t))^f dt
      = p * integral over 0 < x < 1 of x^(f-1) / (p + q x) dx.

The closed form in common use is an alternating series that loses all its digits. Here, with
I_f the second integral and r = p I_f, each case takes a form that only adds positive terms or
damps its errors:

    f >= 30 or q <= 1/2   r = p/f * sum over n of n! q^n / ((f + 1) .. (f + n))
                          (60 terms: positive, quick)
    whole f, p < 1/2      I_(f+1) = (1/f - p I_f) / q upwards from I_1 = -ln(p) / q
                          (errors shrink by p/q with each step)
    otherwise             Gauss-Legendre panels in t = -ln x, where the integrand is
                          analytic for |Im t| < pi

Source: Benedetti and Franconi (1998); Franconi and Polettini (2004); Polettini (2003) for the
integral.
"""

from __future__ import annotations

import numpy as np

from tacit.base.typing import Floats

# From this sample frequency on the series is quick whatever q: its terms fall like
# n! / ((f + 1) .. (f + n)).
_LARGE_FREQUENCY = 30
# With q <= 1/2 the 60th term is below 2^-60, and so below the last digit of the sum.
_TERMS = 60
# Panels and nodes of the quadrature: together they give twelve digits (see the tests).
_PANELS = 48
_NODES, _WEIGHTS = np.polynomial.legendre.leggauss(12)
# Pairs (f, F) that are integrated at once: 4,096 x 576 values take 19 MB.
_CHUNK = 4096


def individual_risk(
    f: Floats,
    F: Floats,
    *,
    approximate: bool = False,
) -> Floats:
    """r for each pair (f, F), F >= f >= 1.

    Parameters
    ----------
    f : array
        Sample frequencies, 1 or more.
    F : array
        Population frequencies; one below f (weights under 1) is raised to it: r = 1 / f.
    approximate : bool
        Take p / (f - q) from f = 3 on (within 4.1 %), as mu-Argus does.
    """
    f = np.asarray(f, np.float64)
    F = np.maximum(np.asarray(F, np.float64), f)
    p = f / F
    q = (F - f) / F
    risk = 1.0 / f
    # Each case takes its pairs out of those that are left; q = 0 is done already.
    left = q > 0
    if approximate:
        close = left & (f >= 3)
        risk[close] = p[close] / (f[close] - q[close])
        left &= f < 3
    quick = left & ((f >= _LARGE_FREQUENCY) | (q <= 0.5))
    risk[quick] = _series(f[quick], p[quick], q[quick])
    left &= ~quick
    whole = left & (f == np.rint(f))
    risk[whole] = _upwards(f[whole], p[whole], q[whole])
    left &= ~whole
    if left.any():
        risk[left] = _integral(f[left], F[left])
    return risk


def _series(
    f: Floats,
    p: Floats,
    q: Floats,
) -> Floats:
    """p/f * sum over n of n! q^n / ((f + 1) .. (f + n)): all terms are positive."""
    term = np.ones_like(f)
    total = np.ones_like(f)
    for n in range(1, _TERMS + 1):
        term *= q * n / (f + n)
        total += term
    return p / f * total


def _upwards(
    f: Floats,
    p: Floats,
    q: Floats,
) -> Floats:
    """I_(s+1) = (1/s - p I_s) / q from I_1 = -ln(p) / q, for each f as far as it needs."""
    integral = -np.log(p) / q
    for step in range(1, int(f.max(initial=1.0))):
        following = (1 / step - p * integral) / q
        integral = np.where(f > step, following, integral)
    return p * integral


def _integral(f: Floats, F: Floats) -> Floats:
    """p * integral of e^-ft / (p + q e^-t) over t > 0, by Gauss-Legendre panels."""
    # nodes and weights of all panels on [0, 1]
    panel = np.arange(_PANELS)[:, None]
    grid = (panel + (_NODES + 1) / 2).ravel() / _PANELS
    weight = np.tile(_WEIGHTS / 2, _PANELS) / _PANELS
    risk = np.empty(len(f))
    for start in range(0, len(f), _CHUNK):
        chunk = slice(start, start + _CHUNK)
        power = f[chunk, None]
        p = power / F[chunk, None]
        # Beyond `top` the integrand adds less than rounding: e^-40 is 4e-18.
        decay = np.minimum(-np.log(p), 40 / np.maximum(power - 1, 1e-9))
        top = decay + 40 / power
        t = top * grid
        values = np.exp(-power * t) / (p + (1 - p) * np.exp(-t))
        risk[chunk] = (p * top)[:, 0] * (values @ weight)
    return risk
