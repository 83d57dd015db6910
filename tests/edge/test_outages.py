"""While the service does not respond, nginx responds with the service's error body."""

import contextlib
import os
import shutil
import signal
import socket
import time
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.edge.rejections import POST, REJECTIONS, Send, assert_own_error, assert_shown
from tests.support.edge import UNHEARD, Edge, connect, curl, edge
from tests.support.server import Server
from tests.support.services import children


def test_a_service_that_does_not_respond_in_time_is_504_and_continues_later(
    impatient_edge: Edge, service: Server
) -> None:
    processes = [service.process.pid, *children(service.process.pid)]
    for pid in processes:
        os.kill(pid, signal.SIGSTOP)
    try:
        response = curl(f"{impatient_edge.https}/forecast", "-d", "{}")
    finally:
        for pid in reversed(processes):
            os.kill(pid, signal.SIGCONT)
    assert_shown(response, "no-response-in-time")
    assert curl(f"{impatient_edge.https}/verify").status == 401


def test_more_forecasts_than_a_node_may_have_are_503_immediately(tmp_path: Path) -> None:
    """The only node accepts requests and never responds."""
    with contextlib.ExitStack() as stack:
        silent = stack.enter_context(socket.create_server(("127.0.0.1", 0)))
        upstream = f"127.0.0.1:{silent.getsockname()[1]}"
        options = {"forecasts_per_node": "1", "read_timeout": "20"}
        site = stack.enter_context(edge(tmp_path / "nginx", upstream, **options))
        first = stack.enter_context(connect(site))
        first.sendall(POST + b"Content-Length: 2\r\n\r\n{}")
        stack.enter_context(silent.accept()[0])
        started = time.monotonic()
        response = curl(f"{site.https}/forecast", "-d", "{}")
        assert_shown(response, "no-node-free")
        assert time.monotonic() - started < 10  # not only after the node's timeout


@pytest.fixture(scope="module")
def edge_without_nodes(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Edge]:
    """nginx without a node behind it."""
    with edge(tmp_path_factory.mktemp("deserted"), UNHEARD) as running:
        yield running


def test_a_service_that_is_down_is_502_and_for_a_forecast_503(edge_without_nodes: Edge) -> None:
    for path in ("/verify", "/healthz", "/"):
        assert_shown(curl(edge_without_nodes.https + path), "not-running")
    assert_shown(curl(f"{edge_without_nodes.https}/forecast", "-d", "{}"), "no-node-free")


def test_a_disk_that_takes_no_body_is_500(edge_without_nodes: Edge, tmp_path: Path) -> None:
    (body := tmp_path / "body").write_bytes(b"1" * 500_000)
    shutil.rmtree(edge_without_nodes.folder / "client_body")
    assert_own_error(curl(f"{edge_without_nodes.https}/forecast", "--data-binary", f"@{body}"), 500)


def test_maintenance_is_503_for_everyone_while_its_file_exists(edge_without_nodes: Edge) -> None:
    edge_without_nodes.maintenance_file.touch()
    for path in ("/verify", "/forecast", "/healthz", "/"):
        assert_shown(curl(edge_without_nodes.https + path), "maintenance")
    assert_own_error(curl(f"{edge_without_nodes.http}/verify"), 403)
    edge_without_nodes.maintenance_file.unlink()
    assert curl(f"{edge_without_nodes.https}/verify").status == 502


@pytest.mark.parametrize("rejection", REJECTIONS.values(), ids=REJECTIONS.keys())
def test_rejections_during_maintenance_have_the_error_body(
    edge_without_nodes: Edge, rejection: tuple[int, Send]
) -> None:
    status, send = rejection
    edge_without_nodes.maintenance_file.touch()
    response = send(edge_without_nodes)
    edge_without_nodes.maintenance_file.unlink()
    assert_own_error(response, response.status)
    assert response.status in (status, 503)
