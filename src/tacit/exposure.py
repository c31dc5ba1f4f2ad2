"""Which records and which columns make a release unsafe: an assessment's risks one by one, as columns to treat by.

result = tc.assess(original, masked)
by_record(result)["highest"]            # the highest probability, over attacks, that the record is linked correctly
with_risk(result)                       # the original with that column, to recode, suppress or drop by
rows = exposed(result, above=0.2)       # the records themselves
"""

from __future__ import annotations

from typing import Any

import narwhals.stable.v2 as nw
import numpy as np
from numpy.typing import NDArray

from tacit.errors import ParameterError, TacitError
from tacit.measure import Measure
from tacit.microdata import FloatArray, Microdata


def by_record(assessment: Any) -> dict[str, FloatArray]:
    """Risk of each original record: ``highest`` over the attacks, each attack's success, each measure's own value.

    ``highest`` and the attacks are probabilities of a correct link; the measures keep their own scales (see their
    docstrings). What an assessment did not compute is not there.
    """
    attacks = {name: np.asarray(link.success) for name, link in assessment.linkages.items()}
    if not attacks:
        raise TacitError("no attack ran, so no record's risk is known")
    out = {"highest": np.max(list(attacks.values()), axis=0), **attacks}
    for name, measure in assessment.risk.items():
        values = measure.per_record if isinstance(measure, Measure) and name not in out else None
        if values is not None and len(values) == assessment.original.n:
            out[name] = np.asarray(values)
    return out


def by_column(assessment: Any) -> dict[str, dict[str, float]]:
    """What each column adds to each risk that can be told apart by column (see the measures' docstrings)."""
    return {
        name: dict(measure.per_column)
        for name, measure in assessment.risk.items()
        if isinstance(measure, Measure) and measure.per_column
    }


def exposed(assessment: Any, above: float = 0.2) -> NDArray[np.int64]:
    """Rows of the original whose highest risk is above the limit, the most exposed first."""
    risk = by_record(assessment)["highest"]
    rows = np.flatnonzero(risk > above)
    return np.asarray(rows[np.argsort(-risk[rows], kind="stable")], np.int64)


def with_risk(assessment: Any, name: str = "risk", which: str = "highest") -> Any:
    """The original file with one more column, each record's risk; the same kind of frame as was given."""
    risks = by_record(assessment)
    if which not in risks:
        raise ParameterError(f"there is no risk '{which}' by record; there are: {', '.join(risks)}")
    original: Microdata = assessment.original
    if name in original.names:
        raise ParameterError(f"the file has a column '{name}' already; call the new one something else (name=...)")
    frame = original.to_native()
    if isinstance(frame, np.ndarray):
        return np.column_stack([frame, risks[which]])
    eager: Any = nw.from_native(frame, eager_only=True)
    column = nw.new_series(name, risks[which], backend=eager.implementation)
    if hasattr(frame, "index"):  # pandas joins on the index
        column = nw.from_native(column.to_native().set_axis(frame.index), series_only=True)
    return eager.with_columns(column).to_native()


def table(assessment: Any) -> Microdata:
    """One row a record: its row number (from 1) and every risk, as a file to write."""
    risks = by_record(assessment)
    return Microdata.of({"row": np.arange(1, assessment.original.n + 1), **risks})
