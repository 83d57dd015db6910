"""Read the JSON body of a call of many series: unpack it, parse it, keep its numbers as arrays.

Everything is bounded before memory is spent on it, and the result is compact: eight bytes for each
number. An engine process can do this for a web worker, which then holds no object for each value.
"""

import io
from typing import Any

import numpy as np
import numpy.typing as npt
import zstandard

from app.core.json_body import MEBIBYTE, BodyError, incomplete_error, parse_object, too_large_error

Numbers = npt.NDArray[np.float64]
NUMBER_TYPES = {int, float, type(None)}

# Bytes that zstd's decoder keeps of what it has unpacked: the default of its levels up to 19 is at
# most 8 MiB.
MAX_WINDOW_BYTES = 32 * MEBIBYTE
# Shorter arrays of numbers stay lists, which keep how each number was written.
MIN_ARRAY_LENGTH = 100
# What an array, object, string or other value that is kept takes beside its characters.
VALUE_BYTES = 100
MAX_PATH_LENGTH = 100  # as shown in an error
# All that is not in arrays of numbers: 20,000 timestamps take 2.4 MB.
MAX_OTHER_BYTES = 4 * MEBIBYTE


def read_batch_body(
    sent: bytes, is_zstd: bool, max_unpacked_bytes: int, max_memory_bytes: int, remedy: str
) -> dict[str, Any] | BodyError:
    """Return the object that a body is, or why it cannot be read.

    Args:
        sent: The body as received.
        is_zstd: Whether it is compressed by zstd.
        max_unpacked_bytes: The most bytes of JSON.
        max_memory_bytes: The most memory that its values may take while it is parsed.
        remedy: What to send instead of a larger one.

    Returns:
        The object, in which arrays of ``MIN_ARRAY_LENGTH`` numbers or more are numpy's, float64,
        with NaN for null.
    """
    try:
        text = _unpack(sent, max_unpacked_bytes, remedy) if is_zstd else sent
        body = parse_object(text, max_memory_bytes, remedy)
        return _Compactor(remedy).compact_object(body)
    except BodyError as error:
        # Another one, without frames that refer to the body: its memory is free as this returns.
        return BodyError(error.status, error.message, error.issue)


def number_array(items: list[Any]) -> Numbers | None:
    """Return numbers as an array, with NaN for null; None if anything else is among them."""
    if not {*map(type, items)} <= NUMBER_TYPES:
        return None
    return np.array(items, dtype=np.float64)


def _unpack(sent: bytes, max_bytes: int, remedy: str) -> bytes:
    """Return what zstd has compressed; no more than its bound is unpacked."""
    try:
        frame = zstandard.get_frame_parameters(sent)
        declared = (
            None if frame.content_size == zstandard.CONTENTSIZE_UNKNOWN else frame.content_size
        )
        if (declared or 0) > max_bytes:
            raise too_large_error(f"the body unpacks to more than {max_bytes} bytes", remedy)
        if frame.window_size > MAX_WINDOW_BYTES:
            problem = f"zstd's window is larger than {MAX_WINDOW_BYTES} bytes"
            raise too_large_error(problem, "compress the body with level 19 or lower")
        with zstandard.ZstdDecompressor().stream_reader(io.BytesIO(sent)) as reader:
            text = reader.read(max_bytes + 1)
    except zstandard.ZstdError:
        issue = "the body is not zstd, as Content-Encoding says; send it uncompressed"
        raise BodyError(400, "Request body is not valid zstd", issue) from None
    if len(text) > max_bytes:
        raise too_large_error(f"the body unpacks to more than {max_bytes} bytes", remedy)
    if declared not in (len(text), None):
        raise incomplete_error(f"it unpacked to {len(text)} of {declared} bytes")
    return text


class _Compactor:
    """Replaces the long arrays of numbers of a body, and bounds what remains."""

    def __init__(self, remedy: str) -> None:
        self._remedy = remedy
        self._left_bytes = MAX_OTHER_BYTES

    def compact_object(self, value: dict[str, Any], path: str = "") -> dict[str, Any]:
        compacted = {}
        for name, item in value.items():
            inner = f"{path}.{name}" if path else name
            self._spend(len(name), inner)
            compacted[name] = self._compact(item, inner)
        return compacted

    def _compact(self, value: Any, path: str) -> Any:
        kind = type(value)
        self._spend(len(value) if kind is str else 0, path)
        if kind is dict:
            return self.compact_object(value, path)
        if kind is list:
            return self._compact_array(value, path)
        return value

    def _compact_array(self, items: list[Any], path: str) -> list[Any] | Numbers:
        if len(items) < MIN_ARRAY_LENGTH:
            return [self._compact(item, path) for item in items]
        if (numbers := number_array(items)) is not None:
            return numbers
        other = next(index for index, item in enumerate(items) if type(item) not in NUMBER_TYPES)
        return [self._compact(item, f"{path}[{other}]") for item in items]

    def _spend(self, characters: int, path: str) -> None:
        self._left_bytes -= VALUE_BYTES + characters
        if self._left_bytes < 0:
            bound = MAX_OTHER_BYTES // MEBIBYTE
            problem = (
                f"the body has more than {bound} MiB beside its arrays of numbers, the last of it "
                f"at {path[:MAX_PATH_LENGTH]}"
            )
            raise too_large_error(problem, f"send only numbers and null there, or {self._remedy}")
