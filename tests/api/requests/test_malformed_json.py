"""Tests of app/api/requests/malformed_json.py, in bounded time and memory; messages: tests/api."""

import time
import tracemalloc

import orjson
import pytest

from app.api.requests.malformed_json import describe_malformed

SIZE = 4 * 1024 * 1024

NASTY = {
    "numbers, then NaN": b'{"a":[' + b"1," * (SIZE // 2) + b"NaN]}",
    "arrays, then NaN": b"[" + b"[1]," * (SIZE // 4) + b"NaN]",
    "brackets only": b"[" * SIZE,
    "brackets in a string, then NaN": b'["' + b"[" * SIZE + b'",NaN]',
    "arrays in a string, then NaN": b'["' + b"[1," * (SIZE // 3) + b'",NaN]',
    "lines, then NaN": b"[" + b"1,\n" * (SIZE // 3) + b"NaN]",
    "wide characters, then NaN": ('["\U0001f600' + "a" * SIZE + '",NaN]').encode(),
    "an end too early": b'{"a":[' + b"1," * (SIZE // 2),
    "the last byte is not UTF-8": b'["' + b"a" * SIZE + b'\xff"]',
    "the last byte of lines is not UTF-8": b'["' + b"a\n" * (SIZE // 2) + b'\xff"]',
}


@pytest.mark.parametrize("sent", NASTY.values(), ids=NASTY.keys())
def test_no_malformed_body_takes_long_or_many_times_its_size(sent: bytes) -> None:
    with pytest.raises(orjson.JSONDecodeError) as raised:
        orjson.loads(sent)
    tracemalloc.start()
    started = time.process_time()
    issue = describe_malformed(sent, raised.value)
    taken = time.process_time() - started
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert issue.startswith("the body is not valid JSON: ")
    assert len(issue) < 300
    assert taken < 0.5
    assert peak <= 4 * len(sent)


def test_the_index_is_of_the_innermost_array() -> None:
    sent = b'{"a":[[1,2],["x",1],[3,4,NaN]]}'
    with pytest.raises(orjson.JSONDecodeError) as raised:
        orjson.loads(sent)
    assert "NaN is not JSON (index 2 of an array)" in describe_malformed(sent, raised.value)
