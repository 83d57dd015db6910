"""A real server: gunicorn with the project's configuration, on a free port of loopback."""

import contextlib
import os
import subprocess
import sys
import urllib.error
import urllib.request
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

import orjson

from app import create_app
from app.core.database import db
from app.core.setting_parsers import normalize_database_url
from app.ops.server import GUNICORN_COMMAND
from tests.support import cli
from tests.support.preloaded_programs import Program
from tests.support.services import (
    STARTUP_SECONDS,
    children,
    free_port,
    run_preloaded,
    run_process,
    wait_until,
    whole_lines,
)

ROOT = Path(__file__).parents[2]


@dataclass(frozen=True)
class ServerResponse:
    """A response of a server."""

    status: int
    headers: dict[str, str]
    body: bytes

    def json(self) -> dict:
        """Return the body, read as JSON."""
        return orjson.loads(self.body)


@dataclass(frozen=True)
class Server:
    """A running service: its base URL, its master's process, its log."""

    url: str
    process: subprocess.Popen[bytes] | Program
    log: Path
    environ: dict[str, str]

    @property
    def logged(self) -> str:
        """Return the lines of the log."""
        return whole_lines(self.log)

    def request(
        self,
        path: str,
        body: object = None,
        key: str | None = None,
        method: str | None = None,
        timeout: float = 60,
        **headers: str,
    ) -> ServerResponse:
        """Send a request; ``body`` is sent as JSON, bytes unchanged; header names have ``_``."""
        data = body if body is None or isinstance(body, bytes) else orjson.dumps(body)
        sent = {name.replace("_", "-"): value for name, value in headers.items()}
        if key is not None:
            sent["Authorization"] = f"Bearer {key}"
        if data is not None:
            sent.setdefault("Content-Type", "application/json")
        request = urllib.request.Request(self.url + path, data, sent, method=method)
        try:
            with urllib.request.urlopen(request, timeout=timeout) as response:
                return ServerResponse(response.status, dict(response.headers), response.read())
        except urllib.error.HTTPError as error:
            with error:
                return ServerResponse(error.code, dict(error.headers), error.read())

    def flask(self, *words: str) -> str:
        """Run an admin command on the server's database in this process; return its output."""
        app = create_app(
            database_url=normalize_database_url(self.environ["DATABASE_URL"]),
            ratelimit_storage_uri="memory://",
        )
        try:
            return cli.run(app, *words).strip()
        finally:
            with app.app_context():
                db.engine.dispose()

    def flask_in_a_shell(self, *words: str) -> str:
        """Run an admin command on the server's database in a shell; return its output."""
        return flask(self.environ, *words)


def flask(environ: dict[str, str], *words: str) -> str:
    """Run ``flask …`` in a shell; return its output, or raise if it fails."""
    command = [sys.executable, "-m", "flask", *words]
    options = {"cwd": ROOT, "env": environ, "capture_output": True, "text": True}
    done = subprocess.run(command, check=True, timeout=STARTUP_SECONDS, **options)
    return done.stdout.strip()


@contextlib.contextmanager
def run_server(
    folder: Path,
    database_url: str,
    prefix: Sequence[str] = (),
    listener: int | None = None,
    **settings: str,
) -> Iterator[Server]:
    """Gunicorn for the length of a block, on a migrated database.

    ``prefix`` starts it; without it it starts quickly, with a ``listener`` as by systemd.

    Where ``BIND`` is a Unix socket there is no URL to ask: that is for a proxy in front.
    """
    port = free_port()
    environ = os.environ | {"DATABASE_URL": database_url, "BIND": f"127.0.0.1:{port}", **settings}
    log = folder / f"gunicorn-{port}.log"
    with contextlib.ExitStack() as stack:
        output = stack.enter_context(log.open("wb"))
        if prefix:
            command = [*prefix, sys.executable, "-m", *GUNICORN_COMMAND]
            started = run_process(command, cwd=ROOT, env=environ, stdout=output, stderr=output)
        else:
            started = run_preloaded(list(GUNICORN_COMMAND), environ, output, listener)
        process = stack.enter_context(started)
        workers = int(settings.get("WEB_CONCURRENCY", 1))

        def is_up() -> bool:
            """Return whether all web workers and the engines' supervisor run."""
            has_booted = whole_lines(log).count("Booting worker") >= workers
            return has_booted and any(map(children, children(process.pid)))

        wait_until(lambda: is_up() or process.poll() is not None, "gunicorn with all its processes")
        assert process.poll() is None, log.read_text()
        yield Server(f"http://127.0.0.1:{port}", process, log, environ)
