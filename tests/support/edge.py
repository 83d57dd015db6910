"""A real nginx with the site of `nginx/render.py`, and clients for it."""

import contextlib
import functools
import json
import os
import runpy
import socket
import ssl
import subprocess
from collections.abc import Collection, Iterator
from dataclasses import dataclass
from pathlib import Path
from types import SimpleNamespace

from app.api.endpoints.endpoint import Endpoint
from tests.support.certificates import make_certificate
from tests.support.programs import find_binary
from tests.support.server import ROOT
from tests.support.services import (
    accepts_connections,
    free_ports,
    run_process,
    wait_until,
    whole_lines,
)

RENDERER = ROOT / "nginx" / "render.py"
Option = str | list[str] | bool

# A port without a listener: the kernel assigns no free port that is so low.
UNHEARD = "127.0.0.1:1"

# For tests whose load comes from one address.
WIDE = {"requests_per_minute": "600000", "verify_per_minute": "600000", "connections": "1000"}

# The client's address comes from a header, so that a test can be many clients.
MANY_CLIENTS = "real_ip_header X-Test-Address; set_real_ip_from 127.0.0.1;"


@dataclass(frozen=True)
class Edge:
    """A running nginx: its two addresses, its files, its process."""

    http: str
    https: str
    folder: Path
    process: subprocess.Popen[bytes]

    @property
    def access_log(self) -> str:
        """Return the access log."""
        return whole_lines(self.folder / "access.log")

    def requests(self) -> list[dict]:
        """Return the lines of the access log."""
        return [json.loads(line) for line in self.access_log.splitlines()]

    @property
    def error_log(self) -> str:
        """Return the error log."""
        return whole_lines(self.folder / "error.log")

    @property
    def maintenance_file(self) -> Path:
        """The file that makes nginx respond 503."""
        return self.folder / "maintenance"


@dataclass(frozen=True)
class EdgeResponse:
    """A response of nginx, with header names in lower case."""

    protocol: str
    status: int
    headers: dict[str, str]
    body: bytes

    def json(self) -> dict:
        """Return the body, read as JSON."""
        return json.loads(self.body)


@functools.cache
def renderer() -> SimpleNamespace:
    """Import `nginx/render.py`, a program outside of packages."""
    return SimpleNamespace(**runpy.run_path(str(RENDERER)))


def temporary_paths(folder: Path) -> str:
    """Return lines for nginx's http block: other users may not write to Debian's folder."""
    kinds = ("client_body", "proxy", "fastcgi", "uwsgi", "scgi")
    return "".join(f"{kind}_temp_path {folder}/{kind};\n" for kind in kinds)


def render(folder: Path, endpoints: Collection[Endpoint] | None = None, **options: Option) -> Path:
    """Return a whole nginx.conf around a site in ``folder``, by default the service's.

    ``http_block`` is added to nginx's http block; every other option is one of
    render.py: True is a flag, a list is repeated.
    """
    extra = options.pop("http_block", "")
    if "certificate" not in options:
        certificate, key = make_certificate(folder)
        options |= {"certificate": str(certificate), "key": str(key)}
    options = {
        "server_name": ["localhost", "127.0.0.1"],
        "access_log": str(folder / "access.log"),
        "error_log": str(folder / "error.log"),
        "acme_root": str(folder / "acme"),
        "maintenance_file": str(folder / "maintenance"),
        **options,
    }
    words: list[str] = []
    for name, value in options.items():
        for item in value if isinstance(value, list) else [value]:
            words += [f"--{name.replace('_', '-')}", *([item] if isinstance(item, str) else [])]
    module = renderer()
    site = module.render(module.parse(words), endpoints or module.service_endpoints())
    (folder / "site.conf").write_text(site)
    configuration = folder / "nginx.conf"
    # As root, nginx would run its workers as a user who may not enter pytest's folders.
    user = "user root; " if os.geteuid() == 0 else ""
    configuration.write_text(
        f"{user}pid {folder}/nginx.pid; error_log {folder}/error.log; daemon off;\n"
        f"events {{ worker_connections 2048; }}\n"
        f"http {{ {extra}\n{temporary_paths(folder)}include {folder}/site.conf; }}\n"
    )
    return configuration


def check_configuration(configuration: Path) -> str:
    """Run `nginx -t` and return its warnings; fail if it reports an error."""
    command = [find_binary("nginx"), "-e", "/dev/null", "-t", "-c", str(configuration)]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    return done.stderr


@contextlib.contextmanager
def edge(folder: Path, upstream: Option, **options: Option) -> Iterator[Edge]:
    """Run nginx in front of ``upstream`` within a block; ``options`` are those of `render`."""
    nginx = find_binary("nginx")
    folder.mkdir(exist_ok=True)
    http, https = (f"127.0.0.1:{port}" for port in free_ports(2))
    configuration = render(folder, upstream=upstream, http=http, https=https, **options)
    command = [nginx, "-e", str(folder / "error.log"), "-c", str(configuration)]
    with run_process(command) as process:
        port = int(https.rpartition(":")[2])
        wait_until(lambda: accepts_connections(port) or process.poll() is not None, "nginx")
        assert process.poll() is None, (folder / "error.log").read_text()
        yield Edge(f"http://{http}", f"https://{https}", folder, process)


def curl(url: str, *words: str) -> EdgeResponse:
    """Send a request by curl, which trusts the test's certificate."""
    command = [find_binary("curl"), "--silent", "--show-error", "--insecure", "--include"]
    command += ["--max-time", "60"]
    done = subprocess.run([*command, *words, url], check=True, capture_output=True)
    return _parse_response(done.stdout)


@contextlib.contextmanager
def connect(edge: Edge, *, tls: bool = True) -> Iterator[socket.socket]:
    """Open a connection, by default over TLS."""
    host, _, port = (edge.https if tls else edge.http).rpartition("/")[2].rpartition(":")
    with socket.create_connection((host, int(port)), timeout=30) as link:
        if not tls:
            yield link
            return
        context = ssl.create_default_context()
        context.check_hostname, context.verify_mode = False, ssl.CERT_NONE
        with context.wrap_socket(link) as secure:
            yield secure


def send_bytes(edge: Edge, sent: bytes, *more: bytes, tls: bool = True) -> bytes:
    """Send bytes and return nginx's output until it closes."""
    with connect(edge, tls=tls) as link:
        for part in (sent, *more):
            link.sendall(part)
        received = b""
        while chunk := link.recv(65_536):
            received += chunk
    return received


def ask_bytes(edge: Edge, sent: bytes, *more: bytes, tls: bool = True) -> EdgeResponse:
    """Send bytes and return the parsed response."""
    return _parse_response(send_bytes(edge, sent, *more, tls=tls))


def _parse_response(received: bytes) -> EdgeResponse:
    # curl prints every response: those to a tunnel or to Expect come before the last.
    head, _, body = received.partition(b"\r\n\r\n")
    while head.split(b" ", 2)[1].startswith(b"1"):
        head, _, body = body.partition(b"\r\n\r\n")
    first, *lines = head.decode("latin-1").split("\r\n")
    protocol, status = first.split(" ")[:2]
    headers: dict[str, str] = {}
    for line in lines:
        name, _, value = line.partition(":")
        assert name.lower() not in headers, f"{name} is sent twice"
        headers[name.lower()] = value.strip()
    return EdgeResponse(protocol, int(status), headers, body)
