"""Errors of outgoing requests."""

from app.core.memory_units import MEBIBYTE


class HttpError(Exception):
    """There is no valid response; the message may be shown to the account."""


class UrlError(HttpError):
    """A URL or an address that may not be requested; the message says what to send instead."""


class DeadlineError(HttpError):
    """There is no complete response in time."""


class ResponseTooLargeError(HttpError):
    """A response is larger than the bounds allow."""


def response_too_large(max_bytes: int) -> ResponseTooLargeError:
    unit, size = ("MiB", MEBIBYTE) if max_bytes >= MEBIBYTE else ("KiB", 1024)
    return ResponseTooLargeError(f"returned more than {max_bytes // size} {unit}")
