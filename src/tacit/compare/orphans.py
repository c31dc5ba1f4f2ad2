"""A worker process whose parent was killed ends at once, and takes the data along.

A process that is killed (``kill -9``, too little memory) tells nobody. Its workers would go on with
runs that nobody waits for, and the file that was shipped to them would stay.
"""

from __future__ import annotations

import os
import shutil
import threading
import time
from functools import cache
from pathlib import Path

# seconds between two looks; a look is one call of the system
LOOK = 0.2


@cache
def end_with(parent: int, folder: Path) -> None:
    """End this process when its parent has gone, and remove the folder; once for each of them."""
    watcher = threading.Thread(target=_watch, args=(parent, folder), daemon=True)
    watcher.start()


def _watch(parent: int, folder: Path) -> None:
    # an orphan is given another parent
    while os.getppid() == parent:
        if not folder.exists():
            return  # this comparison is over
        time.sleep(LOOK)
    shutil.rmtree(folder, ignore_errors=True)
    # not sys.exit: this is not the thread that works
    os._exit(1)
