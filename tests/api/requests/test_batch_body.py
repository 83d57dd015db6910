"""Tests of app/api/requests/batch_body.py."""

import pickle
import subprocess
import sys
from typing import Any

import numpy as np
import orjson
import pytest
import zstandard

from app.api.requests.batch_body import (
    MAX_WINDOW_BYTES,
    MIN_ARRAY_LENGTH,
    number_array,
    read_batch_body,
)
from app.api.requests.json_body import BodyError
from app.core.memory_units import MEBIBYTE
from tests.core.test_bounded_json import NASTY, taken_bytes
from tests.support.server import ROOT

MAX_UNPACKED_BYTES, MAX_MEMORY_BYTES = 32 * MEBIBYTE, 128 * MEBIBYTE
REMEDY = "send fewer series"
OTHER_VALUES = {
    "strings": ({"series": {"y": ["1"] * 100_000}}, "series.y[0]"),
    "one string in numbers": ({"series": {"y": [*range(100_000), "1"]}}, "series.y[100000]"),
    "short arrays": ({"X": [[1.0]] * 100_000}, "X[0]"),
    "unknown fields": ({f"f{number}": 1 for number in range(100_000)}, "f"),
    "a long string": ({"model": "a" * 5 * MEBIBYTE}, "model"),
    "long names": ({"a" * MEBIBYTE + f"{number}": 1 for number in range(5)}, "aaa"),
}
BOMB = b" " * (MAX_UNPACKED_BYTES + 1)
WITHOUT_SIZE = {"write_content_size": False}


def read(sent: bytes, is_zstd: bool = False) -> Any:
    return read_batch_body(sent, is_zstd, MAX_UNPACKED_BYTES, MAX_MEMORY_BYTES, REMEDY)


def compressed_body(text: bytes, **options: Any) -> bytes:
    return zstandard.ZstdCompressor(level=1, **options).compress(text)


def rejection(sent: bytes, is_zstd: bool = False) -> BodyError:
    content = read(sent, is_zstd)
    assert isinstance(content, BodyError)
    return content


def test_long_arrays_of_numbers_become_arrays_wherever_they_are() -> None:
    values = [1, 2.5, None] * MIN_ARRAY_LENGTH
    sent = {"series": {"y": values, "X": [values, values]}, "level": [80, 99.5], "freq": "D"}
    body = read(compressed_body(orjson.dumps(sent)), is_zstd=True)
    expected = np.array([1, 2.5, np.nan] * MIN_ARRAY_LENGTH)
    for numbers in (body["series"]["y"], *body["series"]["X"]):
        assert numbers.dtype == np.float64
        np.testing.assert_array_equal(numbers, expected)
    assert (body["level"], body["freq"]) == ([80, 99.5], "D")


@pytest.mark.parametrize("other", ["1", True, [], {}])
def test_an_array_with_anything_but_numbers_is_kept_as_it_is(other: Any) -> None:
    values = [*range(MIN_ARRAY_LENGTH), other]
    assert number_array(values) is None
    assert read(orjson.dumps({"y": values})) == {"y": values}


def test_a_parsed_body_returns_to_the_web_worker_as_compact_arrays() -> None:
    sent = {"y": [0.5] * 1_000_000, "sizes": [50] * 20_000, "X": [[1.5] * 100_000] * 3}
    result = pickle.dumps(read(orjson.dumps(sent)), pickle.HIGHEST_PROTOCOL)
    assert len(result) < 8 * (1_000_000 + 20_000 + 300_000) + 10_000


@pytest.mark.parametrize("kind", OTHER_VALUES)
def test_content_outside_arrays_of_numbers_is_bounded_and_its_place_named(kind: str) -> None:
    sent, place = OTHER_VALUES[kind]
    error = rejection(orjson.dumps(sent))
    assert error.status == 413
    assert "more than 4 MiB besides its arrays of numbers" in error.issue
    assert f"at {place}" in error.issue
    assert error.issue.endswith(REMEDY)
    assert len(error.issue) < 400


def test_a_timestamp_for_each_of_20_000_series_is_kept() -> None:
    sent = {"start_datetime": ["2014-01-01T00:00:00+00:00"] * 20_000}
    assert read(orjson.dumps(sent)) == sent


@pytest.mark.parametrize("kind", NASTY)
def test_no_text_is_parsed_beyond_the_bound(kind: str) -> None:
    text = NASTY[kind]()
    sent = compressed_body(b'{"a":' + text + b"}")
    taken = taken_bytes(lambda: read(sent, is_zstd=True))
    assert taken < len(text) + MAX_MEMORY_BYTES + 16 * MEBIBYTE


@pytest.mark.parametrize("options", [{}, WITHOUT_SIZE], ids=["declared", "undeclared"])
def test_a_bomb_is_413_and_unpacked_to_the_bound_at_most(options: dict[str, Any]) -> None:
    sent = compressed_body(BOMB, **options)
    error = rejection(sent, is_zstd=True)
    assert (error.status, error.issue) == (
        413,
        f"the body unpacks to more than {MAX_UNPACKED_BYTES} bytes; {REMEDY}",
    )
    assert taken_bytes(lambda: read(sent, is_zstd=True)) < MAX_UNPACKED_BYTES + 16 * MEBIBYTE


def test_a_window_larger_than_the_bound_is_rejected_before_it_is_allocated() -> None:
    parameters = zstandard.ZstdCompressionParameters(
        window_log=27, write_content_size=False, compression_level=1
    )
    stream = zstandard.ZstdCompressor(compression_params=parameters).compressobj()
    sent = stream.compress(b"{}") + stream.flush()
    error = rejection(sent, is_zstd=True)
    assert error.status == 413
    assert f"larger than {MAX_WINDOW_BYTES} bytes" in error.issue
    assert error.issue.endswith("compress the body with level 19 or lower")


def test_no_frame_after_the_first_is_lost() -> None:
    assert read(compressed_body(b'{"a": ') + compressed_body(b"1}"), is_zstd=True) == {"a": 1}
    error = rejection(compressed_body(b"{}") + compressed_body(BOMB), is_zstd=True)
    assert (error.status, "unpacks to more than" in error.issue) == (413, True)


@pytest.mark.parametrize(
    ("sent", "words"),
    [
        (b"{}", "the body is not zstd"),
        (b"", "the body is not zstd"),
        (compressed_body(b'{"a": "b"}')[:-3], "incomplete"),
        (compressed_body(b'{"a": '), "not valid JSON"),
        (compressed_body(b'{"a": 1}') + b"junk", "the body is not zstd"),
        (compressed_body(b'{"a": 1}') * 2, "not valid JSON"),
    ],
)
def test_an_unreadable_body_is_400(sent: bytes, words: str) -> None:
    error = rejection(sent, is_zstd=True)
    assert error.status == 400
    assert words in error.issue


def test_a_rejection_keeps_no_part_of_the_body_in_memory() -> None:
    """Frames would: the engine returns it from its own, which makes a cycle."""
    error = rejection(b"[" * MEBIBYTE)
    assert error.__traceback__ is error.__context__ is error.__cause__ is None


def test_an_engine_imports_no_web_framework_or_database_for_it() -> None:
    program = "import sys, app.api.requests.batch_body; print(*sys.modules)"
    run = subprocess.run(
        [sys.executable, "-c", program], capture_output=True, text=True, check=True, cwd=ROOT
    )
    modules = {*run.stdout.split()}
    assert "app.api.requests.batch_body" in modules
    assert not modules & {"flask", "marshmallow", "sqlalchemy"}
