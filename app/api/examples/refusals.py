"""Errors that say nothing of the data: who calls, how often, and what fails behind the service."""

from app.api.examples.error import ErrorExample

RETRY = "Wait as long as `Retry-After` says, then back off exponentially"

REFUSALS: tuple[ErrorExample, ...] = (
    ErrorExample(
        "no-valid-key",
        401,
        "The key is missing, malformed, unknown, expired or revoked; the answer is the same.",
        "Send `Authorization: Bearer ak_…`, with the word Bearer. Keys are shown once, when they "
        "are minted: whoever has lost one needs a new one.",
        "API key is missing, invalid or expired",
        {
            "issue": "the header Authorization holds no key that is valid now; send Bearer, a "
            "space and a key, which is ak_ and 64 hexadecimal characters"
        },
        headers={"Authorization": "Bearer ak_123"},
        answer_headers={"WWW-Authenticate": "Bearer"},
    ),
    ErrorExample(
        "missing-permission",
        403,
        "The key lacks the permission that the endpoint needs: `read` for `POST /forecast`.",
        "Send another key, or have one minted with this permission. `write`, `admin` and `delete` "
        "do not include `read`.",
        "API key lacks the permission read; send a key that has it",
        {"required": ["read"], "granted": ["write"]},
        circumstance="The key has the permission `write` only.",
    ),
    ErrorExample(
        "plain-http",
        403,
        "The request came over plain HTTP.",
        "Send it over `https://`. The key has crossed the network readable for all: have it "
        "revoked and use a new one.",
        "HTTPS is required",
        {"issue": "this request came over plain HTTP; send it over https:// and replace the key"},
        circumstance="The service is only to be used over HTTPS.",
    ),
    ErrorExample(
        "metrics-elsewhere",
        403,
        "`/metrics` is not for the address of this request.",
        "Ask from the machine itself, or name the address in the setting `METRICS_ALLOWED`.",
        "Metrics are not for this address",
        {
            "issue": "METRICS_ALLOWED does not name 203.0.113.9; send the request from an address "
            "that it names"
        },
        method="GET",
        path="/metrics",
        circumstance="The request comes from 203.0.113.9.",
    ),
    ErrorExample(
        "limit-used-up",
        429,
        "The key or its account has used up a limit: of the minute, the hour or the day.",
        f"{RETRY}. `GET /verify` tells what is left and consumes nothing; the headers "
        "`X-RateLimit-…` of every answer tell it too.",
        "Rate limit exceeded: 10 requests a minute; send the request again in 42 s",
        {"limit": 10, "reset_time": "2026-01-01T00:01:00Z"},
        circumstance="An account of the tier free has sent 10 requests in the last 18 seconds.",
        answer_headers={"Retry-After": "42"},
    ),
    ErrorExample(
        "too-many-without-key",
        429,
        "Too many requests without a valid key came from one address.",
        f"{RETRY}. A valid key is served whatever its address has used up.",
        "Rate limit exceeded: 60 requests a minute; send the request again in 42 s",
        {"limit": 60, "reset_time": "2026-01-01T00:01:00Z"},
        headers={"Authorization": "Bearer ak_123"},
        circumstance="The address has sent 60 requests without a valid key in the last 18 seconds.",
        answer_headers={"Retry-After": "42"},
    ),
    ErrorExample(
        "forecast-took-too-long",
        500,
        "The forecast was not ready within the hard limit, or its process ended.",
        "Send the request again; should it fail again, send fewer points or ask for "
        "`forecast-model-2`. It has cost one request of the limit.",
        "Internal server error",
        {
            "issue": "the forecast could not be computed: no forecast within 30 s; send the "
            "request again, with fewer points or for forecast-model-2, which is quicker"
        },
        circumstance="The engine has computed for 30 seconds.",
    ),
    ErrorExample(
        "key-store-away",
        500,
        "The database of the keys cannot be reached, so that no key can be checked.",
        "Send the request again later; nothing is wrong with it.",
        "Internal server error",
        {"issue": "the key store cannot be reached at the moment; send the request again later"},
        circumstance="The service has lost its database.",
    ),
    ErrorExample(
        "unexpected",
        500,
        "The service failed in a way that nobody has foreseen.",
        "Send the request again later. Should it fail again, give the `X-Request-Id` of the "
        "answer to the operator of the service.",
        "Internal server error",
        {
            "issue": "the service failed unexpectedly; send the request again later, or give the "
            "X-Request-Id of this answer to the operator, whose log has the cause"
        },
        circumstance="The service has a bug.",
    ),
    ErrorExample(
        "too-many-waiting",
        503,
        "More forecasts wait for the engine than may.",
        f"{RETRY}.",
        "Service is busy",
        {"issue": "too many forecasts are waiting; send the request again in 2 s"},
        circumstance="All engine processes compute, and their queue is full.",
        answer_headers={"Retry-After": "2"},
    ),
    ErrorExample(
        "unhealthy",
        503,
        "The database cannot be reached or takes no writes.",
        "Keep requests away from this node until the answer is 200; restarting it mends nothing.",
        "Service is unhealthy",
        {"issue": "the key store cannot be reached or written at the moment; ask again in 1 s"},
        method="GET",
        path="/healthz",
        circumstance="The service has lost its database.",
        answer_headers={"Retry-After": "1"},
    ),
    ErrorExample(
        "not-ready",
        503,
        "The database or the limit store cannot be reached or takes no writes.",
        "See to the store that is `away`. Without the limit store forecasts are still answered.",
        "Service is not ready",
        {
            "issue": "cannot be reached or written at the moment: limit store; ask again in 1 s",
            "database": "ok",
            "limit_store": "away",
        },
        method="GET",
        path="/readyz",
        circumstance="The service has lost its limit store.",
        answer_headers={"Retry-After": "1"},
    ),
)
"""In the order in which they are shown."""
