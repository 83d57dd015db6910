"""Tables that the real service reads: by curl, in engine processes, before forecasts."""

import json
import subprocess
import time
from concurrent.futures import ThreadPoolExecutor
from datetime import datetime, timedelta
from functools import cache
from pathlib import Path

import pytest

from tests.support.keys import new_key
from tests.support.machine_speed import slowness
from tests.support.programs import find_binary
from tests.support.series import daily_body
from tests.support.server import Server
from tests.tables.tables import date_cell, workbook

pytestmark = pytest.mark.services

SETTINGS = {"WEB_CONCURRENCY": "1", "PAGES_PER_MINUTE": "100000"}


@cache
def long_table() -> bytes:
    hours = (datetime(2019, 1, 1) + timedelta(hours=i) for i in range(50_000))
    lines = (f"{hour:%d.%m.%Y %H:%M};{i % 977},5 €" for i, hour in enumerate(hours))
    return "\n".join(lines).encode()


def test_curl_sends_a_workbook_as_it_is(server: Server, tmp_path: Path) -> None:
    book = tmp_path / "book.xlsx"
    rows = [["Month", "Sales"], *([date_cell(45292 + i), 2.5 * i] for i in range(4))]
    book.write_bytes(workbook({"Sales": rows}))
    command = [
        find_binary("curl"),
        "--silent",
        "--show-error",
        "--data-binary",
        f"@{book}",
        f"{server.url}/read",
    ]
    done = subprocess.run(command, check=True, capture_output=True, timeout=60)
    [series] = json.loads(done.stdout)["series"]
    assert (series["name"], series["values"], series["data_frequency"]) == (
        "Sales",
        [0, 2.5, 5, 7.5],
        "Daily",
    )


def test_a_bomb_does_not_end_the_engine(server: Server) -> None:
    from tests.tables.test_rejections import bomb

    rejected = server.request("/read", bomb(), Content_Type="application/octet-stream")
    assert rejected.status in (413, 422)
    assert (
        server.request("/read", b"2024-01-01,1\n2024-01-02,2", Content_Type="text/csv").status
        == 200
    )
    assert "engine process" not in server.logged


@pytest.mark.timing
@pytest.mark.alone
def test_fifty_thousand_rows_are_read_in_two_seconds(server: Server) -> None:
    seconds = []
    for _ in range(3):
        started = time.perf_counter()
        response = server.request("/read", long_table(), Content_Type="text/csv")
        seconds.append((time.perf_counter() - started) / slowness())
        assert len(response.json()["series"][0]["values"]) == 50_000
    assert min(seconds) < 2


@pytest.mark.timing
def test_a_forecast_does_not_wait_for_all_the_tables(server: Server) -> None:
    key = new_key(server.environ["DATABASE_URL"])

    def read(_place: int) -> int:
        return server.request("/read", long_table(), Content_Type="text/csv").status

    with ThreadPoolExecutor(6) as pool:
        tables = [pool.submit(read, index) for index in range(6)]
        forecast = server.request("/forecast", daily_body(), key, X_Model_Id="forecast-model-2")
        are_done = [table.done() for table in tables]
    assert forecast.status == 200
    assert not all(are_done)
    assert {table.result() for table in tables} <= {200, 503}
