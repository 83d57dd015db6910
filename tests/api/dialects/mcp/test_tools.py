"""A tool has the permission, limits, usage and errors of its endpoint, and a short result."""

import csv
import dataclasses
from collections.abc import Callable

import pytest
from flask import Flask
from marshmallow import Schema, fields
from sqlalchemy import Engine

from app.api.dialects.mcp.errors import RpcError
from app.api.dialects.mcp.tools import (
    MAX_RESULT_ROWS,
    make_tools,
    permitted_tools,
    read_arguments,
)
from app.api.endpoints.endpoint import Endpoint, FileBody, Success, Tag, endpoints_of
from app.api.examples.recorded import EXAMPLES
from app.identity.accounts.permissions import Permission
from app.identity.usage.models import UsageHour
from tests.api.dialects.mcp.calls import call, call_method, request, send, text_of
from tests.support.api import Api
from tests.support.keys import record_of
from tests.support.monitors import LEARNED, Monitor, noise_at_100
from tests.support.series import daily_body, detection_body
from tests.support.usage import flush, rows

TABLE = EXAMPLES.requests["table"]

QUICK = {"X-Model-Id": "forecast-model-2"}


def tool(permission: Permission | None) -> Endpoint:
    done = {204: Success("Done.")}
    tag = Tag("Shelves", "Of a test.")
    return Endpoint(
        "PUT",
        "/shelf",
        permission=permission,
        tag=tag,
        description="",
        successes=done,
        tool=f"needs_{permission}",
    )


def test_a_key_sees_the_tools_that_it_may_call_and_no_other() -> None:
    needed = (None, *Permission)
    tools = make_tools(
        {f"shelves.{permission}": tool(permission) for permission in needed}
    ).values()
    for granted in ({Permission.READ}, {Permission.READ, Permission.WRITE}, set()):
        permitted = permitted_tools(tools, frozenset(granted))
        assert {permitted_tool.endpoint.permission for permitted_tool in permitted} == {
            None,
            *granted,
        }
        assert all(
            permitted_tool.as_json()["annotations"]["readOnlyHint"] for permitted_tool in permitted
        ) == (Permission.WRITE not in granted)


def test_only_tools_that_take_a_series_offer_a_chart(shared_app: Flask) -> None:
    endpoint = dataclasses.replace(tool(None), body=Schema.from_dict({"name": fields.String()})())
    tools = {**make_tools({"shelves.put": endpoint}), **make_tools(endpoints_of(shared_app))}
    charting = {name for name, made in tools.items() if "chart" in made.schema["properties"]}
    assert charting == {"forecast", "backtest", "detect_anomalies"}
    assert "name" in tools[endpoint.tool].schema["properties"]


@pytest.mark.parametrize(
    ("permission", "names"),
    [
        ("write", ["read_table"]),
        (
            "read",
            [
                "forecast", "backtest", "detect_anomalies", "read_table",
                "monitor_events", "list_monitors",
            ],
        ),
    ],
)  # fmt: skip
def test_a_key_that_may_not_read_sees_no_tool_that_reads(
    app: Flask, make_key: Callable[..., str], permission: str, names: list[str]
) -> None:
    caller = Api(app, make_key(permission))
    descriptions = call_method(caller, "tools/list")["result"]["tools"]
    assert [described["name"] for described in descriptions] == names
    assert all(described["annotations"]["readOnlyHint"] for described in descriptions)


def test_a_key_without_the_permission_gets_the_endpoint_s_error(
    app: Flask, make_key: Callable[..., str]
) -> None:
    result = call(Api(app, make_key("write")), "list_monitors")
    assert result["isError"]
    assert result["content"][0]["text"] == (
        "API key lacks the permission read; send a key that has it."
    )


@pytest.mark.parametrize(
    ("name", "arguments", "cost"),
    [
        ("forecast", daily_body() | QUICK, 1),
        ("forecast", daily_body() | {"confidence": 7}, 1),
        ("read_table", {"table": TABLE}, 0),
        ("list_monitors", {}, 1),
        ("monitor_events", {"name": "nobody"}, 1),
    ],
)
def test_a_call_counts_as_a_request_to_its_endpoint(
    isolated_api: Api, name: str, arguments: dict, cost: int
) -> None:
    before = int(isolated_api.verify().headers["X-RateLimit-Remaining"])
    response = send(isolated_api, request("tools/call", name=name, arguments=arguments))
    assert int(response.headers["X-RateLimit-Remaining"]) == before - cost


