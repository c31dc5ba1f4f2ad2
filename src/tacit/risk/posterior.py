"""E(1/F | f): the individual risk of Benedetti and Franconi, in a form that keeps its digits.

With f records of a key in the sample and an estimated F of them in the population, p = f / F and q = 1 - p,
the population frequency is taken as negative binomial, and the risk is

    r = integral over t > 0 of (p e^-t / (1 - q e^-t))^f dt
      = p * integral over 0 < x < 1 of x^(f-1) / (p + q x) dx.

The closed form in common use is an alternating series that loses all its digits. Here, with I_f the second integral
and r = p I_f, each case takes a form that only adds positive terms or damps its errors:

    f >= 30 or q <= 1/2     r = p/f * sum over n of n! q^n / ((f + 1) .. (f + n))   (60 terms: positive, quick)
    whole f, p < 1/2        I_(f+1) = (1/f - p I_f) / q upwards from I_1 = -ln(p) / q   (errors shrink by p/q a step)
    otherwise               Gauss-Legendre panels in t = -ln x, where the integrand is analytic for |Im t| < pi

Source: Benedetti and Franconi 1998; Franconi and Polettini 2004; Polettini 2003 for the integral.
"""

from __future__ import annotations

import numpy as np

from tacit.risk.keys import FloatArray

_PANELS = 48
_NODES, _WEIGHTS = np.polynomial.legendre.leggauss(12)
_CHUNK = 4096


def individual_risk(f: FloatArray, F: FloatArray, *, approximate: bool = False) -> FloatArray:
    """r for each pair (f, F), F >= f >= 1. `approximate`: p / (f - q) from f = 3 on (within 4.1 %), as
    mu-Argus.

    A population frequency below the sample frequency (weights under 1) is raised to it: r = 1 / f.
    """
    f = np.asarray(f, np.float64)
    F = np.maximum(np.asarray(F, np.float64), f)
    p = f / F
    q = (F - f) / F
    r = 1.0 / f
    rest = q > 0
    if approximate:
        far = rest & (f >= 3)
        r[far] = p[far] / (f[far] - q[far])
        rest &= f < 3
    quick = rest & ((f >= 30) | (q <= 0.5))
    r[quick] = _series(f[quick], p[quick], q[quick])
    rest &= ~quick
    whole = rest & (f == np.rint(f))
    r[whole] = _upwards(f[whole], p[whole], q[whole])
    rest &= ~whole
    if rest.any():
        r[rest] = _integral(f[rest], F[rest])
    return r


def _series(f: FloatArray, p: FloatArray, q: FloatArray) -> FloatArray:
    term, total = np.ones_like(f), np.ones_like(f)
    for n in range(1, 61):
        term *= q * n / (f + n)
        total += term
    return p / f * total


def _upwards(f: FloatArray, p: FloatArray, q: FloatArray) -> FloatArray:
    integral = -np.log(p) / q
    for step in range(1, int(f.max(initial=1.0))):
        integral = np.where(f > step, (1 / step - p * integral) / q, integral)
    return p * integral


def _integral(f: FloatArray, F: FloatArray) -> FloatArray:
    grid = (np.arange(_PANELS)[:, None] + (_NODES + 1) / 2).ravel() / _PANELS
    weight = np.tile(_WEIGHTS / 2, _PANELS) / _PANELS
    out = np.empty(len(f))
    for start in range(0, len(f), _CHUNK):
        a = f[start : start + _CHUNK, None]
        p = a / F[start : start + _CHUNK, None]
        # beyond `top` the integrand e^-ft / (p + q e^-t) adds less than rounding
        top = np.minimum(-np.log(p), 40 / np.maximum(a - 1, 1e-9)) + 40 / a
        t = top * grid
        values = np.exp(-a * t) / (p + (1 - p) * np.exp(-t))
        out[start : start + _CHUNK] = (p * top)[:, 0] * (values @ weight)
    return out
