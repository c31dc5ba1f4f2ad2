"""Vectors of a file on the disk: one number per record and column, and what they become.

A column of both files is held while its numbers are made; whoever compares records reads some of
them and makes the coordinates then.
"""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

import numpy as np

from tacit.attack.distances import Distance, Scale, Shape, coordinates
from tacit.base.typing import Floats
from tacit.data.microdata import Microdata

NUMBER = 8
"""Bytes of a number."""


@dataclass(frozen=True)
class DiskVectors:
    """The vectors of one file; ``path`` holds its columns one after the other."""

    path: Path
    n: int
    shapes: tuple[Shape, ...]

    @property
    def width(self) -> int:
        """Number of coordinates."""
        return sum(shape.width for shape in self.shapes)

    def rows(self, first: int, stop: int) -> Floats:
        """The vectors of consecutive records, as ``distances.vectors`` gives them."""
        parts = []
        for column, shape in enumerate(self.shapes):
            at = NUMBER * (column * self.n + first)
            values = np.fromfile(self.path, np.float64, stop - first, offset=at)
            parts.append(shape(values))
        return np.ascontiguousarray(np.hstack(parts))

    def sample(self, most: int) -> Floats:
        """Some runs of records from all over the file, ``most`` of them at most."""
        if self.n <= most:
            return self.rows(0, self.n)
        # runs of 512: reading one record takes as long
        runs = most // 512
        starts = np.linspace(0, self.n - 512, runs).astype(np.int64)
        return np.concatenate([self.rows(at, at + 512) for at in starts.tolist()])


def spilled_vectors(
    folder: Path,
    original: Microdata,
    masked: Microdata,
    columns: list[str],
    distance: Distance,
    scale: Scale,
    weights: dict[str, float] | None,
) -> tuple[DiskVectors, DiskVectors]:
    """Both files as vectors on the disk, standardised by all their records.

    Parameters
    ----------
    folder : path
        Where they are written.
    original, masked, columns, distance, scale, weights
        As of ``distances.vectors``; Mahalanobis distances are not made here.
    """
    shapes = []
    paths = folder / "original.numbers", folder / "masked.numbers"
    with paths[0].open("wb") as ours, paths[1].open("wb") as theirs:
        for x, z, shape in coordinates(
            original, masked, columns, distance, scale, weights
        ):
            x.tofile(ours)
            z.tofile(theirs)
            shapes.append(shape)
    return (
        DiskVectors(paths[0], original.n, tuple(shapes)),
        DiskVectors(paths[1], masked.n, tuple(shapes)),
    )


def written_vectors(path: Path, values: Floats) -> DiskVectors:
    """Vectors as they are, one row for each record, written to the disk.

    Parameters
    ----------
    path : path
        Where they are written.
    values : array
        (records, coordinates)
    """
    with path.open("wb") as file:
        for column in values.T:
            np.ascontiguousarray(column).tofile(file)
    return DiskVectors(path, len(values), (Shape(),) * values.shape[1])
