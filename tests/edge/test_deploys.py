"""Deploys under load: clients are served while gunicorn is reloaded and restarted."""

import contextlib
import socket
import time
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.integration.workers import supervisor
from tests.support.activation import PATIENCE_SECONDS, Activation
from tests.support.databases import SqliteDatabases
from tests.support.edge import UNHEARD, WIDE, edge
from tests.support.keys import new_key, usage
from tests.support.load import FORECAST, VERIFY, load
from tests.support.services import wait_until

RELOADS = 5


@pytest.fixture(scope="module")
def counts(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The folder that systemd creates for the service."""
    return tmp_path_factory.mktemp("counts")


@pytest.fixture(scope="module")
def address(tmp_path_factory: pytest.TempPathFactory) -> str:
    """The address of the service in nginx's spelling."""
    return f"unix:{tmp_path_factory.mktemp('systemd')}/gunicorn.sock"


@pytest.fixture(scope="module")
def database_url(sqlite_databases: SqliteDatabases) -> str:
    return sqlite_databases.migrated()


@pytest.fixture(scope="module")
def activation(
    database_url: str, counts: Path, address: str, tmp_path_factory: pytest.TempPathFactory
) -> Iterator[Activation]:
    listener = socket.socket(socket.AF_UNIX)
    listener.bind(address.removeprefix("unix:"))
    folder = tmp_path_factory.mktemp("service")
    made = Activation(folder, listener, database_url, RUNTIME_DIRECTORY=str(counts))
    with contextlib.closing(made):
        yield made


def test_reloads_and_a_restart_lose_no_request_and_count_each_once(
    tmp_path: Path, activation: Activation, address: str, database_url: str
) -> None:
    key = new_key(database_url)
    with edge(tmp_path / "nginx", address, **WIDE) as site:
        first = supervisor(activation.server)
        with load(site.https, key, [VERIFY, FORECAST], clients=6, pause=0.05) as sent:
            for _ in range(RELOADS):
                before = len(sent.calls)
                activation.reload()
                wait_until(
                    lambda before=before: len(sent.calls) > before,
                    "a call beside or after the reload",
                    PATIENCE_SECONDS,
                )
            assert supervisor(activation.server) == first
            activation.stop()
            activation.start()
            restarted = time.monotonic()
            wait_until(
                lambda: (
                    sent.statuses("/verify", restarted)[200] > 10
                    and sent.statuses("/forecast", restarted)[200] > 10
                ),
                "responds after the restart",
                PATIENCE_SECONDS,
            )
    for path in ("/verify", "/forecast"):
        assert sent.statuses(path) == {200: sent.statuses(path).total()}
    assert usage(database_url, key) == len(sent.calls)


def test_the_log_says_that_the_socket_of_systemd_overrules_a_setting(
    activation: Activation,
) -> None:
    assert f"BIND={UNHEARD} has no effect" in activation.server.logged


def test_metric_files_are_in_the_runtime_folder_and_removed_with_the_service(
    activation: Activation, counts: Path
) -> None:
    wait_until(
        lambda: list(counts.glob("forecast-metrics-*/gauge_livesum_0.db")),
        "the counts of the first worker",
        PATIENCE_SECONDS,
    )
    activation.stop()
    assert not list(counts.iterdir())
