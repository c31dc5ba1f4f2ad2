"""Local suppression: what is left must agree; what is missing says nothing."""

from __future__ import annotations

import numpy as np

from tacit.attack.aware.base import Informed
from tacit.attack.distances import common_codes
from tacit.attack.evidence import Evidence, Part, Rule
from tacit.microdata import FloatArray, Kind, Microdata


class AwareSuppression(Informed):
    """A masked record is a candidate when every value that it still shows is the original's own."""

    method = "local_suppression"

    def __init__(self, rule: Rule = "assignment", columns: list[str] | None = None) -> None:
        self.rule = rule
        self.columns = columns

    @property
    def knows(self) -> str:
        return self._says("that values were removed and none was changed")

    def evidence(self, original: Microdata, masked: Microdata, columns: list[str]) -> Evidence:
        xs, zs = [], []
        for name in columns:
            if original.schema[name].kind is Kind.continuous:
                a, b = original.column(name), masked.column(name)
            else:
                a, b, _ = common_codes(original, masked, name)
            xs.append(np.where(np.isnan(a), np.inf, a))
            zs.append(np.where(np.isnan(b), np.inf, b))
        part = Part(np.stack(xs, 1), np.stack(zs, 1), _agree)
        return Evidence(np.empty((original.n, 0)), np.empty((masked.n, 0)), [part])


def _agree(p: FloatArray, q: FloatArray) -> FloatArray:
    total = np.zeros((len(p), len(q)))
    for k in range(p.shape[1]):
        a, b = p[:, k, None], q[None, :, k]
        total += np.where(np.isinf(b), np.where(np.isinf(a), 0.0, 0.5), np.where(a == b, 0.0, np.inf))
    return total
