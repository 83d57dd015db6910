"""Read the part of a body that views left unread, after the response.

Gunicorn itself reads at most 64 KiB of it, then closes a connection that its response promised to
keep open: a proxy may have sent the next client's request there, which then fails. If a body may be
too long to read, the response announces that the connection closes.
"""

import time
from typing import Any

READ_BYTES = 64 * 1024
MAX_READ_SECONDS = 5.0  # a client may be slow, and no proxy buffer its body
MAX_BODY_RATIO = 4  # read up to this multiple of the limit, so that the client sees the 413


def close_if_endless(request: Any, limit: int) -> None:
    """End the connection with the response if the body of gunicorn's ``request`` may be endless.

    ``limit`` is the maximum body size of views, in bytes.
    """
    for name, value in request.headers:
        if name == "TRANSFER-ENCODING" or (
            name == "CONTENT-LENGTH" and int(value) > MAX_BODY_RATIO * limit
        ):
            request.force_close()


def drain_body(request: Any, connection: Any, limit: int) -> None:
    """Read the rest of the body of gunicorn's ``request``, in bounded time and size."""
    deadline = time.monotonic() + MAX_READ_SECONDS
    bytes_left = MAX_BODY_RATIO * limit
    try:
        while bytes_left > 0 and (seconds := deadline - time.monotonic()) > 0:
            connection.settimeout(seconds)
            chunk = request.body.read(READ_BYTES)
            if not chunk:
                break
            bytes_left -= len(chunk)
    except Exception:  # each kind of body raises its own; gunicorn then closes the connection
        return
    finally:
        connection.settimeout(None)
