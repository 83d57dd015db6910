"""A hostile client of POST /mcp gets the statuses and codes of the specification."""

from collections.abc import Callable

import orjson
import pytest
from flask import Flask

from app.api.dialects.mcp.protocol import CAPABILITIES_KEY, HANDSHAKE_VERSIONS, VERSION_KEY
from app.core.database import db
from tests.api.dialects.mcp.calls import call, call_method, request, send
from tests.support.api import Api, details_of, error_of
from tests.support.keys import make_account
from tests.support.series import daily_body

PING = request("ping")
QUICK = {"X-Model-Id": "forecast-model-2"}
MODERN = "2026-07-28"


def stateless_request(method: str, **params: object) -> dict[str, object]:
    meta = {VERSION_KEY: MODERN, CAPABILITIES_KEY: {}}
    return request(method, _meta=meta, **params)


@pytest.mark.parametrize(
    "accept", [None, "application/json", "text/event-stream", "text/html", "text/*, image/png"]
)
def test_a_client_that_does_not_take_both_media_types_gets_406(
    isolated_api: Api, accept: str | None
) -> None:
    details = details_of(send(isolated_api, PING, Accept=accept), 406)
    assert details["issue"].endswith("send both")


@pytest.mark.parametrize("method", ["GET", "DELETE", "PUT"])
def test_there_is_no_stream_and_no_session_to_end(isolated_api: Api, method: str) -> None:
    response = isolated_api.request(method, "/mcp", Accept="text/event-stream")
    assert error_of(response, 405)["code"] == 405
    assert response.headers["Allow"] == "POST"


@pytest.mark.parametrize("version", ["1.0", "2024-11-05", "2099-01-01", "x" * 5_000, ""])
def test_an_unknown_revision_gets_400_with_those_that_are_known(
    isolated_api: Api, version: str
) -> None:
    error = error_of(send(isolated_api, PING, MCP_Protocol_Version=version), 400)
    assert error["code"] == -32022
    assert "2025-06-18" in error["details"]["supported"]


def test_a_client_without_the_header_is_served(isolated_api: Api) -> None:
    assert send(isolated_api, PING, MCP_Protocol_Version=None).get_json()["result"] == {}


@pytest.mark.parametrize(
    ("asked", "given"), [(v, v) for v in HANDSHAKE_VERSIONS] + [("1", "2025-11-25")]
)
def test_initialize_agrees_on_a_revision(isolated_api: Api, asked: str, given: str) -> None:
    result = call_method(
        isolated_api, "initialize", protocolVersion=asked, capabilities={}, clientInfo={}
    )
    assert result["result"]["protocolVersion"] == given


@pytest.mark.parametrize(
    "origin", ["https://evil.example", "null", "http://localhost.evil.example"]
)
def test_another_origin_gets_403(isolated_api: Api, origin: str) -> None:
    error_of(send(isolated_api, PING, Origin=origin), 403)


def test_the_services_own_origin_is_served(isolated_api: Api) -> None:
    assert send(isolated_api, PING, Origin="http://localhost").status_code == 200


@pytest.mark.parametrize(
    ("body", "code"),
    [
        (b"", -32700),
        (b"{", -32700),
        (b'{"jsonrpc": "2.0", "id": NaN}', -32700),
        (b"\xff\xfe", -32700),
        (b"[]", -32600),
        (orjson.dumps([PING] * 1_000), -32600),
        (b'"ping"', -32600),
        ({"id": 1, "method": "ping"}, -32600),
        ({"jsonrpc": "1.0", "id": 1, "method": "ping"}, -32600),
        ({"jsonrpc": "2.0", "id": 1}, -32600),
        ({"jsonrpc": "2.0", "id": 1, "result": {}}, -32600),
        ({"jsonrpc": "2.0", "id": None, "method": "ping"}, -32600),
        ({"jsonrpc": "2.0", "id": [1], "method": "ping"}, -32600),
        ({"jsonrpc": "2.0", "id": True, "method": "ping"}, -32600),
        ({"jsonrpc": "2.0", "id": 1, "method": 7}, -32600),
        ({"jsonrpc": "2.0", "id": 1, "method": "ping", "params": [1]}, -32600),
    ],
)
def test_a_body_that_is_not_a_message_gets_400(isolated_api: Api, body: object, code: int) -> None:
    assert error_of(send(isolated_api, body), 400)["code"] == code


@pytest.mark.parametrize(
    ("body", "message"),
    [
        ({"id": 1, "method": "ping"}, "jsonrpc: missing: send 2.0"),
        ({"jsonrpc": "2.0", "id": 1}, "method: missing: send the name of a method"),
        ({"jsonrpc": "2.0", "id": None, "method": "ping"}, "id: Must be a string or a whole"),
    ],
)
def test_the_error_of_a_message_says_what_to_send(
    isolated_api: Api, body: object, message: str
) -> None:
    assert error_of(send(isolated_api, body), 400)["message"].startswith(message)


