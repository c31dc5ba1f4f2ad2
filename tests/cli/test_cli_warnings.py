"""A warning on the command line is one sentence."""

import subprocess
import sys

SCRIPT = """
import sys, warnings
from tacit import cli
from tacit.base.errors import TacitWarning
cli.app = lambda: (warnings.warn("few records", TacitWarning), warnings.warn("other", UserWarning))
cli.main()
"""


def test_our_warnings_show_no_line_of_code() -> None:
    """Those of others stay as they are."""
    done = subprocess.run(
        [sys.executable, "-c", SCRIPT], capture_output=True, text=True, check=True
    )
    assert "Warning: few records\n" in done.stderr
    assert "TacitWarning" not in done.stderr
    assert "UserWarning: other" in done.stderr
