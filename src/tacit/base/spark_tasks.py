"""Work on items by the executors of a Spark session, one task per item.

A task that is lost with its worker is run again by Spark; since work depends on its item alone,
that changes nothing but the time.
"""

from __future__ import annotations

import pickle
import re
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from typing import Any

import pyarrow as pa

from tacit.base.errors import InputError, TacitError

# the last line of a trace of Python
_RAISED = re.compile(r"^([\w.]+(?:Error|Exception)): (.*)$", re.MULTILINE)


def spread(
    session: Any,
    work: Callable[[Any], Any],
    items: Sequence[Any],
    places: Sequence[int],
) -> Iterator[tuple[int, Any]]:
    """(place, result) of the items at these places, all at once.

    Results come back through the driver: keep them small (a path, a count), and the records in
    files.
    """
    if not places:
        return

    pickled = [pickle.dumps(items[place]) for place in places]

    def run(batches: Iterator[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
        for batch in batches:
            for number in batch["id"].to_pylist():
                result = pickle.dumps(work(pickle.loads(pickled[number])))
                row = {"number": [number], "result": [result]}
                yield pa.RecordBatch.from_pydict(row)

    # a range has as many numbers in every partition; a hash would put several items into one task
    numbers = session.range(0, len(places), 1, len(places))
    done = numbers.mapInArrow(run, "number long, result binary")
    with one_sentence():
        rows = done.collect()
    for row in rows:
        yield places[row["number"]], pickle.loads(bytes(row["result"]))


@contextmanager
def one_sentence() -> Iterator[None]:
    """What goes wrong on Spark inside the block is one sentence, without Java's trace."""
    from py4j.protocol import Py4JError
    from pyspark.errors import PySparkException

    try:
        yield
    except (PySparkException, Py4JError) as error:
        raise said_by(error) from None


def said_by(error: Exception) -> TacitError:
    """What an exception of Spark says, as ours.

    >>> trace = ["Job aborted", "File x", "tacit.base.errors.InputError: a.parquet: no", " at org"]
    >>> said_by(RuntimeError("\\n".join(trace)))
    InputError('a.parquet: no')
    """
    every = _RAISED.findall(str(error))
    found = [one for one in every if not one[0].startswith(("org.", "java.", "py4j."))]
    if not found:
        return TacitError(f"Spark: {str(error).strip().splitlines()[0]}")
    name, text = found[-1]
    if name.startswith("tacit."):
        return InputError(text)
    return TacitError(f"a worker of Spark failed ({name.rpartition('.')[2]}: {text})")
