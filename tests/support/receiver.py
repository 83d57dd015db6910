"""A receiver of webhooks: HTTPS on loopback, with a self-signed certificate."""

import contextlib
import http.server
import ssl
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from pathlib import Path

from tests.support.certificates import make_certificate
from tests.support.programs import need_localhost
from tests.support.services import free_port
from tests.support.threads import serve_in_thread

HOST = "hooks.example.test"

Handler = http.server.BaseHTTPRequestHandler
Behaviour = Callable[[Handler], None]


@dataclass(frozen=True)
class Request:
    """A request that has arrived."""

    path: str
    headers: dict[str, str]
    body: str


@dataclass
class Receiver:
    """A running receiver; ``behave`` makes the responses from then on."""

    port: int
    certificate: Path
    behave: Behaviour
    keeps_connections: bool = False
    requests: list[Request] = field(default_factory=list)
    server_names: list[str | None] = field(default_factory=list)

    @property
    def url(self) -> str:
        """Return the URL of the receiver, by its name."""
        return f"https://{HOST}:{self.port}/hook?token=secret"


def respond_with(status: int, **headers: str) -> Behaviour:
    """Return a behaviour that responds with this status."""

    def behave(handler: Handler) -> None:
        handler.send_response(status)
        for name, value in headers.items():
            handler.send_header(name, value)
        handler.send_header("Content-Length", "0")
        handler.end_headers()

    return behave


def take_turns(*behaviours: Behaviour) -> Behaviour:
    """Return a behaviour that is each of ``behaviours`` once, then always the last."""
    left = [*behaviours]

    def behave(handler: Handler) -> None:
        (left.pop(0) if len(left) > 1 else left[0])(handler)

    return behave


@contextlib.contextmanager
def run_receiver(
    folder: Path, host: str = HOST, behave: Behaviour | None = None
) -> Iterator[Receiver]:
    """Run a receiver within a block; by default it accepts everything."""
    if host == "localhost":
        need_localhost()
    certificate, key = make_certificate(folder, host, name=host)
    receiver = Receiver(free_port(), certificate, behave or respond_with(204))

    class RequestHandler(Handler):
        protocol_version = "HTTP/1.1"

        def do_POST(self) -> None:  # noqa: N802 - its name is given
            length = int(self.headers["Content-Length"])
            body = self.rfile.read(length).decode()
            receiver.requests.append(Request(self.path, dict(self.headers), body))
            self.close_connection = not receiver.keeps_connections
            with contextlib.suppress(OSError):  # the sender has left
                receiver.behave(self)

        def log_message(self, *_words: object) -> None:
            """Log nothing."""

    class Server(http.server.ThreadingHTTPServer):
        def handle_error(self, *_request: object) -> None:
            """Print nothing: some tests provoke failing handshakes."""

    tls = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    tls.load_cert_chain(certificate, key)
    tls.sni_callback = lambda _socket, name, _context: receiver.server_names.append(name)
    with Server(("127.0.0.1", receiver.port), RequestHandler) as server:
        server.socket = tls.wrap_socket(
            server.socket, server_side=True, do_handshake_on_connect=False
        )
        with serve_in_thread(server):
            yield receiver
