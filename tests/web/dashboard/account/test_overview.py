"""The overview: limits now, calls over time, what fails and why, keys that need attention."""

import html
import json
import re
import shlex
from collections.abc import Callable
from typing import Any

import pytest
from flask import Flask
from flask.testing import FlaskClient
from sqlalchemy import Engine

from app.api.examples.recorded import REQUEST
from tests.support.keys import bearer, change_tier, make_account, post, remaining_requests
from tests.support.members import Browser, sign_in, text_of
from tests.support.series import with_a_season
from tests.support.statements import record
from tests.support.usage import flush
from tests.web.dashboard.keys.keyring import make, time_ago

MAX_STATEMENTS = 16


def test_an_account_without_keys_is_asked_to_create_one(admin: Browser) -> None:
    page = admin.get("/account")
    assert page.status_code == 200
    assert "Create a key" in text_of(page)
    assert 'href="/account/keys/new"' in page.get_data(as_text=True)


@pytest.mark.parametrize(
    "path", ["/account", "/account/sources", "/account/monitors", "/account/keys"]
)
def test_every_page_says_how_many_alerts_are_open_and_leads_to_them(
    viewer: Browser, create_monitor_with_points: Callable[..., None], path: str
) -> None:
    assert "open alert" not in text_of(viewer.get(path))
    values = [*with_a_season(100, period=24)]
    create_monitor_with_points("calm", values)
    values[-1] += 500
    create_monitor_with_points("bad", values)
    create_monitor_with_points("worse", values)
    create_monitor_with_points("quiet", values, alert_min_deviation=1e6)
    page = viewer.get(path)
    assert "2 open alerts" in text_of(page)
    alert_page = viewer.get(re.findall('href="([^"]*)">2 open alerts', page.text)[0])
    assert re.findall('data-monitor="([^"]*)"', alert_page.text) == ["bad", "worse"]
    assert "1 alert of 1" in text_of(alert_page)


def test_a_viewer_without_keys_sees_whom_to_ask(viewer: Browser) -> None:
    page = viewer.get("/account")
    assert "Ask an admin of this account" in text_of(page)
    assert "/account/keys/new" not in page.get_data(as_text=True)


def test_an_account_that_never_called_gets_a_call_for_this_address(
    app: Flask, admin: Browser
) -> None:
    make(app)
    text = admin.get("/account", base_url="http://localhost").get_data(as_text=True)
    assert "No calls yet" in text
    command = shlex.split(html.unescape(re.findall("curl -s [^<]*", text)[0].replace("\\\n", "")))
    assert command[2] == "http://localhost/forecast"
    assert json.loads(command[-1]) == REQUEST


def test_calls_show_by_outcome_with_what_they_took(
    app: Flask, admin: Browser, client: FlaskClient
) -> None:
    _, key = make(app, "shop")
    for _ in range(3):
        assert client.get("/verify", headers=bearer(key)).status_code == 200
    assert post(client, key).status_code == 400
    flush(app)
    for chosen in ("24h", "7d", "90d"):
        page = admin.get(f"/account?range={chosen}")
        text = text_of(page)
        assert "3 Succeeded (2xx)" in text
        assert "a call with many series counts once for each 100 forecasts" in text
        assert "1 Invalid (4xx)" in text
        assert "0 Failed (5xx)" in text
        assert "75.0 %" in text
        assert '<rect class="succeeded"' in page.get_data(as_text=True)
    assert "4 calls today" in text
    assert "No calls yet" not in text


def test_failures_show_their_endpoint_and_what_to_do(
    app: Flask, admin: Browser, client: FlaskClient
) -> None:
    _, key = make(app)
    post(client, key, {"series": [], "forecast_horizon": 5})
    flush(app)
    text = text_of(admin.get("/account"))
    assert "400 POST /forecast" in text
    assert "Example" in text
    assert "Send " in text


def test_failures_name_only_the_keys_that_sent_them(
    app: Flask, admin: Browser, client: FlaskClient
) -> None:
    for label, number in (("shop", 1), ("till", 2), ("good", 0)):
        _, key = make(app, label)
        for _ in range(number):
            post(client, key, {"series": [], "forecast_horizon": 5})
    flush(app)
    page = admin.get("/account").get_data(as_text=True)
    failures = page[page.index('id="failures-title"') :]
    assert 0 < failures.index("with <a") < failures.index(">till</a>") < failures.index(">shop</a>")
    assert "good" not in failures


def test_the_limits_of_a_tier_are_read_and_not_counted(app: Flask, client: FlaskClient) -> None:
    make_account(app, "acme", "free")
    _, key = make(app, account="acme")
    post(client, key)
    browser = sign_in(app, account="acme")
    before = remaining_requests(client, key)
    for _ in range(2):
        text = text_of(browser.get("/account"))
        assert "Minute 1 of 10" in text
        assert "Hour 1 of 100" in text
        assert "Day 1 of 1,000" in text
    assert remaining_requests(client, key) == before == 9


