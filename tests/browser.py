"""Fetch a browser for the tests of the page where the system has none: ``python
tests/browser.py`` (by ``make test``).

No Python package brings one. The npm package @sparticuz/chromium (MIT; Chromium itself BSD) holds
a headless Chromium
for 64-bit Linux with the libraries that it needs; playwright's own node unpacks it. Without
network, or on another
system, the tests that need it skip and say so.
"""

from __future__ import annotations

import base64
import hashlib
import io
import platform
import shutil
import subprocess
import sys
import tarfile
import tempfile
import urllib.request
from pathlib import Path

from programs import BROWSER, find

ADDRESS = "https://registry.npmjs.org/@sparticuz/chromium/-/chromium-153.0.0.tgz"
SHA512 = "jiGWqSvPMdu4+P9TilYqAR7yEGPEHINx+lCvE/NqNO/EHYzF/x1hUiI5T6ioVIt7dEy7n88byyT0vk+dnsgQwA=="
UNPACK = "const f = require('fs'), z = require('zlib'), [, i, o] = process.argv; "
UNPACK += "f.writeFileSync(o, z.brotliDecompressSync(f.readFileSync(i)))"
START = '#!/bin/sh\nhere=$(dirname "$0")\nexport LD_LIBRARY_PATH="$here/lib" FONTCONFIG_PATH="$here"\n'
START += 'exec "$here/headless" "$@"\n'


def fetch(target: Path) -> None:
    """Download, check, unpack; ``target`` appears only when it is whole."""
    with urllib.request.urlopen(ADDRESS, timeout=60) as answer:
        package = answer.read()
    if base64.b64encode(hashlib.sha512(package).digest()).decode() != SHA512:
        raise OSError(f"{ADDRESS} is not the file that was expected")
    with tempfile.TemporaryDirectory(dir=target.parent.parent) as made:
        folder = Path(made) / "browser"
        with tarfile.open(fileobj=io.BytesIO(package)) as archive:
            archive.extractall(made, filter="data")
        folder.mkdir()
        packed = Path(made) / "package" / "bin"
        _unpack(packed / "chromium.br", folder / "headless")
        (folder / "headless").chmod(0o755)
        for name in ("al2023", "fonts"):
            _unpack(packed / f"{name}.tar.br", Path(made) / f"{name}.tar")
            with tarfile.open(Path(made) / f"{name}.tar") as archive:
                archive.extractall(folder, filter="data")
        fonts = folder / "fonts.conf"
        fonts.write_text(
            fonts.read_text().replace("/tmp/fonts", str(target.parent / "fonts"))
        )
        start = folder / target.name
        start.write_text(START)
        start.chmod(0o755)
        shutil.rmtree(target.parent, ignore_errors=True)
        folder.rename(target.parent)


def _unpack(packed: Path, to: Path) -> None:
    import playwright

    node = Path(playwright.__file__).parent / "driver" / "node"
    subprocess.run([node, "-e", UNPACK, packed, to], check=True)


if __name__ == "__main__" and find("chromium") is None:
    if (sys.platform, platform.machine()) != ("linux", "x86_64"):
        sys.exit(
            "no package brings a browser for this system; install chromium, or the tests of the page skip"
        )
    try:
        fetch(BROWSER)
    except (OSError, subprocess.CalledProcessError) as error:
        sys.exit(
            f"the browser could not be fetched ({error}); the tests of the page skip"
        )
