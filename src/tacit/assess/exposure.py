"""Which records and which columns make a release unsafe.

An assessment's risks one by one, as columns to treat by:

result = tc.assess(original, masked)
by_record(result)["highest"]      # highest probability, over attacks, of a correct link
with_risk(result)                 # the original with that column, to recode or drop by
rows = exposed(result, above=0.2) # the records themselves
"""

from __future__ import annotations

from typing import Any

import numpy as np
import pyarrow as pa

from tacit.assess.assessment import Assessment
from tacit.base.errors import ParameterError, TacitError
from tacit.base.measure import Measure
from tacit.base.typing import Floats, Ints
from tacit.data import lazy
from tacit.data.microdata import Microdata


def by_record(assessment: Assessment) -> dict[str, Floats]:
    """Risk of each original record.

    ``highest`` over the attacks, each attack's success, each measure's own value. ``highest``
    and the attacks are probabilities of a correct link; the measures keep their own scales (see
    their docstrings). What an assessment did not compute is not there.
    """
    attacks = {
        name: np.asarray(link.success) for name, link in assessment.linkages.items()
    }
    if not attacks:
        raise TacitError("no attack ran, so no record's risk is known")
    out = {"highest": np.max(list(attacks.values()), axis=0), **attacks}
    for name, measure in assessment.risk.items():
        # an attack goes before a measure of the same name
        if not isinstance(measure, Measure) or name in out:
            continue
        values = measure.per_record
        # only what has one value for each original record
        if values is not None and len(values) == assessment.original.n:
            out[name] = np.asarray(values)
    return out


def by_column(assessment: Assessment) -> dict[str, dict[str, float]]:
    """What each column adds to each risk that can be told apart by column."""
    return {
        name: dict(measure.per_column)
        for name, measure in assessment.risk.items()
        if isinstance(measure, Measure) and measure.per_column
    }


def exposed(assessment: Assessment, above: float = 0.2) -> Ints:
    """Rows of the original whose highest risk is above the limit, the most exposed first."""
    risk = by_record(assessment)["highest"]
    rows = np.flatnonzero(risk > above)
    # equal risks in file order
    order = np.argsort(-risk[rows], kind="stable")
    return np.asarray(rows[order], np.int64)


def with_risk(
    assessment: Assessment,
    name: str = "risk",
    which: str = "highest",
) -> Any:
    """The original file with one more column, each record's risk.

    Parameters
    ----------
    assessment : Assessment
        What ``assess`` found.
    name : str
        Name of the new column.
    which : str
        Which risk: ``highest``, or an attack or measure.

    Returns
    -------
    frame
        Of the kind that was assessed.
    """
    risks = by_record(assessment)
    if which not in risks:
        raise ParameterError(
            f"there is no risk '{which}' by record; there are: {', '.join(risks)}"
        )
    original = assessment.original
    if name in original.names:
        raise ParameterError(
            f"the file has a column '{name}' already; "
            "call the new one something else (name=...)"
        )
    frame = original.to_native()
    unread = lazy.of(frame)
    if unread is not None:
        table = original.held(original.names).written()
        return unread.of_held(table.append_column(name, pa.array(risks[which])))
    if isinstance(frame, np.ndarray):
        # an array has no names: the risk is its last column
        return np.column_stack([frame, risks[which]])
    import narwhals.stable.v2 as nw

    eager = nw.from_native(frame, eager_only=True)
    column = nw.new_series(name, risks[which], backend=eager.implementation)
    # pandas joins on the index
    if hasattr(frame, "index"):
        indexed = column.to_native().set_axis(frame.index)
        column = nw.from_native(indexed, series_only=True)
    return eager.with_columns(column).to_native()


def table(assessment: Assessment) -> Microdata:
    """One row per record: its row number (from 1) and every risk, as a file to write."""
    rows = np.arange(1, assessment.original.n + 1)
    return Microdata.of({"row": rows, **by_record(assessment)}, count="row")
