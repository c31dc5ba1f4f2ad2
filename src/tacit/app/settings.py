"""How the page is served."""

from __future__ import annotations

import secrets
from dataclasses import dataclass, field

LOCAL = ("127.0.0.1", "localhost", "::1")


@dataclass(frozen=True)
class Settings:
    host: str = "127.0.0.1"
    port: int = 8765
    token: str = field(default_factory=lambda: secrets.token_urlsafe(24))
    limit_mb: int = 1024
    sample: int = 500

    @property
    def cookie(self) -> str:
        """Cookies do not know ports: the name keeps two servers on one machine apart."""
        return f"tacit_{self.port}"

    @property
    def names(self) -> tuple[str, ...]:
        """Host names that we answer to; any, when the page is served to other machines on purpose."""
        return LOCAL if self.host in LOCAL else ()

    @property
    def address(self) -> str:
        host = f"[{self.host}]" if ":" in self.host else self.host
        return f"http://{host}:{self.port}/" + (f"?token={self.token}" if self.token else "")


def free_port(host: str, port: int) -> int:
    """The port asked for, or any free one for 0; one sentence when it is taken."""
    import socket

    from tacit.errors import ParameterError

    with socket.socket(socket.AF_INET6 if ":" in host else socket.AF_INET) as probe:
        probe.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        try:
            probe.bind((host, port))
        except OSError as error:
            raise ParameterError(
                f"port {port} on {host} cannot be used ({error.strerror}); choose another with --port, or --port 0"
            ) from None
        return int(probe.getsockname()[1])
