"""The head of a request: when the parser can judge it, and which lane answers what it asks for."""

from urllib.parse import unquote_to_bytes

from gunicorn.util import split_request_uri

FORECASTS, HEALTH, OTHER = "forecasts", "health", "other"
LANES = {
    (b"POST", b"/forecast"): FORECASTS,
    (b"GET", b"/healthz"): HEALTH,
    (b"GET", b"/readyz"): HEALTH,
}
END_OF_LINE, END_OF_HEAD = b"\r\n", b"\r\n\r\n"
LONGEST_LINE = 8_194  # gunicorn refuses longer ones; with an empty line that may be in front
LONGEST_HEAD = 65_536


def is_whole(received: bytes) -> bool:
    """Tell whether the parser needs no more than ``received`` to take a head or to refuse it."""
    return (
        END_OF_HEAD in received
        or (len(received) > LONGEST_LINE and END_OF_LINE not in received[2:])
        or received.count(b"\n") != received.count(END_OF_LINE)
    )


def lane_of(head: bytes) -> str:
    """Return the lane of a request, by its method and by its path as the application reads it."""
    method, _, rest = head.removeprefix(END_OF_LINE).partition(b" ")
    target = rest.partition(b" ")[0].decode("latin-1")
    try:
        path = split_request_uri(target).path
    except ValueError:  # the parser will refuse it
        return OTHER
    return LANES.get((method, unquote_to_bytes(path)), OTHER)
