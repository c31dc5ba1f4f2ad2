"""The command line: one file per command, each with ``register(app)``.

``tacit --help`` imports every file here and must come within half a second. So what loads numpy,
pyarrow or scikit-learn is imported inside the commands (tests/contract/test_import.py checks it).
"""

from __future__ import annotations

import sys
import traceback
import warnings
from importlib import import_module

import typer
from typer.core import TyperGroup

from tacit.base.errors import TacitError, TacitWarning
from tacit.base.visible import visible
from tacit.cli import clock, computing, terminal
from tacit.cli.progress import INTERRUPTED
from tacit.kernels import compiler

COMMANDS = (
    "demo",
    "risk",
    "protect",
    "assess",
    "link",
    "compare",
    "schema",
    "hierarchy",
    "arx",
    "verify",
    "methods",
    "reproduce",
    "web",
    "large",
    "stream",
)
"""The modules of this folder, in the order in which a person meets them."""

DEFECT = 3
"""The exit code of what nobody foresaw. Python's own is 1, which would say 'not safe'."""


class StoppedError(Exception):
    """Ctrl-C; the message says where the work was, if it says so."""


class _Commands(TyperGroup):
    """The commands; what ends a file too early is no wish of the user to stop."""

    def invoke(self, ctx: typer.Context) -> object:  # type: ignore[override]
        try:
            return super().invoke(ctx)
        except EOFError as error:
            # typer takes it for an aborted prompt and exits with 1
            raise RuntimeError(f"a file ended too early ({error})") from error
        except KeyboardInterrupt as stopped:
            # typer would end without a word
            raise StoppedError(str(stopped)) from None


app = typer.Typer(
    name="tacit",
    cls=_Commands,
    no_args_is_help=True,
    add_completion=False,
    rich_markup_mode="rich",
    # A traceback with the values of variables would print records about people.
    pretty_exceptions_enable=False,
    help=(
        "Protect records about people, attack the protected file as the best intruder "
        "would, and measure what was risked and what was lost.\n\n"
        "Exit codes: 0 done; 1 the release is not safe (--fail-above); 2 bad input; "
        "3 a defect of tacit: nothing is known of the release."
    ),
    epilog="Start with: [bold]tacit demo[/bold]",
)


@app.callback(invoke_without_command=True)
def _options(
    context: typer.Context,
    version: bool = typer.Option(
        False, "--version", help="Print the version and stop."
    ),
) -> None:
    if version:
        from tacit import __version__

        typer.echo(f"tacit {__version__}")
        raise typer.Exit()


# A command is added by its module: nobody keeps a second list of them.
for _name in COMMANDS:
    import_module(f"tacit.cli.{_name}").register(app)


def main() -> None:
    """Run; a mistake of the user is one sentence on stderr and exit code 2."""
    _plainly(TacitWarning)
    terminal.prepare()
    computing.prepare()
    _say_when_compiling()
    try:
        try:
            with clock.from_process_start():
                app()
        except SystemExit:
            terminal.finish()
            raise
    except TacitError as error:
        _say(f"Error: {error}")
        sys.exit(2)
    except UnicodeEncodeError as error:
        # what is printed is escaped, so this is a name that is handed to the system
        _say(
            f"Error: a name holds bytes that are no text under this locale ({error.reason}); "
            "rename the file, or set PYTHONUTF8=1 if it is UTF-8"
        )
        sys.exit(2)
    except MemoryError:
        _say(
            "Error: not enough memory; give --memory, so that a Parquet or CSV file is worked on "
            "from the disk, or take a smaller file"
        )
        sys.exit(2)
    except (StoppedError, KeyboardInterrupt) as stopped:
        place = f"{stopped}; " if str(stopped) else ""
        _say(f"Stopped: {place}no result was written.")
        sys.exit(INTERRUPTED)
    except terminal.ReaderGoneError:
        terminal.hang_up()
        sys.exit(terminal.READER_GONE)
    except Exception as error:
        # The system has said no (a full disk, a folder that was closed meanwhile): no defect of
        # ours. Without a number of the system it is none of its answers.
        if isinstance(error, OSError) and error.errno is not None:
            where = f"{error.filename}: " if error.filename else ""
            _say(f"Error: {where}{error.strerror}; make room, or choose another place")
            sys.exit(2)
        # the lines of code, as Python would show them, but no values of variables: those are
        # records about people, and so may be the message
        traceback.print_tb(error.__traceback__)
        _say(
            f"Error: {type(error).__name__}, which is a defect of tacit and not of your file. "
            "Nothing is known of the release; please report the lines above."
        )
        sys.exit(DEFECT)


def _say_when_compiling() -> None:
    """Once, where a person waits: a kernel is not in the cache and takes seconds."""
    if not sys.stderr.isatty():
        return
    compiler.when_compiling(
        lambda kernel: print(
            "Compiling, once for this machine: some seconds ...", file=sys.stderr
        )
    )


def _plainly(kind: type[Warning]) -> None:
    """Our own warnings are a sentence for the reader, without the line of code that gave it."""
    usual = warnings.formatwarning

    def sentence(
        message: Warning | str,
        category: type[Warning],
        filename: str,
        lineno: int,
        line: str | None = None,
    ) -> str:
        if issubclass(category, kind):
            return f"Warning: {visible(str(message))}\n"
        return usual(message, category, filename, lineno, line)

    warnings.formatwarning = sentence


def _say(sentence: str) -> None:
    # Names of files and columns may hold line breaks; the sentence stays on one line.
    print(visible(" ".join(sentence.split())), file=sys.stderr)
