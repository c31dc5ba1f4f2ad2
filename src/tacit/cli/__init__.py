"""The command line. One file a command, each with ``register(app)``; heavy imports happen inside commands."""

from __future__ import annotations

import sys
import warnings
from importlib import import_module
from typing import Any

import typer

COMMANDS = (
    "demo",
    "protect",
    "assess",
    "compare",
    "schema",
    "verify",
    "methods",
    "reproduce",
    "web",
    "large",
    "stream",
)
"""The modules of this folder, in the order in which a person meets them."""

app = typer.Typer(
    name="tacit",
    no_args_is_help=True,
    add_completion=False,
    rich_markup_mode="rich",
    pretty_exceptions_enable=False,
    help=(
        "Protect records about people, attack the protected file as the best intruder would, and measure what was "
        "risked and what was lost.\n\n"
        "Exit codes: 0 done; 1 the release is not safe (--fail-above); 2 bad input."
    ),
    epilog="Start with: [bold]tacit demo[/bold]",
)


@app.callback(invoke_without_command=True)
def _options(
    context: typer.Context,
    version: bool = typer.Option(False, "--version", help="Print the version and stop."),
) -> None:
    if version:
        from tacit import __version__

        typer.echo(f"tacit {__version__}")
        raise typer.Exit()


for _name in COMMANDS:
    import_module(f"tacit.cli.{_name}").register(app)


def main() -> None:
    """Run; a mistake of the user is one sentence on stderr and exit code 2."""
    from tacit.errors import TacitError, TacitWarning

    _plainly(TacitWarning)
    try:
        app()
    except TacitError as error:
        _say(f"Error: {error}")
        sys.exit(2)
    except MemoryError:
        _say("Error: not enough memory; work on blocks (tacit large --help) or on a smaller file")
        sys.exit(2)
    except KeyboardInterrupt:
        _say("Stopped.")
        sys.exit(130)
    except BrokenPipeError:
        sys.stderr.close()
        sys.exit(0)


def _plainly(kind: type[Warning]) -> None:
    """Our own warnings are a sentence for the reader, without the line of code that gave it."""
    usual = warnings.formatwarning

    def sentence(message: Warning | str, category: type[Warning], *where: Any, **more: Any) -> str:
        return f"Warning: {message}\n" if issubclass(category, kind) else usual(message, category, *where, **more)

    warnings.formatwarning = sentence  # type: ignore[assignment]


def _say(sentence: str) -> None:
    print(" ".join(sentence.split()), file=sys.stderr)
