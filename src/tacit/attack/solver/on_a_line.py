"""One coordinate and files of one length: sorted order is the linkage of least cost.

For a cost f(x - y) with convex f, crossing links never cost less than those that do not cross
(Monge 1781: with x <= x' and y <= y', f(x - y) + f(x' - y') <= f(x - y') + f(x' - y)). So the
smallest original goes to the smallest masked record, and so on. Prices prove it: along the sorted
records let v rise from each place to the next by a step between

    c(x_l+1, y_l+1) - c(x_l+1, y_l)  and  c(x_l, y_l+1) - c(x_l, y_l),

the first of which is not above the second, and u_l = c(x_l, y_l) - v_l. What y_l+1 costs more than
y_l falls as x rises, so that u_i + v_j <= c_ij for every pair, with equality on the links. The step
is half-way, which leaves the largest margins.

Equal originals have equal u and equal masked records equal v: their links are shared by whoever
asks for them (``assign.shares``). Of equally good linkages of records that differ (there are many
where the cost is the plain distance) it is the one without crossings.
"""

from __future__ import annotations

import numpy as np

from tacit.attack.solver.solution import LogEntry, Solution
from tacit.base.typing import Floats
from tacit.kernels.trees import kdtree


def is_line(X: Floats, Y: Floats) -> bool:
    """One coordinate, and as many records in both files?"""
    return X.shape[1] == Y.shape[1] == 1 and len(X) == len(Y)


def solve(X: Floats, Y: Floats, kind: int) -> Solution:
    """The linkage of least total f(x - y), proven.

    Parameters
    ----------
    X, Y : arrays of shape (records, 1)
        Both files.
    kind : int
        What f is (see ``neighbours.KIND``).

    Examples
    --------
    >>> solve(np.array([[3.0], [1.0]]), np.array([[1.5], [2.0]]), kdtree.SQUARED).match.tolist()
    [1, 0]
    """
    x, y = X[:, 0], Y[:, 0]
    ours, theirs = np.argsort(x, kind="stable"), np.argsort(y, kind="stable")
    x, y = x[ours], y[theirs]
    if kind == kdtree.SQUARED:
        costs = (x - y) ** 2
        # (x - b)^2 - (x - a)^2 = (b - a) (a + b - 2 x)
        apart, both = y[1:] - y[:-1], y[1:] + y[:-1]
        least, most = apart * (both - 2 * x[1:]), apart * (both - 2 * x[:-1])
    else:
        # on a line all distances are the same
        costs = np.abs(x - y)
        least = np.abs(x[1:] - y[1:]) - np.abs(x[1:] - y[:-1])
        most = np.abs(x[:-1] - y[1:]) - np.abs(x[:-1] - y[:-1])
    price = np.concatenate([[0.0], np.cumsum((least + most) / 2)])
    match = np.empty(len(x), np.int64)
    match[ours] = theirs
    u, v = np.empty(len(x)), np.empty(len(x))
    u[ours], v[theirs] = costs - price, price
    cost = float(costs.sum())
    log: list[LogEntry] = [{"sorted": True, "cost": cost, "bound": cost, "gap": 0.0}]
    return Solution(match, cost, cost, certified=True, duals=(u, v), log=log)
