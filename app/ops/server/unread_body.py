"""Read what views leave unread of a body, after the response.

gunicorn itself reads at most 64 KiB of it, then closes a connection that its response promised to
keep: a proxy in front sends the next client's request there, and that one fails. Where the end of
a body may be out of reach, the response says that its connection ends.
"""

import time
from typing import Any

CHUNK_BYTES = 64 * 1024
MAX_READ_SECONDS = 5.0  # for a client that sends slowly; a proxy that buffers bodies does not
MAX_BODY_RATIO = 4  # how much is read of a body that is too large, so that its client sees the 413


def close_if_endless(request: Any, limit: int) -> None:
    """End the connection with the response if the body of gunicorn's ``request`` may be endless.

    ``limit`` is the largest body in bytes that views read.
    """
    for name, value in request.headers:
        if name == "TRANSFER-ENCODING" or (
            name == "CONTENT-LENGTH" and int(value) > MAX_BODY_RATIO * limit
        ):
            request.force_close()


def drain_body(request: Any, connection: Any, limit: int) -> None:
    """Read the rest of the body of gunicorn's ``request``, in bounded time and size."""
    deadline, left = time.monotonic() + MAX_READ_SECONDS, MAX_BODY_RATIO * limit
    try:
        while left > 0 and (seconds := deadline - time.monotonic()) > 0:
            connection.settimeout(seconds)
            portion = request.body.read(CHUNK_BYTES)
            if not portion:
                break
            left -= len(portion)
    except Exception:  # each kind of body has its own; gunicorn then closes the connection
        return
    finally:
        connection.settimeout(None)