@pytest.mark.parametrize("settings", [{"pages_per_minute": 2}])
def test_tables_that_are_read_have_the_limit_of_their_endpoint(isolated_api: Api) -> None:
    message = request("tools/call", name="read_table", arguments={"table": TABLE})
    responses = [send(isolated_api, message) for _ in range(3)]
    assert [response.status_code for response in responses] == [200, 200, 429]
    assert responses[-1].get_json()["error"]["data"]["limit"] == 2
    assert int(responses[-1].headers["Retry-After"]) <= 60


def test_usage_has_a_call_under_its_endpoint_with_its_status(
    app: Flask, engine: Engine, key: str
) -> None:
    caller = Api(app, key)
    call(caller, "list_monitors")
    call(caller, "monitor_events", name="nobody")
    call_method(caller, "ping")
    flush(app)
    assert {row[3:] for row in rows(engine, UsageHour)} == {
        ("GET /monitors", 2, 1),
        ("GET /monitors/{name}/events", 4, 1),
        ("POST /mcp", 2, 1),
    }
    assert record_of(app, key).usage_count == 3


def test_a_remark_on_a_table_comes_with_its_suggestion(isolated_api: Api) -> None:
    months = "".join(f"2024-{month:02},{month}\n" for month in range(1, 12))
    text = text_of(isolated_api, "read_table", table=f"month,sales\n{months}2024-12 (p),12")
    assert "read like the others. If they are plans, send until=2024-11-01." in text


def test_a_long_table_comes_in_parts_of_at_most_60_rows(isolated_api: Api) -> None:
    days = daily_body(points=150)["series"][0]
    table = "day,sales\n" + "\n".join(
        f"{time[:10]},{value:.2f}"
        for time, value in zip(days["timestamps"], days["values"], strict=True)
    )
    seen, after = [], 0
    while True:
        text = text_of(isolated_api, "read_table", table=table, rows_after=after)
        shown = [line for line in text.splitlines() if line.startswith("sales,")]
        assert 0 < len(shown) <= MAX_RESULT_ROWS
        seen += shown
        if "rows_after " not in text:
            break
        after = int(text.rpartition("rows_after ")[2].rstrip("."))
    assert [line.split(",")[1] for line in seen] == days["timestamps"]
    assert len({*seen}) == 150


def test_a_forecast_of_100_periods_is_cut_and_the_sentence_covers_all(isolated_api: Api) -> None:
    body = daily_body() | {"forecast_horizon": 100} | QUICK
    text = text_of(isolated_api, "forecast", **body)
    assert text.startswith("Fast: 100 forecasts, ")
    assert text.endswith("Rows 1 to 60 of 100; the next: the same call with rows_after 60.")
    rest = text_of(isolated_api, "forecast", **body, rows_after=60)
    assert len(rest.partition("\n\n")[2].splitlines()) == 41


def test_a_backtest_begins_with_the_best_model_and_the_baseline(isolated_api: Api) -> None:
    body = daily_body() | {"models": ["forecast-model-2"], "windows": 3}
    text, _, table = text_of(isolated_api, "backtest", **body).partition("\n\n")
    errors = {row["model_id"]: row["mae"] for row in csv.DictReader(table.splitlines())}
    assert text.splitlines()[0] == (
        f"Best of the models by mae: Fast {errors['forecast-model-2']}; seasonal naive "
        f"{errors['seasonal_naive']}; 3 windows."
    )


def test_events_come_in_pages_by_the_endpoint_s_cursor(isolated_api: Api) -> None:
    monitor = Monitor.create(isolated_api)
    values = noise_at_100(LEARNED + 100)
    values[LEARNED::25] = [200, 260, 340, 450]
    monitor.append(values)
    stored = monitor.get("/events")["events"]
    assert len(stored) >= 3
    text = text_of(isolated_api, "monitor_events", name=monitor.name, limit=1)
    after = int(text.rpartition("after ")[2].rstrip("."))
    assert after == stored[0]["cursor"]
    rest = text_of(isolated_api, "monitor_events", name=monitor.name, after=after, limit=1000)
    shown = [line.split(",")[0] for line in rest.partition("\n\n")[2].splitlines()[1:]]
    assert shown == [str(event["id"]) for event in stored[1:]]


def test_a_name_with_a_slash_leads_to_no_other_endpoint(isolated_api: Api) -> None:
    result = call(isolated_api, "monitor_events", name="../keys")
    assert result["isError"]
    assert "there is no monitor '../keys'" in result["content"][0]["text"]


