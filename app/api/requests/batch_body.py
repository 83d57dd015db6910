"""Read the JSON body of a batch call: decompress it, parse it, and keep its numbers as arrays.

Every size is checked before memory is allocated, and the result is compact: eight bytes a number.
An engine process does this for a web worker, which then never holds an object for each value.
"""

import io
from typing import Any

import numpy as np
import numpy.typing as npt
import zstandard

from app.api.requests.json_body import BodyError, incomplete_error, parse_object, too_large_error
from app.core.memory_units import MEBIBYTE

Numbers = npt.NDArray[np.float64]
NUMBER_TYPES = {int, float, type(None)}

# Bytes of decompressed data that zstd's decoder keeps; levels up to 19 use at most 8 MiB.
MAX_WINDOW_BYTES = 32 * MEBIBYTE
# Shorter arrays of numbers stay lists, which preserve whether a number was an integer.
MIN_ARRAY_LENGTH = 100
_VALUE_BYTES = 100  # the memory of a Python object, without its characters
_MAX_PATH_LENGTH = 100  # a longer path is cut in an error
# Memory of all values outside arrays of numbers: 20,000 timestamps take 2.4 MB.
_MAX_OTHER_BYTES = 4 * MEBIBYTE


def read_batch_body(
    content: bytes, is_zstd: bool, max_unpacked_bytes: int, max_memory_bytes: int, remedy: str
) -> dict[str, Any] | BodyError:
    """Return the object in a body, or the error to send.

    Args:
        is_zstd: Whether it is compressed with zstd.
        max_unpacked_bytes: The maximum size of the JSON.
        max_memory_bytes: The maximum memory of the values while it is parsed.
        remedy: What to send instead of a larger body.

    Returns:
        The object; arrays of ``MIN_ARRAY_LENGTH`` numbers or more are numpy arrays of float64, with
        NaN for null.
    """
    try:
        text = _unpack(content, max_unpacked_bytes, remedy) if is_zstd else content
        body = parse_object(text, max_memory_bytes, remedy)
        return _Compactor(remedy).compact_object(body)
    except BodyError as error:
        # A new error, as the frames of this traceback would keep the body in memory.
        return BodyError(error.status, error.message, error.issue)


def number_array(items: list[Any]) -> Numbers | None:
    """Return ``items`` as an array, with NaN for null; None if they are not all numbers."""
    if not {*map(type, items)} <= NUMBER_TYPES:
        return None
    return np.array(items, dtype=np.float64)


def _unpack(body: bytes, max_bytes: int, remedy: str) -> bytes:
    """Decompress zstd data of one frame or more, at most ``max_bytes``."""
    try:
        frame = zstandard.get_frame_parameters(body)
        declared = (
            None if frame.content_size == zstandard.CONTENTSIZE_UNKNOWN else frame.content_size
        )
        if (declared or 0) > max_bytes:
            raise too_large_error(f"the body unpacks to more than {max_bytes} bytes", remedy)
        if frame.window_size > MAX_WINDOW_BYTES:
            problem = f"zstd's window is larger than {MAX_WINDOW_BYTES} bytes"
            raise too_large_error(problem, "compress the body with level 19 or lower")
        decompressor = zstandard.ZstdDecompressor(max_window_size=MAX_WINDOW_BYTES)
        with decompressor.stream_reader(io.BytesIO(body), read_across_frames=True) as reader:
            text = reader.read(max_bytes + 1)
    except zstandard.ZstdError:
        issue = "the body is not zstd, as Content-Encoding says; send it uncompressed"
        raise BodyError(400, "Request body is not valid zstd", issue) from None
    if len(text) > max_bytes:
        raise too_large_error(f"the body unpacks to more than {max_bytes} bytes", remedy)
    if len(text) < (declared or 0):  # `declared` is the size of the first frame
        raise incomplete_error(f"it unpacked to {len(text)} of {declared} bytes")
    return text


class _Compactor:
    """Replaces long arrays of numbers in a body, and bounds the size of the rest."""

    def __init__(self, remedy: str) -> None:
        self._remedy = remedy
        self._bytes_left = _MAX_OTHER_BYTES

    def compact_object(self, value: dict[str, Any], path: str = "") -> dict[str, Any]:
        compacted = {}
        for name, field in value.items():
            field_path = f"{path}.{name}" if path else name
            self._spend(len(name), field_path)
            compacted[name] = self._compact(field, field_path)
        return compacted

    def _compact(self, value: Any, path: str) -> Any:
        self._spend(len(value) if type(value) is str else 0, path)
        if type(value) is dict:
            return self.compact_object(value, path)
        if type(value) is list:
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
        self._bytes_left -= _VALUE_BYTES + characters
        if self._bytes_left < 0:
            bound = _MAX_OTHER_BYTES // MEBIBYTE
            problem = (
                f"the body has more than {bound} MiB besides its arrays of numbers, the last of it "
                f"at {path[:_MAX_PATH_LENGTH]}"
            )
            raise too_large_error(problem, f"send only numbers and null there, or {self._remedy}")
