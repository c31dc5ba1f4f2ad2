"""Work on items by the executors of a Spark session, one task per item.

A task that is lost with its worker is run again by Spark; since work depends on its item alone,
that changes nothing but the time.

Items and results are pickled, as Spark itself pickles the function that does the work: whoever
could change the one could change the other, and neither is ever read from a user's file
(``tools/forbidden.py``).
"""

from __future__ import annotations

import pickle
import re
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from typing import Any

import pyarrow as pa

from tacit.base.errors import InputError, TacitError

# the last line of a trace of Python
_RAISED = re.compile(r"^([\w.]+(?:Error|Exception)): (.*)$", re.MULTILINE)


# what the workers' Python took, by application: pieces add to it where they run
_spent: dict[str, Any] = {}


def worker_seconds() -> float:
    """CPU seconds of the workers, of all that this process has had done.

    They are of Python, which does the work. A task that was done twice, because a worker was lost,
    counts twice.
    """
    return sum(float(seconds.value) for seconds in _spent.values())


def timed(session: Any, run: Callable[..., Iterator[Any]]) -> Callable[..., Any]:
    """The function, whose CPU seconds on the workers are counted (``worker_seconds``)."""
    spent = _counter(session)

    def measured(*given: Any) -> Iterator[Any]:
        start = time.process_time()
        yield from run(*given)
        spent.add(time.process_time() - start)

    return measured


def timed_group(
    session: Any, run: Callable[[Any, pa.Table], pa.Table]
) -> Callable[[Any, pa.Table], pa.Table]:
    """As ``timed``, of a function of a key and its records."""
    spent = _counter(session)

    def measured(key: Any, table: pa.Table) -> pa.Table:
        start = time.process_time()
        made = run(key, table)
        spent.add(time.process_time() - start)
        return made

    return measured


def _counter(session: Any) -> Any:
    """What the workers of a session add their seconds to."""
    context = getattr(session, "sparkContext", None)
    if context is None:
        # a session of Spark Connect has no part on this side: nothing is counted
        return _Nobody()
    name = context.applicationId
    if name not in _spent:
        _spent[name] = context.accumulator(0.0)
    return _spent[name]


class _Nobody:
    """Counts nothing."""

    def add(self, seconds: float) -> None:
        """Nothing."""


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
    done = numbers.mapInArrow(timed(session, run), "number long, result binary")
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