def test_an_unknown_argument_of_a_tool_gets_all_those_that_are_known(isolated_api: Api) -> None:
    body = detection_body(daily_body()) | {"horizon": 3}
    text = call(isolated_api, "detect_anomalies", **body)["content"][0]["text"]
    assert "horizon: unknown field: remove it" in text
    assert "; known are series, data_frequency, " in text
    assert text.endswith(", rows_after, chart")
    text = call(isolated_api, "forecast", **daily_body(), horizont=3)["content"][0]["text"]
    assert text.count("; known are ") == text.count("X-Model-Id") == text.count("X-Holidays") == 1
    text = call(isolated_api, "read_table", table=TABLE, colour="red")["content"][0]["text"]
    assert "colour: unknown parameter: remove it or check its spelling; known are table," in text


def test_an_unknown_field_of_a_series_gets_those_of_a_series(isolated_api: Api) -> None:
    body = daily_body()
    body["series"] = [body["series"][0] | {"colour": "red"}]
    text = call(isolated_api, "forecast", **body)["content"][0]["text"]
    assert text.endswith("known are timestamps, values")


@pytest.mark.parametrize(
    ("tool_name", "arguments", "issue"),
    [
        ("read_table", {"table": TABLE, "columns": "%" * 8_000}, "send at most 8,000"),
        ("read_table", {"table": TABLE, "columns": ["a"] * 1_001}, "send at most 8,000"),
        ("read_table", {"table": TABLE, "columns": [{}] * 20_000}, "has 60,001 bytes"),
        ("forecast", {"chart": [{}] * 20_000}, "has 60,001 bytes"),
        ("forecast", {"X-Model-Id": "x" * 8_001}, "have 8,001 characters"),
        ("monitor_events", {"name": "/" * 8_001}, "send at most 8,000"),
    ],
)
def test_arguments_of_path_query_and_headers_are_bounded(
    isolated_api: Api, tool_name: str, arguments: dict[str, object], issue: str
) -> None:
    error = call_method(isolated_api, "tools/call", name=tool_name, arguments=arguments)["error"]
    assert (error["code"], issue in error["message"]) == (-32602, True), error


def test_a_call_with_more_arguments_than_any_tool_takes_is_rejected(isolated_api: Api) -> None:
    sent = request("tools/call", name="list_monitors", arguments={f"x{n}": 0 for n in range(101)})
    response = send(isolated_api, sent)
    error = response.get_json()["error"]
    assert (response.status_code, error["code"]) == (400, -32600)
    assert error["message"] == "params: arguments: Must have at most 100 fields, not 101"


def test_a_header_is_an_argument_and_its_error_has_the_same_words(isolated_api: Api) -> None:
    asked = daily_body() | {"X-Model-Id": "gpt"}
    issue = isolated_api.forecast(daily_body(), X_Model_Id="gpt").get_json()["error"]["details"][
        "issue"
    ]
    assert issue in call(isolated_api, "forecast", **asked)["content"][0]["text"]


def test_the_open_question_of_a_table_is_asked_and_settled(isolated_api: Api) -> None:
    table = "day,sales\n" + "\n".join(f"0{n}/0{n}/2024,{n}" for n in range(1, 9))
    text = text_of(isolated_api, "read_table", table=table)
    assert text.startswith("Nothing is read yet")
    assert "date_order" in text
    assert "1 series read." in text_of(
        isolated_api, "read_table", table=table, date_order="day-first", columns=["sales"]
    )


@pytest.mark.parametrize(
    ("tool_name", "arguments", "missing"),
    [
        ("read_table", {}, "table"),
        ("read_table", {"text": "date,v"}, "table"),
        ("read_table", {"table": None}, "table"),
        ("monitor_events", {}, "name"),
        ("monitor_events", {"monitor": "cpu"}, "name"),
    ],
)
def test_a_call_without_the_table_or_the_name_says_which_argument_is_missing(
    isolated_api: Api, tool_name: str, arguments: dict[str, object], missing: str
) -> None:
    error = call_method(isolated_api, "tools/call", name=tool_name, arguments=arguments)["error"]
    assert error["code"] == -32602
    assert error["message"].startswith(f"{missing}: missing: send it; the arguments are {missing},")


def test_a_tool_with_a_table_and_a_name_needs_both() -> None:
    variables = Schema.from_dict({"name": fields.String()})()
    endpoint = dataclasses.replace(
        tool(None), path="/shelf/<name>", body=FileBody(("text/csv",)), variables=variables
    )
    (with_both,) = make_tools({"shelf": endpoint}).values()
    with pytest.raises(RpcError, match="name: missing"):
        read_arguments(with_both, {"table": b'"a,b"'})