def test_without_a_tier_the_busiest_keys_show_their_own_limits(
    app: Flask, admin: Browser, client: FlaskClient
) -> None:
    _, quiet = make(app, "quiet")
    _, busy = make(app, "busy")
    post(client, busy)
    flush(app)
    text = text_of(admin.get("/account"))
    assert "busy" in text
    assert "Minute 1 of 50" in text
    assert "quiet" not in text
    assert remaining_requests(client, quiet) == 50


def test_a_window_that_is_full_says_so(app: Flask, client: FlaskClient) -> None:
    make_account(app, "acme", "enterprise", 1, 5, 9)
    _, key = make(app, account="acme")
    post(client, key)
    text = text_of(sign_in(app, account="acme").get("/account"))
    assert "Minute 1 of 1 calls get 429; resets in" in text


def test_a_changed_tier_shows_immediately(app: Flask, admin: Browser) -> None:
    make(app)
    change_tier(app, "default", "premium")
    assert "Tier Premium" in text_of(admin.get("/account"))


@pytest.mark.parametrize(
    ("columns", "permissions", "warning"),
    [
        ({"expires_at": time_ago(days=-13)}, "read", "expires in 13 days"),
        (
            {"created_at": time_ago(days=200), "last_used_at": time_ago(days=91)},
            "read",
            "not used for 90",
        ),
        ({"created_at": time_ago(days=91)}, "read", "not used for 90 days"),
        ({"expires_at": time_ago(days=-15)}, "read", None),
        ({"created_at": time_ago(days=89)}, "read", None),
        ({"expires_at": time_ago(days=1)}, "read", None),
        ({"created_at": time_ago(days=200), "revoked_at": time_ago(days=1)}, "read", None),
    ],
)
def test_keys_that_need_attention_are_listed(
    app: Flask, admin: Browser, columns: dict[str, Any], permissions: str, warning: str | None
) -> None:
    make(app, "the one", permissions, **columns)
    text = text_of(admin.get("/account"))
    assert ("Keys that need attention" in text) is (warning is not None)
    assert warning is None or warning in text


@pytest.mark.parametrize(
    ("permissions", "addresses", "warned"),
    [("admin", 6, True), ("admin", 5, False), ("read", 6, False)],
)
def test_an_admin_key_of_many_addresses_is_named(
    app: Flask, admin: Browser, client: FlaskClient, permissions: str, addresses: int, warned: bool
) -> None:
    _, key = make(app, "deploy", permissions)
    for number in range(addresses):
        options = {"environ_base": {"REMOTE_ADDR": f"192.0.2.{number}"}}
        client.get("/verify", headers=bearer(key), **options)
    flush(app)
    text = text_of(admin.get("/account"))
    assert ("admin key used from 6 addresses" in text) is warned


def test_calls_and_keys_of_another_account_are_not_shown(app: Flask, client: FlaskClient) -> None:
    make_account(app, "acme", None)
    _, key = make(app, "secret project")
    post(client, key)
    flush(app)
    text = text_of(sign_in(app, account="acme").get("/account?range=90d"))
    assert "secret project" not in text
    assert "0 calls today" in text
    assert "No calls in this period" in text


@pytest.mark.parametrize("chosen", ["", "1y", "24h' OR 1", "9" * 10_000])
def test_an_unknown_range_is_the_usual_one(admin: Browser, chosen: str) -> None:
    page = admin.get("/account", query_string={"range": chosen})
    assert page.status_code == 200
    assert "Calls in the last 24 hours" in text_of(page)


def test_the_statements_do_not_grow_with_the_keys(
    app: Flask, admin: Browser, engine: Engine
) -> None:
    for number in range(30):
        make(app, f"key {number}")
    engine.dispose()
    seen = record(engine)
    for path in ("/account", "/account/keys"):
        admin.get(path)
        seen.clear()
        assert admin.get(path).status_code == 200
        assert seen.asked().statements <= MAX_STATEMENTS


class TestWithoutPublicDocs:
    @pytest.fixture
    def settings(self) -> dict[str, object]:
        return {"public_docs": False}

    def test_remedies_show_without_links_to_pages_that_are_not_there(
        self, app: Flask, admin: Browser, client: FlaskClient
    ) -> None:
        _, key = make(app)
        post(client, key)
        flush(app)
        page = admin.get("/account")
        assert page.status_code == 200
        assert "Send " in text_of(page)
        assert "/docs/errors" not in page.get_data(as_text=True)
