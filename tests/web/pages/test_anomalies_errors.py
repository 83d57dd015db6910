"""Errors of a detection are shown beside the control that caused them, in a real browser."""

import json

import pytest
from playwright.sync_api import Request, Route, expect

from tests.support.browser import Watch
from tests.support.keys import new_key
from tests.web.pages.detecting import ENDPOINT, detect, flags, requests_of
from tests.web.pages.playing import LINES, paste, submit

pytestmark = pytest.mark.services


def test_too_few_points_are_reported_without_a_request(anomalies, live_key, watch: Watch) -> None:
    paste(anomalies, "\n".join(LINES[:20]))
    submit(anomalies, live_key)
    expect(anomalies.locator("#text-error")).to_have_text("19 values: 20 or more are needed.")
    expect(anomalies.locator("#text")).to_be_focused()
    assert requests_of(watch) == 0


def test_a_limit_used_up_by_the_slider_is_reported_and_the_picture_stays(
    anomalies, server, watch
) -> None:
    response = detect(anomalies, new_key(server.environ["DATABASE_URL"], per_minute=1))
    anomalies.focus("#rate")
    anomalies.keyboard.press("End")
    expect(anomalies.locator("#key-error")).to_contain_text("is used up until")
    watch.expect_rejections(429)
    expect(anomalies.locator("#rate")).to_be_focused()
    assert flags(anomalies) == sum(p < 0.1 for p in response["p_value"])
    expect(anomalies.locator("#status")).to_contain_text("still those at 1 in 1,000 points")


def test_the_rate_is_shown_beside_the_slider(anomalies, live_key, watch) -> None:
    """The slider has no invalid rate, but an error of the service would be shown beside it."""

    def spoil(route: Route, request: Request) -> None:
        route.continue_(post_data=json.dumps(request.post_data_json | {"false_alarm_rate": 2}))

    anomalies.route(ENDPOINT, spoil)
    submit(anomalies, live_key)
    watch.expect_rejections(400)
    expect(anomalies.locator("#rate-error")).to_contain_text("send 0.01 for 1 %")
    expect(anomalies.locator("#rate")).to_be_focused()
