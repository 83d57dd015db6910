"""POST /mcp behind nginx: headers of the protocol pass, errors of nginx are JSON-RPC errors."""

import orjson
import pytest

from tests.api.dialects.mcp.calls import ACCEPT, request
from tests.support.api import CODES
from tests.support.edge import Edge, EdgeResponse, curl

pytestmark = pytest.mark.services


def post(site: Edge, sent: object, *headers: str, path: str = "/mcp") -> EdgeResponse:
    all_headers = ("Content-Type: application/json", f"Accept: {ACCEPT}", *headers)
    words = [f"-H{header}" for header in all_headers]
    return curl(f"{site.https}{path}", *words, "-d", orjson.dumps(sent).decode())


def test_a_call_and_the_headers_of_the_protocol_pass(site: Edge, key: str) -> None:
    sent = request("tools/call", name="list_monitors", arguments={})
    bearer = f"Authorization: Bearer {key}"
    response = post(site, sent, bearer, "MCP-Protocol-Version: 2025-06-18")
    assert response.status == 200
    assert response.json()["result"]["isError"] is False
    assert post(site, sent, bearer, "MCP-Protocol-Version: 1999-01-01").status == 400
    assert post(site, sent, bearer, "Origin: https://evil.example").status == 403


@pytest.mark.parametrize(
    ("path", "header", "status"),
    [
        ("/mcp", "Authorization: " + "x" * 9_000, 431),
        (f"/mcp?{'x' * 9_000}", "X: 1", 414),
        ("/mcp", "Authorization: none", 401),
        ("/mcp/other", "X: 1", 404),
    ],
)
def test_errors_of_nginx_are_those_of_json_rpc_as_the_service_s_are(
    site: Edge, path: str, header: str, status: int
) -> None:
    response = post(site, {}, header, path=path)
    assert response.status == status
    body = response.json()
    assert list(body) == ["jsonrpc", "id", "error"]
    assert (body["jsonrpc"], body["id"]) == ("2.0", None)
    assert body["error"]["code"] == status
    assert body["error"]["message"] == body["error"]["data"]["issue"]
    assert body["error"]["data"]["code"] == CODES[status]
