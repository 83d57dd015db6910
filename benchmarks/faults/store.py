"""The samples of the shop in a real Prometheus, and a server before it whose clock is set."""

import contextlib
import email.utils
import http.server
from collections.abc import Callable, Iterator
from pathlib import Path

import httpx
import numpy as np

from app.timeseries.types import FloatArray, IntArray
from benchmarks.faults.incidents import FAULTS
from benchmarks.faults.shapes import Shape
from benchmarks.faults.shop import SHAPES, draw
from tests.support.monitoring_servers import write_blocks
from tests.support.threads import serve_in_thread

# Blocks of two hours, the default, take minutes for a history of weeks.
BLOCKS = "--max-block-duration=486h"
CALM, FAULTY = "calm", "faulty"
REQUEST_SECONDS = 30


def labels_of(shape: Shape, run: str) -> dict[str, str]:
    """Return the labels of a series; ``run`` is `CALM` or `FAULTY`."""
    return {"series": shape.name, "run": run, "step": str(shape.step)}


def write_store(folder: Path) -> None:
    """Write all series without faults, and those of the faults with theirs."""
    gauges, counters = ["# TYPE shop_value gauge"], ["# TYPE shop counter"]
    for shape in SHAPES:
        drawn = draw(shape)
        samples = drawn.samples(drawn.values(drawn.base, drawn.runs))
        of_kind = counters if shape.is_counter else gauges
        of_kind += _lines(shape, CALM, drawn.times, samples)
    for fault in FAULTS:
        drawn = fault.drawn
        samples = drawn.samples(fault.values(drawn))
        of_kind = counters if drawn.shape.is_counter else gauges
        is_kept = ~np.isnan(samples) | fault.has_nan
        of_kind += _lines(drawn.shape, FAULTY, drawn.times[is_kept], samples[is_kept])
    write_blocks(folder, [*gauges, *counters], BLOCKS)


def _lines(shape: Shape, run: str, times: IntArray, samples: FloatArray) -> list[str]:
    labels = ",".join(f'{name}="{value}"' for name, value in labels_of(shape, run).items())
    name = f"{'shop_total' if shape.is_counter else 'shop_value'}{{{labels}}}"
    pairs = zip(samples.tolist(), times.tolist(), strict=True)
    return [f"{name} {value!r} {at}" for value, at in pairs]


@contextlib.contextmanager
def serve_at_time(url: str, now: Callable[[], float]) -> Iterator[str]:
    """Pass requests on to the Prometheus at ``url``; responses are dated ``now``, in Unix seconds.

    The service takes the time from there: it reads no step that is later.
    """
    client = httpx.Client(base_url=url, trust_env=False, timeout=REQUEST_SECONDS)

    class Relay(http.server.BaseHTTPRequestHandler):
        protocol_version = "HTTP/1.1"

        def do_POST(self) -> None:
            content = self.rfile.read(int(self.headers["Content-Length"]))
            headers = {"Content-Type": self.headers["Content-Type"]}
            response = client.post(self.path, content=content, headers=headers)
            self.send_response(response.status_code)
            self.send_header("Content-Type", "application/json")
            self.send_header("Content-Length", str(len(response.content)))
            self.end_headers()
            self.wfile.write(response.content)

        def date_time_string(self, timestamp: float | None = None) -> str:
            return email.utils.formatdate(now() if timestamp is None else timestamp, usegmt=True)

        def log_message(self, *_arguments: object) -> None:
            """Say nothing."""

    server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Relay)
    server.daemon_threads = True
    with client, serve_in_thread(server):
        yield f"http://127.0.0.1:{server.server_port}"
