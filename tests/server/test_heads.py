"""When a head is whole, and which threads answer what it asks for."""

import pytest

from app.server.heads import FORECASTS, HEALTH, LONGEST_LINE, OTHER, is_whole, lane_of

WHOLE = [
    b"GET / HTTP/1.1\r\n\r\n",
    b"\r\nGET / HTTP/1.1\r\nHost: a\r\n\r\n",
    b"POST /forecast HTTP/1.1\r\nHost: a\r\n\r\n{\n\n}",
    b"\r\n\r\n",
    b"GET / HTTP/1.1\n",
    b"GET / HTTP/1.1\r\nHost: a\n",
    b"GET /" + b"x" * LONGEST_LINE,
    b"\r\nGET /" + b"x" * LONGEST_LINE,
]
PARTIAL = [
    b"",
    b"\r\n",
    b"GET",
    b"GET / HTTP/1.1\r\n",
    b"GET / HTTP/1.1\r\nHost: a\r\n",
    b"GET / HTTP/1.1\r\nHost: a\r\n\r",
    b"GET /" + b"x" * (LONGEST_LINE - 5),
    b"GET / HTTP/1.1\r\nHost: " + b"x" * LONGEST_LINE,
]


@pytest.mark.parametrize("received", WHOLE)
def test_a_head_that_can_be_judged_waits_no_longer(received: bytes) -> None:
    assert is_whole(received)


@pytest.mark.parametrize("received", PARTIAL)
def test_a_head_that_goes_on_takes_no_thread(received: bytes) -> None:
    assert not is_whole(received)


@pytest.mark.parametrize(
    ("line", "lane"),
    [
        ("POST /forecast HTTP/1.1", FORECASTS),
        ("\r\nPOST /forecast HTTP/1.1", FORECASTS),
        ("POST /forecast?a=b HTTP/1.1", FORECASTS),
        ("POST /%66orecast HTTP/1.1", FORECASTS),
        ("POST http://a/forecast HTTP/1.1", FORECASTS),
        ("POST //forecast HTTP/1.1", OTHER),
        ("POST /forecast/ HTTP/1.1", OTHER),
        ("POST /./forecast HTTP/1.1", OTHER),
        ("POST /forecasts HTTP/1.1", OTHER),
        ("POST forecast HTTP/1.1", OTHER),
        ("GET /forecast HTTP/1.1", OTHER),
        ("GET /verify HTTP/1.1", OTHER),
        ("GET /healthz HTTP/1.1", HEALTH),
        ("GET /readyz HTTP/1.1", HEALTH),
        ("GET http://[a HTTP/1.1", OTHER),
        ("\xff", OTHER),
        ("", OTHER),
    ],
)
def test_a_request_has_the_lane_of_what_it_asks_for_however_that_is_spelt(
    line: str, lane: str
) -> None:
    assert lane_of(f"{line}\r\nHost: a\r\n\r\n".encode("latin-1")) == lane
