"""A server with Prometheus' API on loopback, whose series are functions of the time."""

import contextlib
import email.utils
import http.server
import json
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from typing import Any
from urllib.parse import parse_qs

from tests.support.threads import serve_in_thread

Handler = http.server.BaseHTTPRequestHandler
Behaviour = Callable[[Handler], None]
Value = Callable[[int], float | str | None]


@dataclass
class FakePrometheus:
    """A running server.

    Attributes:
        series: The values at a Unix time, None for none, with the labels as JSON.
        now: The Unix time that it dates its responses with.
        behave: What it does instead of responding, if anything.
        requests: The paths, headers and forms of what has arrived.
        extra: What the response of a range has besides.
        histograms: Whether it has a series of native histograms.
        received: The alerts that it got, as an Alertmanager; requests without any leave nothing.
        status: The status of its responses to them.
        version: What it says that it is.
    """

    port: int
    now: Callable[[], float]
    series: dict[str, Value] = field(default_factory=dict)
    behave: Behaviour | None = None
    requests: list[tuple[str, dict[str, str], dict[str, str]]] = field(default_factory=list)
    extra: dict[str, Any] = field(default_factory=dict)
    histograms: bool = False
    received: list[list[dict[str, Any]]] = field(default_factory=list)
    status: int = 200
    version: str = "2.42.0"

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self.port}"

    def add_series(self, value: Value, **labels: str) -> None:
        """Add a series."""
        self.series[json.dumps(labels, sort_keys=True)] = value

    def ranges(self) -> list[tuple[int, int]]:
        """Return the first and last step of each requested range."""
        forms = [form for path, _, form in self.requests if path.endswith("query_range")]
        return [(int(form["start"]), int(form["end"])) for form in forms]

    def data(self, path: str, form: dict[str, str]) -> Any:
        if path.endswith("/query"):
            if form["query"] == "1":
                return {"resultType": "scalar", "result": [self.now(), "1"]}
            at = int(form["time"])
            number = sum(value(at) is not None for value in self.series.values())
            result = [{"metric": {}, "value": [at, str(number)]}] if number else []
            return {"resultType": "vector", "result": result}
        start, end, step = (int(form[name]) for name in ("start", "end", "step"))
        result = []
        for labels, value in self.series.items():
            samples = [(at, value(at)) for at in range(start, end + 1, step)]
            points = [[at, str(value)] for at, value in samples if value is not None]
            if points:
                result.append({"metric": json.loads(labels), "values": points})
        if self.histograms:
            result.append({"metric": {"native": "1"}, "histograms": [[start, {}]]})
        return {"resultType": "matrix", "result": result}


def respond(handler: Handler, body: bytes, status: int = 200, **headers: str) -> None:
    """Send a response."""
    handler.send_response(status)
    for name, value in headers.items():
        handler.send_header(name.replace("_", "-"), value)
    handler.send_header("Content-Length", str(len(body)))
    handler.end_headers()
    with contextlib.suppress(OSError):
        handler.wfile.write(body)


def error(status: int, kind: str, words: str) -> Behaviour:
    """Return an error of Prometheus' own."""
    body = json.dumps({"status": "error", "errorType": kind, "error": words}).encode()
    return lambda handler: respond(handler, body, status)


@contextlib.contextmanager
def fake_prometheus(now: Callable[[], float]) -> Iterator[FakePrometheus]:
    """Run a server without series within a block."""

    class Serve(Handler):
        protocol_version = "HTTP/1.1"

        def do_GET(self) -> None:  # noqa: N802 - the library's name
            """Respond with the version, for GET only as a real server does."""
            fake.requests.append((self.path, dict(self.headers), {}))
            if fake.behave is not None:
                fake.behave(self)
                return
            data = {"version": fake.version}
            respond(self, json.dumps({"status": "success", "data": data}).encode())

        def do_POST(self) -> None:  # noqa: N802 - the library's name
            body = self.rfile.read(int(self.headers["Content-Length"])).decode()
            if self.path.endswith("/api/v2/alerts"):
                if alerts := json.loads(body):
                    fake.received.append(alerts)
                respond(self, b"", fake.status)
                return
            form = {name: values[0] for name, values in parse_qs(body).items()}
            fake.requests.append((self.path, dict(self.headers), form))
            if fake.behave is not None:
                fake.behave(self)
                return
            data = fake.data(self.path, form)
            respond(self, json.dumps({"status": "success", "data": data} | fake.extra).encode())

        def date_time_string(self, timestamp: float | None = None) -> str:
            return email.utils.formatdate(fake.now(), usegmt=True)

        def log_message(self, *_arguments: object) -> None:
            """Log nothing."""

    server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Serve)
    server.daemon_threads = True
    fake = FakePrometheus(server.server_port, now)
    with serve_in_thread(server):
        yield fake
