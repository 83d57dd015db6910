"""The examples of docs/clients, each run as it is against a live server."""

import contextlib
import itertools
import json
import os
import runpy
import subprocess
import sys
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

import pytest

from tests.support.one_worker import key, server
from tests.support.programs import find_binary, resolve
from tests.support.series import AIRLINE
from tests.support.server import ROOT, Server, ServerResponse
from tests.support.threads import serve_in_thread

__all__ = ["key", "server"]  # fixtures

CLIENTS = ROOT / "docs" / "clients"
PASSENGERS = ROOT / "app" / "web" / "pages" / "static" / "sample-series" / "airline-passengers.csv"
QUICK = "forecast-model-2"
CALLS = {
    "curl": [str(CLIENTS / "forecast.sh"), str(AIRLINE), QUICK],
    "python": [
        sys.executable, str(CLIENTS / "forecast_series.py"),
        str(PASSENGERS), "Monthly", "12",
    ],
    "javascript": ["node", str(CLIENTS / "forecast.mjs"), str(AIRLINE), QUICK],
}  # fmt: skip
PATIENCE_SECONDS = 120
_numbers = itertools.count(1)
YEAR = [f"1961-{month:02}-01" for month in range(1, 13)]


def run(client: str, url: str, key: str) -> subprocess.CompletedProcess[str]:
    if client == "curl":
        find_binary("curl")
    environ = os.environ | {"FORECAST_URL": url, "FORECAST_KEY": key}
    return subprocess.run(
        resolve(CALLS[client]),
        env=environ,
        check=False,
        capture_output=True,
        text=True,
        timeout=PATIENCE_SECONDS,
    )


def periods(client: str, printed: str) -> list[str]:
    """Return the timestamps that a client printed, to the day."""
    if client == "curl":
        return [text[:10] for text in json.loads(printed)["forecast_timestamps"]]
    days = [line.split(",")[0][:10] for line in printed.splitlines()]
    return [day for day in days if day[:1].isdigit()]


@contextlib.contextmanager
def run_limit_raising_proxy(server: Server, account: str) -> Iterator[tuple[str, list[int]]]:
    """Run a proxy of ``server`` that raises the limit of ``account`` after its first 429.

    Yield its URL and the statuses that passed. Only the Retry-After of the 429 is changed, to 1: a
    test need not wait until a day is over.
    """
    statuses: list[int] = []

    class Proxy(BaseHTTPRequestHandler):
        def do_POST(self) -> None:
            body = self.rfile.read(int(self.headers["Content-Length"]))
            names = ("Authorization", "Content-Type", "X-Model-Id")
            kept = {name.replace("-", "_"): self.headers[name] for name in names}
            kept = {name: value for name, value in kept.items() if value is not None}
            response = server.request(self.path, body, **kept)
            if response.status == 429:
                assert int(response.headers["Retry-After"]) > 0
                server.flask("accounts", "set-tier", account, "premium")
            statuses.append(response.status)
            self._forward(response)

        def _forward(self, response: ServerResponse) -> None:
            self.send_response(response.status)
            self.send_header("Content-Length", str(len(response.body)))
            if "Retry-After" in response.headers:
                self.send_header("Retry-After", "1")
            self.end_headers()
            self.wfile.write(response.body)

        def log_message(self, *_words: object) -> None:
            """Say nothing."""

    proxy = ThreadingHTTPServer(("127.0.0.1", 0), Proxy)
    with serve_in_thread(proxy):
        yield f"http://127.0.0.1:{proxy.server_port}", statuses


@pytest.mark.parametrize("client", CALLS)
def test_a_client_prints_a_forecast_of_as_many_periods_as_asked(client, server, key) -> None:
    done = run(client, server.url, key)
    assert done.returncode == 0, done.stderr
    assert periods(client, done.stdout) == YEAR


@pytest.mark.parametrize("client", CALLS)
def test_a_client_waits_after_a_429_and_then_gets_its_forecast(client, server) -> None:
    account = f"waiting-{next(_numbers)}"
    limits = ("--per-minute", "1", "--per-hour", "1", "--per-day", "1")
    server.flask("accounts", "create", account, "--tier", "enterprise", *limits)
    words = ("keys", "create", "--account", account, "--permissions", "read", "--quiet")
    limited_key = server.flask(*words)
    assert server.request("/forecast", {}, limited_key).status == 400  # uses the day up
    with run_limit_raising_proxy(server, account) as (url, statuses):
        done = run(client, url, limited_key)
    assert done.returncode == 0, done.stderr
    assert statuses == [429, 200]
    assert periods(client, done.stdout) == YEAR


@pytest.mark.parametrize("client", CALLS)
def test_a_client_fails_with_the_issue_when_the_key_is_wrong(client, server) -> None:
    done = run(client, server.url, "ak_" + "0" * 64)
    assert done.returncode != 0
    assert "the header Authorization does not hold a valid key" in done.stdout + done.stderr


def test_the_notebook_draws_history_medians_and_intervals(
    server, key, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    data = tmp_path / PASSENGERS.relative_to(ROOT)
    data.parent.mkdir(parents=True)
    data.write_bytes(PASSENGERS.read_bytes())
    monkeypatch.chdir(tmp_path)  # where it writes its picture
    monkeypatch.syspath_prepend(CLIENTS)
    monkeypatch.setenv("FORECAST_URL", server.url)
    monkeypatch.setenv("FORECAST_KEY", key)
    monkeypatch.setenv("MPLBACKEND", "agg")
    (axes,) = runpy.run_path(str(CLIENTS / "notebook.py"))["figure"].axes
    models = ("forecast-model-1", "forecast-model-3")
    drawn = {line.get_label(): len(line.get_xdata()) for line in axes.lines}
    assert drawn == {"history": 144} | dict.fromkeys(models, 24)
    intervals = [area.get_label() for area in axes.collections]
    assert intervals == [f"{model}, 95 %" for model in models]
    written = tmp_path / "forecast.png"
    assert written.stat().st_size > 0
    assert f"/{written.name}" in (ROOT / ".gitignore").read_text().splitlines()


def test_every_example_is_in_the_list_and_run() -> None:
    files = {path.name for path in CLIENTS.iterdir() if path.suffix in (".sh", ".py", ".mjs")}
    listed = (CLIENTS / "README.md").read_text()
    assert all(f"[{name}]({name})" in listed for name in files)
    called = {Path(word).name for call in CALLS.values() for word in call}
    # The others are run by tests of their own.
    assert files - called == {"notebook.py", "nixtla_series.py"}


@pytest.mark.parametrize("client", CALLS)
@pytest.mark.parametrize("arguments", [[], ["/nosuch", "Monthly", "12"]])
def test_a_missing_file_is_one_line_and_no_request(client: str, arguments: list[str]) -> None:
    program = next(word for word in CALLS[client] if "forecast" in Path(word).name)
    start = CALLS[client][: CALLS[client].index(program) + 1]
    environ = os.environ | {"FORECAST_URL": "http://127.0.0.1:1", "FORECAST_KEY": "ak_1"}
    done = subprocess.run(
        resolve([*start, *arguments]), env=environ, check=False, capture_output=True, text=True
    )
    assert done.returncode != 0
    (line,) = done.stderr.splitlines()
    assert "file" in line
