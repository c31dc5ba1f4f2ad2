"""Labels of any known column beside those of any released one, whatever their names and codes."""

from __future__ import annotations

from collections.abc import Iterator

from tacit.attack.features.agreement import Table
from tacit.attack.features.feature import Feature
from tacit.attack.features.two_files import TwoFiles


def classes(files: TwoFiles) -> Iterator[Feature]:
    """Each pair of columns: categories, codes, classes of numbers, gaps."""
    for name, theirs in files.shown_labels.items():
        for source, ours in files.known_labels.items():
            way = "category" if source == name else "category told by another column"
            yield Feature(way, (name,), source, Table(ours, theirs))
