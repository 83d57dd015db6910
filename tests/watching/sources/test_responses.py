"""Responses of servers take bounded memory and time before they are parsed."""

import gzip
import sys
from collections.abc import Callable

import orjson
import pytest

from app.core.http.errors import ResponseTooLargeError
from app.watching.sources.responses import (
    MAX_BYTES,
    MAX_PARSED_BYTES,
    MAX_RESPONSE_CELLS,
    MAX_SAMPLES,
    Preview,
    SourceResponse,
    parse_count,
    parse_data,
    parse_matrix,
    preview_matrix,
)
from app.watching.sources.source_records import SourceError
from tests.support.programs import output_of

STEP = 60
# The body as it is sent and unpacked, and its values.
MAX_TAKEN_BYTES = 2 * MAX_BYTES + MAX_PARSED_BYTES
MAX_SECONDS = 3.0  # of CPU time, on a busy machine

HEAD, TAIL = b'{"status":"success","data":{"resultType":"matrix","result":[', b"]}}"
SERIES = b'{"metric":{"a":"b"},"values":[%s]}'
UNZIPPED = 64 * 1024 * 1024
WORDS = b"a " * 4_000_000
ERROR = b'{"status":"error","errorType":"a","error":"%s"}'
WARNED = b'{"status":"success","data":{"resultType":"matrix","result":[]},"warnings":["%s"]}'
# Each body is read by a fork of a process that has done nothing else: one of this process would use
# memory that this one has freed, uncounted.
MEASURING = f"""
import os, sys, time
from pathlib import Path
from app.watching.sources.responses import SourceResponse
from app.watching.sources.responses import preview_matrix

def peak_bytes():
    lines = Path("/proc/self/status").read_text().splitlines()
    return 1024 * next(int(line.split()[1]) for line in lines if line.startswith("VmHWM"))

for file in sys.argv[1:]:
    if os.fork():
        os.wait()
        continue
    body = Path(file).read_bytes()
    Path("/proc/self/clear_refs").write_text("5")  # proc(5): resets the peak
    before, began = peak_bytes(), time.process_time()
    preview_matrix(SourceResponse(200, body, True, None), 0, {STEP}, 10)
    print(peak_bytes() - before, time.process_time() - began, flush=True)
    os._exit(0)
"""


def matrix(inside: bytes) -> bytes:
    return HEAD + inside + TAIL


