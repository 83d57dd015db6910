"""The statuses of errors: one table for responses and documents.

The documents are `docs/using/errors.md`, `/docs/errors` and `/openapi.json`.
"""

from enum import StrEnum

# If several things are wrong with a request, the first in this order is reported.
ORDER_OF_CHECKS = "401, 403, 503 (the service is busy), 429, 415, 413, malformed JSON, 400, 422"


class ErrorCode(StrEnum):
    """The closed set of ``error.code``."""

    UNAUTHORIZED = "UNAUTHORIZED"
    INVALID_REQUEST = "INVALID_REQUEST"
    DATA_VALIDATION_ERROR = "DATA_VALIDATION_ERROR"
    RATE_LIMIT_EXCEEDED = "RATE_LIMIT_EXCEEDED"
    INTERNAL_ERROR = "INTERNAL_ERROR"


# When a status occurs.
STATUSES: dict[int, str] = {
    400: "A parameter is unknown or wrong, or the body is not valid JSON (or zstd), incomplete, or "
    "not a JSON object. The account has reached a quota. The key to be changed is not active, or "
    "the webhook whose secret is to be rotated has none. Agents: unknown version of the protocol. "
    "Or the request is not valid HTTP.",
    401: "The key is missing, malformed, unknown, expired, revoked or of a suspended account; the "
    "response does not say which. Or, on Azure's paths, two headers contain different keys.",
    403: "The key lacks a permission or tries to grant one that it lacks, the request came over "
    "plain HTTP or from a page of another site, or `/metrics` is not open to its address.",
    404: "There is no such path, or the account has nothing of this name or id.",
    405: "The path does not take this method.",
    406: "The header `Accept` of an agent allows only one of `application/json` and "
    "`text/event-stream`: send both, or `*/*`.",
    409: "Monitors or queries use the webhook to delete, or the monitor to change belongs to a "
    "query. The details name them.",
    413: "The body is too large: over 4 MiB by default, or its values would take too much memory, "
    "over 80 MiB by default. Or a file has too many cells, series or characters.",
    414: "The path or its query is too long.",
    415: "The body is neither `application/json` nor a file of a type that the endpoint accepts, "
    "or it has a `Content-Encoding` (only calls of many series accept `zstd`).",
    421: "The request names a host that is not the service's.",
    422: "The `timestamps` or `values` are invalid. Holidays: unknown country. Tables: the file is "
    "not a table, leaves questions open, or has no series that can be forecast. Sources and "
    "queries: an invalid setting, or a replay that failed. Nixtla's and Azure's clients: the "
    "service does not offer the call. Or the request needs more memory, time or forecasts than one "
    "request may use.",
    429: "A limit is used up; `Retry-After` says how long to wait.",
    431: "The headers are too many or too long.",
    500: "The service failed, its database is unreachable, or the computation of a single series "
    "took too long: send a shorter series, or choose a faster model.",
    501: "The `Transfer-Encoding` is unknown.",
    502: "The service is not running.",
    503: "The service is busy, restarting or under maintenance, or cannot store credentials yet; "
    "`Retry-After` says when to retry. `/healthz` and `/readyz` also return 503 while a store or "
    "the engine is unreachable.",
    504: "The service did not respond in time.",
    505: "The HTTP version is unknown.",
}

# Codes other than the general ones of 4xx and 5xx.
CODES_BY_STATUS = {
    401: ErrorCode.UNAUTHORIZED,
    403: ErrorCode.UNAUTHORIZED,
    422: ErrorCode.DATA_VALIDATION_ERROR,
    429: ErrorCode.RATE_LIMIT_EXCEEDED,
}

# Issues of requests that nginx rejects itself, and of a 500.
ISSUES_BY_STATUS: dict[int, str] = {
    400: "the request is not valid HTTP; send it again with a common HTTP client",
    414: "the request line is too long; send a path of the endpoints, and a short query",
    421: "the header Host names another host than this service; send the name and port of the "
    "service's address",
    431: "the headers are too many or too long; send fewer and shorter ones",
    500: "the service failed unexpectedly; send the request again later, or give the X-Request-Id "
    "of this response to the operator, whose log has the cause",
    501: "this Transfer-Encoding is not known; send Content-Length, or chunked",
    505: "this HTTP version is not known; send HTTP/1.1",
}


def error_code(status: int) -> ErrorCode:
    default = ErrorCode.INTERNAL_ERROR if status >= 500 else ErrorCode.INVALID_REQUEST
    return CODES_BY_STATUS.get(status, default)
