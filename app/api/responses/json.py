"""JSON responses, by orjson."""

from typing import Any

import numpy as np
import orjson
from flask import Response

JSON_MEDIA_TYPE = "application/json"
Json = dict[str, Any]


def json_response(body: Any, status: int = 200) -> Response:
    """Return ``body`` as a response; arrays of numpy are written as they are."""
    text = orjson.dumps(body, default=_to_list, option=orjson.OPT_SERIALIZE_NUMPY)
    return Response(text, status, mimetype=JSON_MEDIA_TYPE)


def empty_response(status: int) -> Response:
    """Return a response without a body, and so without a Content-Type."""
    response = Response(status=status)
    del response.headers["Content-Type"]
    return response


def _to_list(value: Any) -> Any:
    if isinstance(value, np.ndarray):  # not contiguous: orjson leaves it to us
        return value.tolist()
    raise TypeError(f"{type(value).__name__} cannot be written as JSON")
