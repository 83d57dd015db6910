"""Tests of app/api/requests/json_body.py."""

import pickle
import tracemalloc

import pytest

from app.api.requests.json_body import BodyError, parse_object
from app.core.memory_units import MEBIBYTE


def test_values_above_the_bound_are_413_before_they_are_parsed() -> None:
    text = b'{"a":[' + b"{}," * 1_000_000 + b"{}]}"
    tracemalloc.start()
    with pytest.raises(BodyError) as raised:
        parse_object(text, 80 * MEBIBYTE, "send a shorter series")
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert peak < 100_000
    assert raised.value.status == 413
    assert raised.value.issue == (
        "the values of the body take more than 80 MiB of memory; send a shorter series"
    )


@pytest.mark.parametrize(
    ("text", "message"),
    [
        (b"{", "Request body is not valid JSON"),
        (b'{"a":' + b"[" * 40 + b"]" * 40 + b"}", "Request body is not valid JSON"),
        (b"[1]", "Request body is not a JSON object"),
    ],
)
def test_a_body_that_is_not_an_object_is_400(text: bytes, message: str) -> None:
    with pytest.raises(BodyError) as raised:
        parse_object(text, MEBIBYTE, "send less")
    assert (raised.value.status, raised.value.message) == (400, message)


def test_a_rejection_survives_the_way_from_an_engine_process() -> None:
    error = pickle.loads(pickle.dumps(BodyError(413, "Too large", "send less")))
    assert (error.status, error.message, error.issue) == (413, "Too large", "send less")
