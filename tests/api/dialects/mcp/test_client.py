"""The official Python client of the Model Context Protocol, with only address and key changed."""

from __future__ import annotations

import asyncio
import base64
import json
import re
from collections.abc import Awaitable, Callable
from typing import TYPE_CHECKING, Any

import httpx
import pytest

from app.api.examples.recorded import EXAMPLES
from app.identity.accounts.permissions import Permission
from tests.support.keys import new_key
from tests.support.one_worker import server
from tests.support.series import airline_body
from tests.support.server import ROOT, Server

__all__ = ["server"]  # fixtures

if TYPE_CHECKING:  # loading it takes half a second in each process that collects tests
    from mcp import Client
    from mcp.types import CallToolResult

ANOMALIES_REQUEST = EXAMPLES.requests["anomalies"]

MODES = ("legacy", "2026-07-28", "auto")
MODEL_ARGUMENT = {"X-Model-Id": "forecast-model-2"}
PNG = b"\x89PNG"

Use = Callable[["Client"], Awaitable[Any]]


@pytest.fixture(scope="module")
def key(server: Server) -> str:
    return new_key(server.environ["DATABASE_URL"], permissions=(Permission.READ, Permission.WRITE))


def run_with_client(server: Server, key: str, work: Use, mode: str = "auto") -> Any:
    """Return the result of ``work`` with a connected client."""
    import httpx2
    from mcp import Client
    from mcp.client.streamable_http import streamable_http_client

    async def connect() -> Any:
        headers = {"Authorization": f"Bearer {key}"}
        async with httpx2.AsyncClient(headers=headers, timeout=60) as http:
            transport = streamable_http_client(f"{server.url}/mcp", http_client=http)
            async with Client(transport, mode=mode) as client:
                return await work(client)

    return asyncio.run(connect())


def text_of(result: CallToolResult) -> str:
    return result.content[0].text


@pytest.mark.parametrize("mode", MODES)
def test_a_client_of_each_revision_connects_lists_and_calls(
    server: Server, key: str, mode: str
) -> None:
    async def work(client: Client) -> tuple[list[str], CallToolResult]:
        listed = await client.list_tools()
        called = await client.call_tool("forecast", airline_body() | MODEL_ARGUMENT)
        return [tool.name for tool in listed.tools], called

    names, called = run_with_client(server, key, work, mode)
    assert names == [
        "forecast", "backtest", "detect_anomalies", "read_table",
        "monitor_events", "list_monitors",
    ]  # fmt: skip
    assert not called.is_error
    sentence, _, *table = text_of(called).splitlines()
    assert sentence.startswith("Fast: 12 forecasts, 1961-01-01 to 1961-12-01, with 95 % intervals.")
    assert table[0] == "forecast_timestamps,lower_bound,median,upper_bound"
    assert len(table) == 13


def test_an_error_of_the_endpoint_is_a_result_that_says_what_to_send(
    server: Server, key: str
) -> None:
    async def work(client: Client) -> CallToolResult:
        return await client.call_tool(
            "forecast", airline_body() | {"confidence": 7} | MODEL_ARGUMENT
        )

    result = run_with_client(server, key, work)
    assert result.is_error
    assert (
        "confidence: Must be between 0.1 and 0.99: a fraction, not a percentage; send 0.95 for 95 %"
        in text_of(result)
    )


def test_a_table_is_read_as_text_and_a_chart_comes_as_picture(server: Server, key: str) -> None:
    async def work(client: Client) -> tuple[CallToolResult, CallToolResult]:
        read = await client.call_tool(
            "read_table", {"table": "day,sales\n2024-01-01,3\n2024-01-02,5\n"}
        )
        return read, await client.call_tool("detect_anomalies", ANOMALIES_REQUEST | {"chart": True})

    read, detected = run_with_client(server, key, work)
    assert text_of(read).startswith("1 series read.\nsales: 2 points, Daily")
    assert text_of(read).splitlines()[-2:] == [
        "sales,2024-01-01T00:00:00,3",
        "sales,2024-01-02T00:00:00,5",
    ]
    assert text_of(detected).startswith("1 point flagged, 1 event, 0 change points.")
    picture = detected.content[1]
    assert picture.mime_type == "image/png"
    assert base64.b64decode(picture.data).startswith(PNG)


@pytest.mark.parametrize("mode", MODES)
def test_the_chart_of_a_monitor_is_a_resource(server: Server, key: str, mode: str) -> None:
    body, url = {"data_frequency": "Minutes"}, f"{server.url}/monitors/till"
    httpx.put(url, json=body, headers={"Authorization": f"Bearer {key}"}).raise_for_status()

    async def work(client: Client) -> Any:
        (resource,) = (await client.list_resources()).resources
        templates = (await client.list_resource_templates()).resource_templates
        return templates[0].uri_template, await client.read_resource(str(resource.uri))

    template, read = run_with_client(server, key, work, mode)
    assert template == "monitor-chart:///{name}"
    assert read.contents[0].mime_type == "image/png"
    assert base64.b64decode(read.contents[0].blob).startswith(PNG)


@pytest.mark.parametrize("mode", MODES)
def test_an_unknown_tool_and_an_unknown_resource_are_errors_of_the_protocol(
    server: Server, key: str, mode: str
) -> None:
    from mcp.shared.exceptions import MCPError

    async def codes(client: Client) -> list[int]:
        results = []
        for attempt in (
            client.call_tool("drop_table", {}),
            client.read_resource("file:///etc/passwd"),
        ):
            with pytest.raises(MCPError) as caught:
                await attempt
            results.append(caught.value.error.code)
        return results

    assert run_with_client(server, key, codes, mode) == [
        -32602,
        -32002 if mode == "legacy" else -32602,
    ]


def test_the_program_of_the_page_runs(
    server: Server, key: str, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    page = (ROOT / "docs" / "using" / "agents.md").read_text()
    (program,) = re.findall(r"```python\n(.*?)```", page, re.DOTALL)
    monkeypatch.setenv("FORECAST_URL", server.url)
    monkeypatch.setenv("FORECAST_KEY", key)
    exec(program, {})
    assert re.search(r"text='\d+ monitors?", capsys.readouterr().out)


def test_the_response_of_the_page_begins_as_the_real_one(server: Server, key: str) -> None:
    page = (ROOT / "docs" / "using" / "agents.md").read_text()
    sent = json.loads(page.partition(" -d '")[2].partition("'\n```")[0])["params"]
    shown = page.partition("The response, ")[2].partition("```json\n")[2].partition("\n```")[0]

    async def work(client: Client) -> CallToolResult:
        return await client.call_tool(sent["name"], sent["arguments"])

    (block,) = json.loads(shown)["result"]["content"]
    real = text_of(run_with_client(server, key, work))
    assert block["text"].splitlines()[0] == real.splitlines()[0]


def test_a_key_that_is_not_valid_never_connects(server: Server) -> None:
    from mcp.shared.exceptions import MCPError

    async def work(client: Client) -> None:
        raise AssertionError("it has connected")

    with pytest.raises(BaseExceptionGroup) as caught:
        run_with_client(server, "ak_" + "0" * 64, work)
    assert caught.group_contains(MCPError, match="ak_ and 64 hexadecimal characters")
