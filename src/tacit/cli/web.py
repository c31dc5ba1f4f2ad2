"""``tacit app``: the web page, on this machine."""

from __future__ import annotations

import secrets
from typing import Annotated

import typer

from tacit.base.errors import ParameterError

# `tacit --help` imports this file; the web server, an extra, is loaded by the command alone.


def app_command(
    host: Annotated[
        str,
        typer.Option(
            help="Address to serve on. Other than this machine only with care."
        ),
    ] = "127.0.0.1",
    port: Annotated[
        int, typer.Option(help="Port; 0 takes a free one.", min=0, max=65535)
    ] = 8765,
    limit: Annotated[
        int, typer.Option(metavar="MB", help="Largest upload.", min=1)
    ] = 1024,
    sample: Annotated[
        int, typer.Option(help="Records in the live preview.", min=50, max=5000)
    ] = 500,
    no_token: Annotated[
        bool, typer.Option("--no-token", help="Anyone who reaches the port may use it.")
    ] = False,
    no_browser: Annotated[
        bool, typer.Option("--no-browser", help="Only print the address.")
    ] = False,
) -> None:
    """Open the web page: load, protect, compare, release, and watch streams.

    It serves this machine only, under an address with a random token. Files stay in a private
    temporary directory that is removed when tacit stops (Ctrl+C). Nothing is fetched from or sent
    to anywhere else.

    Examples:

      tacit app

      tacit app --port 0 --no-browser
    """
    from tacit.app import serve
    from tacit.app.settings import LOCAL, Settings, free_port

    # Without a token, whoever reaches the port may read the records.
    if no_token and host not in LOCAL:
        raise ParameterError(
            "--no-token is only for this machine; leave out --host or --no-token"
        )
    settings = Settings(
        host=host,
        port=free_port(host, port),
        token="" if no_token else secrets.token_urlsafe(24),
        limit_mb=limit,
        sample=sample,
    )
    typer.echo(f"tacit is at {settings.address}")
    typer.echo("Stop it with Ctrl+C; what was loaded is then removed.")
    serve(settings, browser=not no_browser)


def register(app: typer.Typer) -> None:
    """Add the command."""
    app.command("app")(app_command)