def repeat(part: bytes, size: int) -> bytes:
    return part * (size // len(part)) + part.rstrip(b",")


def labels(number: int) -> bytes:
    return matrix(b'{"metric":{%s}}' % b",".join(b'"%x":""' % n for n in range(number)))


# Large bodies by their kind, each made by the test that reads it.
NASTY: dict[str, Callable[[], bytes]] = {
    "empty objects": lambda: matrix(repeat(b"{},", UNZIPPED)),
    "8 MiB of empty objects": lambda: matrix(repeat(b"{},", MAX_BYTES - 100)),
    "8 MiB of empty arrays": lambda: matrix(repeat(b"[],", MAX_BYTES - 100)),
    "8 MiB of series": lambda: matrix(repeat(b'{"metric":{}},', MAX_BYTES - 100)),
    "8 MiB of samples": lambda: matrix(SERIES % repeat(b'[1,"1"],', MAX_BYTES - 100)),
    "8 MiB of labels": lambda: labels(700_000),
    "as many empty objects as are parsed": lambda: matrix(repeat(b"{},", 950_000)),
    "as many series as are parsed": lambda: matrix(repeat(b'{"metric":{}},', 14 * 100_000 - 100)),
    "as many samples as are parsed": lambda: matrix(SERIES % repeat(b'[1,"1"],', 8 * 280_000)),
    "as many labels as are parsed": lambda: labels(280_000),
    "8 MiB of digits": lambda: matrix(SERIES % (b'[1,"%s"]' % (b"9" * 8_000_000))),
    "8 MiB of words": lambda: ERROR % WORDS,
    "8 MiB of warnings": lambda: WARNED % WORDS,
}


def compressed_body(name: str) -> bytes:
    return gzip.compress(NASTY[name](), 1)


@pytest.fixture(scope="module")
def measured_costs(tmp_path_factory: pytest.TempPathFactory) -> dict[str, tuple[int, float]]:
    """Return the memory and the CPU time that a process takes to read each body."""
    folder = tmp_path_factory.mktemp("bodies")
    files = [folder / str(number) for number in range(len(NASTY))]
    for file, name in zip(files, NASTY, strict=True):
        file.write_bytes(compressed_body(name))
    command = [sys.executable, "-c", MEASURING, *map(str, files)]
    lines = [line.split() for line in output_of(command).splitlines()]
    costs = [(int(memory), float(seconds)) for memory, seconds in lines]
    return dict(zip(NASTY, costs, strict=True))


@pytest.mark.parametrize("name", NASTY)
def test_no_response_takes_more_memory_or_time_than_the_largest_honest_one(
    measured_costs: dict[str, tuple[int, float]], name: str
) -> None:
    memory, seconds = measured_costs[name]
    assert memory < MAX_TAKEN_BYTES
    assert seconds < MAX_SECONDS


def test_a_bomb_is_rejected_with_the_bound() -> None:
    for name, bound in (
        ("empty objects", "8 MiB"),
        ("8 MiB of series", "series, more than 80 MiB"),
    ):
        with pytest.raises(ResponseTooLargeError, match=bound):
            parse_matrix(SourceResponse(200, compressed_body(name), True, None), 0, STEP, 10)


def test_series_without_samples_take_no_array_of_all_steps_each() -> None:
    body = matrix(b",".join([b'{"metric":{}}'] * 200))
    received = SourceResponse(200, body, False, None)
    assert len(parse_matrix(received, 0, STEP, 5_000).series) == 200
    with pytest.raises(
        ResponseTooLargeError, match="returned 200 series, more than 1,000,000 values"
    ):
        parse_matrix(received, 0, STEP, MAX_RESPONSE_CELLS // 200 + 1)


@pytest.mark.parametrize("series", [500, 10_000])
def test_the_largest_honest_response_is_read(series: int) -> None:
    steps = MAX_SAMPLES // series
    many_labels = {f"a_label_of_kubernetes_{n}": f"some-value-of-it-{n}" for n in range(10)}
    result = [
        {
            "metric": many_labels | {"pod": f"checkout-7d4b9c6f5-{number}"},
            "values": [[STEP * at + 0.123, f"{at}.123456789012345"] for at in range(steps)],
        }
        for number in range(series)
    ]
    body = orjson.dumps({"status": "success", "data": {"resultType": "matrix", "result": result}})
    for is_gzip, sent in ((False, body), (True, gzip.compress(body, 1))):
        series_list = parse_matrix(SourceResponse(200, sent, is_gzip, None), 0, STEP, steps)
        assert len(series_list.series) == series


def test_a_preview_has_the_first_series_and_counts_all() -> None:
    series = (b'{"metric":{"n":"%d"},"values":[[0,"1"]]}' % n for n in range(300))
    preview = preview_matrix(
        SourceResponse(200, matrix(b",".join(series)), False, None), 0, STEP, 5
    )
    assert isinstance(preview, Preview)
    assert (len(preview.series), preview.count) == (12, 300)


def test_an_engine_process_returns_what_is_wrong_instead_of_failing() -> None:
    assert isinstance(
        preview_matrix(SourceResponse(200, b"{", False, None), 0, STEP, 5), SourceError
    )


@pytest.mark.parametrize(
    "body",
    [
        b'{"status":"error","errorType":{},"error":[]}',
        b'{"status":"success","data":{"resultType":"vector","result":{"a":1}}}',
        b'{"status":"success","data":{"resultType":"vector","result":[{"value":[0,"1e999"]}]}}',
        b'{"status":"success","data":{"resultType":"vector","result":[{"value":[0,"-1"]}]}}',
        b'{"status":"success","data":"x"}',
        b"[[[[[[",
        b"\x1f\x8b",
    ],
)
def test_a_count_of_another_form_is_rejected_as_a_response(body: bytes) -> None:
    for is_gzip in (False, True):
        with pytest.raises(SourceError):
            parse_count(SourceResponse(200, body, is_gzip, None))


def test_no_more_is_unpacked_than_may_be() -> None:
    body = gzip.compress(b'{"status":"success","data":' + b" " * 2_000 + b"1}")
    assert parse_data(SourceResponse(200, body, True, None), 4_096) == (1, ())
    with pytest.raises(ResponseTooLargeError, match="1 KiB"):
        parse_data(SourceResponse(200, body, True, None), 1_024)
