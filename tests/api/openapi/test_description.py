"""The text of GET /openapi.json has the real limits, statuses and settings."""

import re

import pytest
from flask import Flask

from app.api.errors.statuses import STATUSES, error_code
from app.identity.limits.tiers import LEVEL_ALLOWANCES, TIERS
from tests.support.api import Api
from tests.support.contract import Document


@pytest.mark.parametrize("table", [TIERS, LEVEL_ALLOWANCES])
def test_the_limits_are_in_the_text_as_they_are_in_force(document: Document, table) -> None:
    text = document["info"]["description"]
    for name, allowance in table.items():
        if allowance:
            per_minute, per_hour, per_day = (number for _window, number in allowance.windows())
            assert f"| {name} | {per_minute:,} | {per_hour:,} | {per_day:,} |" in text


@pytest.mark.parametrize("number", STATUSES)
def test_every_status_is_in_the_text_with_its_code_and_its_meaning(
    document: Document, number: int
) -> None:
    row = f"| {number} | `{error_code(number)}` | {STATUSES[number]} |"
    assert row in document["info"]["description"]


@pytest.mark.parametrize(
    "settings", [{"max_points": 123, "max_body_bytes": 54_321, "anonymous_per_minute": 77}]
)
def test_limits_that_are_settings_are_those_in_force(app: Flask) -> None:
    document = Api(app).request("GET", "/openapi.json").get_json()
    column = document["components"]["schemas"]["TimeSeries"]["properties"]["values"]
    assert column["maxItems"] == 123
    text = document["info"]["description"]
    for limit in ("10 to 123", "54,321 bytes", "77 a minute"):
        assert limit in text


def test_no_line_begins_as_an_entry_of_a_numbered_list_by_accident(document: Document) -> None:
    texts = [document["info"]["description"]]
    for path in document["paths"].values():
        texts += [operation.get("description", "") for operation in path.values()]
    lines = [line for text in texts for line in text.splitlines()]
    assert [line for line in lines if re.match(r"\d+[.)] ?", line)] == []


def test_an_event_of_a_replay_is_described_without_what_only_live_ones_have(
    document: Document,
) -> None:
    event = document["components"]["schemas"]["ReplayedEvent"]["properties"]
    assert event["deviation"]["type"] == "number"
    assert (event["direction"]["type"], event["direction"]["enum"]) == ("string", ["up", "down"])
    words = " ".join(field["description"] for field in event.values())
    assert not [word for word in ("overdue", "limit", "muted") if word in words]
