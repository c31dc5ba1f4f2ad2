"""Which version of each peer was measured: those that live with us, and those in environments of
their own.
"""

from __future__ import annotations

from importlib.metadata import PackageNotFoundError, distributions, version

from bench.venvs import FOLDER, PEERS

WITH_US = (
    "lapx",
    "numba",
    "numpy",
    "opendp",
    "ortools",
    "pandas",
    "river",
    "scikit-learn",
    "scipy",
)


def versions() -> dict[str, str]:
    """Peer -> its version, or why there is none."""
    found = {}
    for name in WITH_US:
        try:
            found[name] = version(name)
        except PackageNotFoundError:
            found[name] = "not installed"
    for name in PEERS:
        folders = [
            str(path) for path in (FOLDER / name).glob("lib/python*/site-packages")
        ]
        here = {d.metadata["Name"]: d.version for d in distributions(path=folders)}
        found[name] = here.get(name, "not installed")
    return dict(sorted(found.items()))
