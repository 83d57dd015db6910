"""The resources of the examples, created by requests: a monitor, a webhook, a source, a query."""

from werkzeug.test import TestResponse

from app.api.examples.recorded import EXAMPLES
from tests.support.api import Api

MONITOR_REQUEST = EXAMPLES.requests["monitor"]
QUERY_REQUEST = EXAMPLES.requests["query"]
SOURCE_REQUEST = EXAMPLES.requests["source"]
WEBHOOK_REQUEST = EXAMPLES.requests["webhook"]

MONITOR_NAME = "checkout"


def make_monitor(
    caller: Api, points: dict[str, list[object]] | None = None, **settings: object
) -> TestResponse:
    """Create the monitor of the examples with ``points``; return the response of PUT."""
    response = caller.send("PUT", f"/monitors/{MONITOR_NAME}", MONITOR_REQUEST | settings)
    assert response.status_code == 201
    if points:
        appended = caller.send("POST", f"/monitors/{MONITOR_NAME}/points", points)
        assert appended.status_code == 200
    return response


def make_webhook(caller: Api, **settings: object) -> TestResponse:
    """Create the webhook of the examples; return the response of PUT."""
    response = caller.send("PUT", "/webhooks/ops", WEBHOOK_REQUEST | settings)
    assert response.status_code == 201
    return response


def make_source(caller: Api, name: str = "prod", **settings: object) -> TestResponse:
    """Create the source of the examples; return the response of PUT."""
    response = caller.send("PUT", f"/sources/{name}", SOURCE_REQUEST | settings)
    assert response.status_code == 201
    return response


def make_query(caller: Api, name: str = "checkout", source: str = "prod") -> TestResponse:
    """Create the query of the examples; return the response of PUT."""
    response = caller.send("PUT", f"/sources/{source}/queries/{name}", QUERY_REQUEST)
    assert response.status_code == 201
    return response
