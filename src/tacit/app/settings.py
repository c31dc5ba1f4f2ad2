"""How the page is served."""

from __future__ import annotations

import secrets
import socket
from dataclasses import dataclass, field

from tacit.base.errors import ParameterError

# The names of this machine for itself.
LOCAL = ("127.0.0.1", "localhost", "::1")


@dataclass(frozen=True)
class Settings:
    """Address, token and limits of one server."""

    host: str = "127.0.0.1"
    port: int = 8765
    # 24 bytes from the system: nobody tries them all. An empty token lets everyone in.
    token: str = field(default_factory=lambda: secrets.token_urlsafe(24))
    limit_mb: int = 1024
    # Records of the preview: with 500 it answers while someone types.
    sample: int = 500

    @property
    def cookie(self) -> str:
        """Cookies do not know ports: the name keeps two servers on one machine apart."""
        return f"tacit_{self.port}"

    @property
    def names(self) -> tuple[str, ...]:
        """Host names that we answer to; any, when it is served to others on purpose."""
        return LOCAL if self.host in LOCAL else ()

    @property
    def address(self) -> str:
        """The address to open, with the token."""
        # An IPv6 address stands in brackets, because its colons are not that of the port.
        host = f"[{self.host}]" if ":" in self.host else self.host
        query = f"?token={self.token}" if self.token else ""
        return f"http://{host}:{self.port}/{query}"


def free_port(host: str, port: int) -> int:
    """The port asked for, or any free one for 0; one sentence when it is taken."""
    family = socket.AF_INET6 if ":" in host else socket.AF_INET
    with socket.socket(family) as probe:
        # A port that was in use a moment ago is free for us.
        probe.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        try:
            probe.bind((host, port))
        except OSError as error:
            raise ParameterError(
                f"port {port} on {host} cannot be used ({error.strerror}); "
                "choose another with --port, or --port 0"
            ) from None
        return int(probe.getsockname()[1])