def test_a_batch_is_rejected_by_name_without_calling_any(isolated_api: Api) -> None:
    calls = [request("tools/call", name="list_monitors", arguments={})] * 1_000
    error = error_of(send(isolated_api, calls), 400)
    assert error["message"] == "the body is an array; send one JSON-RPC message, not a batch"
    assert send(isolated_api, PING).headers["X-RateLimit-Remaining"] == "98"


@pytest.mark.parametrize(
    "method", ["tools/destroy", "server/discover", "prompts/list", "__class__"]
)
def test_an_unknown_method_has_its_code(isolated_api: Api, method: str) -> None:
    error = call_method(isolated_api, method)["error"]
    assert error["code"] == -32601
    assert "tools/call" in error["message"]


@pytest.mark.parametrize(
    ("method", "params"),
    [
        ("tools/call", {}),
        ("tools/call", {"name": "drop_table", "arguments": {}}),
        ("tools/call", {"name": ["forecast"]}),
        ("tools/call", {"name": "forecast", "arguments": [1]}),
        ("tools/call", {"name": "forecast", "arguments": {"rows_after": -1}}),
        ("tools/call", {"name": "forecast", "arguments": {"chart": "yes"}}),
        ("resources/list", {"cursor": "x"}),
        ("resources/list", {"cursor": 60}),
        ("initialize", {}),
    ],
)
def test_wrong_parameters_have_their_code(isolated_api: Api, method: str, params: dict) -> None:
    assert call_method(isolated_api, method, **params)["error"]["code"] == -32602


@pytest.mark.parametrize(
    "uri",
    ["file:///etc/passwd", "monitor-chart:///nobody", "monitor-chart:///" + "%2f" * 3_000, 7, None],
)
def test_an_unknown_resource_has_its_code(isolated_api: Api, uri: object) -> None:
    assert call_method(isolated_api, "resources/read", uri=uri)["error"]["code"] == -32002


@pytest.mark.parametrize("method", ["notifications/initialized", "notifications/x", "tools/call"])
def test_a_notification_gets_202_and_nothing_else(isolated_api: Api, method: str) -> None:
    params = {"name": "list_monitors"}
    response = send(isolated_api, {"jsonrpc": "2.0", "method": method, "params": params})
    assert (response.status_code, response.data, response.content_type) == (202, b"", None)


class TestStatelessRevision:
    """From 2026-07-28 on headers repeat the body, and errors have a status."""

    def headers(self, method: str, name: str | None = None) -> dict[str, str | None]:
        return {"MCP_Protocol_Version": MODERN, "Mcp_Method": method, "Mcp_Name": name}

    def test_discovery_needs_no_handshake(self, isolated_api: Api) -> None:
        body = stateless_request("server/discover")
        result = send(isolated_api, body, **self.headers("server/discover")).get_json()["result"]
        assert MODERN in result["supportedVersions"]
        assert result["resultType"] == "complete"
        assert result["cacheScope"] == "private"

    @pytest.mark.parametrize(
        ("headers", "code"),
        [
            ({"Mcp_Method": "tools/call", "Mcp_Name": "forecast"}, -32020),
            ({"Mcp_Method": "tools/list", "Mcp_Name": "list_monitors"}, -32020),
            ({"Mcp_Method": "tools/call"}, -32020),
            ({"Mcp_Method": "tools/call", "Mcp_Name": "=?base64?!?="}, -32020),
        ],
    )
    def test_headers_that_differ_from_the_body_are_rejected(
        self, isolated_api: Api, headers: dict, code: int
    ) -> None:
        body = stateless_request("tools/call", name="list_monitors", arguments={})
        response = send(isolated_api, body, MCP_Protocol_Version=MODERN, **headers)
        assert error_of_id(response, 400) == code

    def test_a_name_may_be_in_base64(self, isolated_api: Api) -> None:
        body = stateless_request("tools/call", name="list_monitors", arguments={})
        encoded = self.headers("tools/call", "=?base64?bGlzdF9tb25pdG9ycw==?=")
        assert send(isolated_api, body, **encoded).get_json()["result"]["isError"] is False

    def test_a_parameter_without_a_name_is_no_name(self, isolated_api: Api) -> None:
        body = stateless_request("tools/list")
        body["params"][""] = "x"
        listed = send(isolated_api, body, **self.headers("tools/list")).get_json()
        assert listed["result"]["tools"]

    def test_a_request_without_its_envelope_is_rejected(self, isolated_api: Api) -> None:
        response = send(isolated_api, request("tools/list"), **self.headers("tools/list"))
        assert error_of_id(response, 400) == -32602

    @pytest.mark.parametrize("method", ["initialize", "ping", "tools/destroy"])
    def test_an_unknown_method_is_404(self, isolated_api: Api, method: str) -> None:
        response = send(isolated_api, stateless_request(method), **self.headers(method))
        assert error_of_id(response, 404) == -32601


