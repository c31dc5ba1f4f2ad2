"""Kill -9 at random moments, full disks, closed folders, two at once: what lies there afterwards?

    python -m tools.kills                      # everything but Spark, 100 kills of each
    python -m tools.kills protect large        # some
    python -m tools.kills spark --kills 5      # a cluster takes many seconds for each

Every line of the table counts what must never be: half a file under the final name, a resumed
result with other bytes than those of a run that was never stopped, a record that left twice or
never. It must be 0. Commands run in children of one process that has everything loaded, so that
kills hit the work and not the imports; Spark and the page run in processes of their own.
"""

from __future__ import annotations

import argparse
import random
import sys
import tempfile
from pathlib import Path

from tools.kills import scenarios

HEAD = (
    "| what | how often | before the end | old file | new file | nothing there "
    "| half, other or lost |\n|---|---|---|---|---|---|---|"
)


def main() -> int:
    """Run the scenarios and print the table; 1 if anything is wrong."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawTextHelpFormatter
    )
    usual = [name for name in scenarios.ALL if name not in ("spark",)]
    parser.add_argument("what", nargs="*", help=", ".join(scenarios.ALL))
    parser.add_argument("--kills", type=int, default=100)
    given = parser.parse_args()
    print(HEAD, flush=True)
    wrong = 0
    for name in given.what or usual:
        with tempfile.TemporaryDirectory(prefix="kills-") as folder:
            # the moments are drawn by name: a scenario has the same ones alone and among others
            draw = random.Random(name)
            for tally in scenarios.ALL[name](Path(folder), given.kills, draw):
                print(tally.row(), flush=True)
                wrong += tally.wrong
                for line in tally.seen[:5]:
                    print(f"  {line}", file=sys.stderr)
    return int(wrong > 0)


if __name__ == "__main__":
    sys.exit(main())
