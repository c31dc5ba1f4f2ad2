"""The release of a private generalisation: labels, in the order of the labels.

Neither types, nor index, nor order tell of the file. Rows with the same labels are alike, so that
of a file on the disk only the number of each combination is known, and needed.
"""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pyarrow as pa

from tacit.base.typing import Ints
from tacit.data.io.on_disk import OnDisk, native_of
from tacit.data.microdata import Column, Kind, Microdata, Schema
from tacit.protect.lattice.level_codes import KeyColumn, Levels
from tacit.protect.private import declared
from tacit.protect.private.sampled_classes import repeated


def _ranked(
    keys: list[KeyColumn], node: Levels, rows: Ints
) -> tuple[dict[str, pa.Array], Ints]:
    """The labels of these rows, and their order."""
    texts: dict[str, pa.Array] = {}
    ranks = []
    for key, level in zip(keys, node, strict=True):
        codes = key.between(0, level)[key.codes[rows]]
        labels = key.tree.labels[level]
        # codes behind the labels are gaps
        shown = np.array([*labels, ""], dtype=object)
        order = np.argsort(shown[:-1].astype(str), kind="stable")
        rank = np.full(len(shown), len(shown), dtype=np.int64)
        rank[order] = np.arange(len(order))
        ranks.append(rank[codes])
        gaps = codes >= len(labels)
        texts[key.name] = pa.array(shown[codes], type=pa.string(), mask=gaps)
    # the last key that lexsort is given counts first
    order = np.lexsort(ranks[::-1]) if ranks else np.arange(len(rows))
    return texts, order


def _as_labels(schema: Schema) -> Schema:
    """What the columns of the release are."""
    for column in schema:
        schema = schema.put(
            Column(column.name, Kind.nominal, column.role, None, "declared")
        )
    return schema


def classes_in_order(
    data: OnDisk, keys: list[KeyColumn], node: Levels, times: Ints
) -> OnDisk:
    """The release on the disk: the labels of each combination, so many times."""
    rows = np.flatnonzero(times)
    texts, order = _ranked(keys, node, rows)
    labels = pa.table({name: texts[name] for name in data.names})
    table = repeated(labels.take(pa.array(order)), times[rows][order], data.disk.folder)
    native = replace(native_of(table), origin=data._native.origin)
    return OnDisk(table, _as_labels(data.schema), native)


def rows_in_order(
    data: Microdata,
    keys: list[KeyColumn],
    node: Levels,
    rows: Ints,
) -> Microdata:
    """The labels of these rows, in the order of the labels: the file's own order tells of it."""
    texts, order = _ranked(keys, node, rows)
    sample = data.take(rows)
    inside = {name: text.take(pa.array(order)) for name, text in texts.items()}
    labelled = sample.with_schema(_as_labels(sample.schema))
    return declared.released(labelled, inside, labels=False)
