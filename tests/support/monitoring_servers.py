"""Real Prometheus, Alertmanager and VictoriaMetrics on loopback, and an exporter with gauges."""

import contextlib
import http.server
import json
import random
import subprocess
import time
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import httpx

from tests.support.programs import find_binary
from tests.support.services import ENDING_SECONDS, STARTUP_SECONDS, free_port, wait_until
from tests.support.threads import serve_in_thread

PROMETHEUS = """
global: {scrape_interval: %ds, scrape_timeout: 1s}
scrape_configs:
  - job_name: shop
    static_configs: [{targets: ["127.0.0.1:%d"]}]
"""
RETENTION = "1y"
ALERTMANAGER = """
route: {receiver: none, group_wait: 0s, group_interval: 1s}
receivers: [{name: none}]
"""


Value = Callable[[float, int], float]


def calm_value(at: float, number: int) -> float:
    """Return the value of a series at a time: noise of its own for each second."""
    return 100 + 10 * number + random.Random(f"{int(at)} {number}").gauss(0, 2)


@dataclass
class Exporter:
    """Gauges of services, each a function of the time and its number.

    Those in ``broken`` are three times as high.
    """

    port: int
    series: int
    value: Value = calm_value
    broken: set[int] = field(default_factory=set)

    def text(self) -> str:
        now = time.time()
        values = [
            self.value(now, number) * (3 if number in self.broken else 1)
            for number in range(self.series)
        ]
        lines = [f'shop_load{{service="s{n}"}} {value}' for n, value in enumerate(values)]
        return "\n".join(lines) + "\n"


@contextlib.contextmanager
def run_exporter(series: int, value: Value = calm_value) -> Iterator[Exporter]:
    """Run an exporter within a block."""

    class Serve(http.server.BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            body = exporter.text().encode()
            self.send_response(200)
            self.send_header("Content-Type", "text/plain; version=0.0.4")
            self.end_headers()
            with contextlib.suppress(OSError):  # the client may have left
                self.wfile.write(body)

        def log_message(self, *_arguments: object) -> None:
            """Log nothing."""

    server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Serve)
    exporter = Exporter(server.server_port, series, value)
    with serve_in_thread(server):
        yield exporter


@contextlib.contextmanager
def _run_server(words: list[str], ready: str, log: Path) -> Iterator[subprocess.Popen[bytes]]:
    with log.open("ab") as output:
        process = subprocess.Popen(words, stdout=output, stderr=output)
        try:
            wait_until(lambda: _responds(ready), words[0], STARTUP_SECONDS)
            yield process
        finally:
            process.terminate()
            process.wait(ENDING_SECONDS)


def _responds(url: str) -> bool:
    with contextlib.suppress(httpx.HTTPError):
        return httpx.get(url, trust_env=False).status_code == 200
    return False


@contextlib.contextmanager
def prometheus(
    folder: Path, exporter: Exporter | None, port: int, scrape_seconds: int = 1
) -> Iterator[str]:
    """Run Prometheus, which scrapes an exporter, if any; data in the folder is kept."""
    folder.mkdir(exist_ok=True)
    config = folder / "prometheus.yml"
    config.write_text("" if exporter is None else PROMETHEUS % (scrape_seconds, exporter.port))
    words = [find_binary("prometheus"), f"--config.file={config}"]
    words += [f"--storage.tsdb.path={folder / 'data'}", f"--web.listen-address=127.0.0.1:{port}"]
    words += [f"--storage.tsdb.retention.time={RETENTION}"]
    url = f"http://127.0.0.1:{port}"
    with _run_server(words, f"{url}/-/ready", folder / "log"):
        yield url


def backfill(folder: Path, exporter: Exporter, seconds: int, step: int = 1) -> None:
    """Write the past of an exporter for Prometheus before it starts.

    What is scraped later continues these series: other labels would be second series, which a
    query returns for five minutes more.
    """
    now = int(time.time())
    lines = ["# TYPE shop_load gauge"]
    for number in range(exporter.series):
        labels = f'instance="127.0.0.1:{exporter.port}",job="shop",service="s{number}"'
        lines += [
            f"shop_load{{{labels}}} {exporter.value(at, number)} {at}"
            for at in range(now - seconds, now, step)
        ]
    write_blocks(folder, lines)


def write_blocks(folder: Path, lines: Iterable[str], *options: str) -> None:
    """Write samples, sorted lines of OpenMetrics, for Prometheus before it starts."""
    folder.mkdir()
    past = folder / "past.txt"
    with past.open("w") as output:
        output.writelines(f"{line}\n" for line in lines)
        output.write("# EOF\n")
    words = [find_binary("promtool"), "tsdb", "create-blocks-from", "openmetrics", *options]
    subprocess.run([*words, str(past), str(folder / "data")], check=True, capture_output=True)


@contextlib.contextmanager
def alertmanager(folder: Path, port: int) -> Iterator[str]:
    """Run Alertmanager with an empty store."""
    folder.mkdir()
    config = folder / "alertmanager.yml"
    config.write_text(ALERTMANAGER)
    words = [find_binary("prometheus-alertmanager"), f"--config.file={config}"]
    words += [f"--storage.path={folder / 'data'}", f"--web.listen-address=127.0.0.1:{port}"]
    url = f"http://127.0.0.1:{port}"
    with _run_server([*words, "--cluster.listen-address="], f"{url}/-/ready", folder / "log"):
        yield url


def active_alerts(url: str) -> list[dict[str, Any]]:
    """Return the alerts that Alertmanager would notify about."""
    response = httpx.get(f"{url}/api/v2/alerts", params={"active": "true"}, trust_env=False)
    alerts: list[dict[str, Any]] = json.loads(response.text)
    return alerts


@contextlib.contextmanager
def victoria_metrics(folder: Path) -> Iterator[str]:
    """Run VictoriaMetrics without data."""
    folder.mkdir()
    port = free_port()
    words = [find_binary("victoria-metrics"), f"-storageDataPath={folder / 'data'}"]
    url = f"http://127.0.0.1:{port}"
    with _run_server(
        [*words, f"-httpListenAddr=127.0.0.1:{port}"], f"{url}/health", folder / "log"
    ):
        yield url