def error_of_id(response, status: int) -> int:
    """Return the code of an error, which must have the id of its request."""
    assert response.status_code == status
    assert response.get_json()["id"] is not None
    return response.get_json()["error"]["code"]


def test_a_megabyte_of_arguments_is_rejected_as_the_endpoint_rejects_it(isolated_api: Api) -> None:
    body = daily_body() | {"nonsense": "x" * 1_000_000}
    result = call(isolated_api, "forecast", **body, **QUICK)
    assert result["isError"]
    assert "nonsense: unknown field" in result["content"][0]["text"]
    assert len(result["content"][0]["text"]) < 1_000


def test_a_body_over_the_limit_gets_413_unread(isolated_api: Api) -> None:
    response = send(isolated_api, b" " * (4 * 2**20 + 1))
    assert error_of(response, 413)["code"] == 413


def test_values_that_take_too_much_memory_get_413_unparsed(isolated_api: Api) -> None:
    response = send(isolated_api, b'{"jsonrpc":"2.0","params":[%s{}]}' % (b"{}," * 1_300_000))
    error_of(response, 413)


def test_another_media_type_gets_415(isolated_api: Api) -> None:
    error_of(send(isolated_api, PING, Content_Type="text/plain"), 415)


def test_a_key_that_is_revoked_between_two_calls_gets_401(app: Flask, key: str) -> None:
    caller = Api(app, key)
    assert not call(caller, "list_monitors")["isError"]
    with app.app_context(), db.engine.begin() as connection:
        connection.exec_driver_sql("UPDATE api_keys SET revoked_at = '2020-01-01'")
    response = send(caller, request("tools/call", name="list_monitors", arguments={}))
    error_of(response, 401)
    assert response.headers["WWW-Authenticate"] == "Bearer"


def test_a_caller_without_a_key_gets_401_whatever_else_is_wrong(app: Flask) -> None:
    response = send(Api(app, ""), PING, Accept="application/json", Origin="https://example.org")
    error_of(response, 401)
    assert response.headers["X-RateLimit-Remaining"] == "59"


@pytest.mark.parametrize("settings", [{"ratelimit_storage_uri": "memory://"}])
def test_a_limit_that_is_used_up_is_429_with_the_time_to_wait(
    app: Flask, make_key: Callable[..., str]
) -> None:
    make_account(app, "small", "free")
    caller = Api(app, make_key("read", account_name="small"))
    for _ in range(10):
        assert send(caller, PING).status_code == 200
    body = request("tools/call", name="list_monitors", arguments={})
    for message in (PING, body):
        response = send(caller, message)
        assert response.status_code == 429
        assert int(response.headers["Retry-After"]) > 0
        assert response.get_json()["error"]["code"] == 429
        assert response.get_json()["id"] == message["id"]


@pytest.mark.parametrize(
    "message",
    [
        PING,
        request("tools/call", name="drop_table", arguments={}),
        request("tools/call", name="forecast", arguments={"rows_after": -1}),
        request("resources/read", uri="file:///etc/passwd"),
        request("tools/destroy"),
        {"jsonrpc": "2.0", "method": "tools/call"},
    ],
)
def test_a_message_that_reaches_no_endpoint_counts_as_one_request(
    isolated_api: Api, message: dict
) -> None:
    assert send(isolated_api, message).headers["X-RateLimit-Remaining"] == "99"


@pytest.mark.parametrize(
    ("status", "body", "headers"),
    [
        (400, b"{", {}),
        (400, [PING], {}),
        (400, PING, {"MCP_Protocol_Version": "1999-01-01"}),
        (403, PING, {"Origin": "https://example.org"}),
        (406, PING, {"Accept": "application/json"}),
        (415, PING, {"Content_Type": "text/plain"}),
    ],
)
def test_a_message_that_is_rejected_counts_as_one_request(
    isolated_api: Api, status: int, body: object, headers: dict[str, str]
) -> None:
    response = send(isolated_api, body, **headers)
    assert response.status_code == status
    assert response.headers["X-RateLimit-Remaining"] == "99"


@pytest.mark.parametrize(
    ("message", "sentence"),
    [
        (PING | {"method": 5}, "method: send the name of a method, such as tools/call"),
        (PING | {"method": ""}, "method: send the name of a method, such as tools/call"),
        (PING | {"jsonrpc": 2}, "jsonrpc: Must be 2.0"),
        (PING | {"params": 5}, "params: Must be an object"),
    ],
)
def test_a_field_of_a_wrong_type_says_what_to_send(
    isolated_api: Api, message: dict[str, object], sentence: str
) -> None:
    assert error_of(send(isolated_api, message), 400)["message"] == sentence
