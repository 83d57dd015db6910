"""The documented responses of POST /mcp are the real ones."""

from app.api.dialects.mcp.routes import EXAMPLES
from tests.api.dialects.mcp.calls import send
from tests.support.api import Api
from tests.support.examples import assert_response_shown


def test_the_response_to_an_example_is_the_one_shown(isolated_api: Api) -> None:
    response = send(isolated_api, EXAMPLES.requests["call"])
    assert response.status_code == 200
    assert_response_shown("call", response.get_json(), EXAMPLES)
