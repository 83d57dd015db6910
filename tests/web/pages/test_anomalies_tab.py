"""The tab for anomalies in a real browser, against the live service with real keys."""

import csv
import datetime as dt
import io
import json
import re

import pytest
from playwright.sync_api import Page, Route, expect

from app.anomalies.results import EventKind
from tests.support.browser import Watch
from tests.web.pages.detecting import ENDPOINT, SHOWN_RANGE, detect, flags, requests_of, trace
from tests.web.pages.playing import (
    DEFAULT_RATE_STEP,
    code_request,
    code_requests,
    download,
    draw,
    paste,
    run,
    submit,
)

pytestmark = pytest.mark.services


RANGE = "(() => document.getElementById('chart').layout.xaxis.range)"


def press_on_slider(page: Page, share: float) -> None:
    """Press a mouse button at a fraction of the slider, and hold it."""
    slider = page.locator("#rate")
    box = slider.bounding_box()
    # This waits until the page has scrolled to the result.
    slider.hover(position={"x": share * box["width"], "y": box["height"] / 2})
    page.mouse.down()


def respond_with_every_kind(route: Route) -> None:
    """Respond with an event of each kind and two changes of the level."""
    series = json.loads(route.request.post_data)["series"][0]
    times, values = series["timestamps"], series["values"]
    n = len(values)
    events = [
        {
            "start": times[100 * i],
            "end": times[100 * i + 10 * (i % 3)],
            "kind": kind,
            "direction": "up",
            "peak_timestamp": times[100 * i],
            "severity": 20.0 * i,
        }
        for i, kind in enumerate(EventKind)
    ]
    changes = [
        {"timestamp": times[index], "before": 900.0, "after": 950.0, "p_value": 0.0001}
        for index in (200, 600)
    ]
    body = {
        "timestamps": times,
        "is_anomaly": [i % 100 == 0 for i in range(n)],
        "expected": values,
        "lower_bound": [value - 10 for value in values],
        "upper_bound": [value + 10 for value in values],
        "p_value": [0.0001 if i % 100 == 0 else 0.05 for i in range(n)],
        "severity": [50.0] * n,
        "events": events,
        "change_points": changes,
        "periods": [24, 168],
    }
    route.fulfill(json=body, headers={"X-Forecast-Notice": "no more than a fixture"})


def test_another_series_is_shown_from_its_beginning_to_its_end(anomalies: Page) -> None:
    expect(anomalies.locator("#fact-last")).to_have_text("2026-04-05 23:00")
    anomalies.wait_for_function(f"{RANGE}()[1] > '2026-04-05'")
    first, last = anomalies.evaluate(f"{RANGE}()")
    assert "2026-03-01" <= first < "2026-03-02"
    assert "2026-04-06" <= last < "2026-04-07"


def test_flagged_points_and_events_are_drawn_and_listed(anomalies, live_key) -> None:
    draw(anomalies)
    response = detect(anomalies, live_key)
    flagged = sum(response["is_anomaly"])
    assert flagged > 0
    assert flags(anomalies) == flagged
    assert anomalies.locator("#chart .point").count() == flagged
    assert trace(anomalies, "Lower bound")["y"] == response["lower_bound"]
    assert trace(anomalies, "Upper bound")["y"] == response["upper_bound"]
    assert trace(anomalies, "Expected")["y"] == response["expected"]
    expect(anomalies.locator("#event-list li")).to_have_count(len(response["events"]))
    expect(anomalies.locator("#change-list li")).to_have_count(len(response["change_points"]))
    expect(anomalies.locator("#table tbody tr")).to_have_count(flagged)
    expect(anomalies.locator("#legend")).to_contain_text(f"{flagged} of 840 points")
    expect(anomalies.locator("#limits")).to_contain_text("of 1000000 requests left until")


def test_each_kind_of_event_and_each_change_has_its_place(anomalies, live_key) -> None:
    anomalies.route(ENDPOINT, respond_with_every_kind)
    submit(anomalies, live_key)
    names = ["Spike", "Dip", "Burst up", "Level shift up", "Flat run"]
    expect(anomalies.locator("#event-list strong")).to_have_text(names)
    expect(anomalies.locator("#change-list li")).to_have_count(2)
    expect(anomalies.locator("#legend .notice")).to_have_text("no more than a fixture")
    expect(anomalies.locator("#legend")).to_contain_text("seasons of 24 and 168 points")
    for name in ("Spike", "Dip", "Burst", "Level shift", "Flat run"):
        assert len(trace(anomalies, name)["x"]) == 5
    assert len(trace(anomalies, "Change points")["x"]) == 2 * 3
    assert set(trace(anomalies, "Level")["y"]) == {900, 950, None}
    anomalies.get_by_role("button", name="Burst up").click()
    first, last = anomalies.locator("#chart").evaluate(SHOWN_RANGE)
    assert "2026-03-07" <= first <= "2026-03-10" <= last <= "2026-03-13"
    anomalies.get_by_role("button", name="Change point").last.click()
    first, last = anomalies.locator("#chart").evaluate(SHOWN_RANGE)
    assert "2026-03-24" <= first <= "2026-03-27" <= last <= "2026-03-29"


def test_numbers_about_a_table_with_decimal_commas_have_its_marks(anomalies, live_key) -> None:
    values = [100 * i % 7 + (9_000 if i >= 40 else 1_000) + 0.5 for i in range(80)]
    rows = [f"{dt.date(2024, 1, 1) + dt.timedelta(i)};{value}" for i, value in enumerate(values)]
    paste(anomalies, "\n".join(["Tag;Umsatz", *rows]).replace(".", ","))
    detect(anomalies, live_key)
    level = anomalies.locator("#change-list li").first
    expect(level).to_contain_text(re.compile(r"level 1\u202f\d{3},\d+ → 9\u202f\d{3},\d+"))
    expect(level).to_contain_text("by chance < 1 in 1\u202f000\u202f000")
    for cell in anomalies.locator("#table tbody td").all_text_contents():
        assert "." not in cell
    legend = anomalies.locator("#legend")
    expect(legend).to_contain_text("1 in 1\u202f000 points")
    expect(legend).to_contain_text("in a usual series about 0,08")
    expect(anomalies.locator("#table caption")).to_contain_text("flagged at 1 in 1\u202f000 points")
    expect(anomalies.locator("#rate-text")).to_have_text("1 in 1\u202f000 points, 0,1 %")
    anomalies.locator("#rate").evaluate(
        "rate => { rate.value = 9; rate.dispatchEvent(new Event('input')); }"
    )
    expect(anomalies.locator("#status")).to_contain_text("those at 1 in 1\u202f000 points.")


def test_the_slider_redraws_immediately_and_sends_a_request_when_released(
    anomalies, live_key, watch: Watch
) -> None:
    response = detect(anomalies, live_key)
    band = trace(anomalies, "Upper bound")["y"]
    press_on_slider(anomalies, 0.99)
    expected = sum(p < 0.1 for p in response["p_value"])
    expect(anomalies.locator("#legend")).to_contain_text(f"{expected} of 840 points")
    expect(anomalies.locator("#legend")).to_contain_text("redrawn from the last response")
    assert expected > sum(response["is_anomaly"])
    assert flags(anomalies) == expected
    assert trace(anomalies, "Upper bound")["y"][0] < band[0]
    events = anomalies.locator("#event-list li").count()
    assert events == len(response["events"])
    assert requests_of(watch) == 1
    with anomalies.expect_response(ENDPOINT) as released:
        anomalies.mouse.up()
    exact = released.value.json()
    assert released.value.request.post_data_json["false_alarm_rate"] == 0.1
    expect(anomalies.locator("#event-list li")).to_have_count(len(exact["events"]))
    expect(anomalies.locator("#legend")).not_to_contain_text("redrawn")
    expect(anomalies.locator("#go")).to_be_enabled()
    assert flags(anomalies) == sum(exact["is_anomaly"])
    assert trace(anomalies, "Upper bound")["y"] == exact["upper_bound"]
    assert requests_of(watch) == 2
    # A request with a response is not sent again.
    anomalies.fill("#rate", str(DEFAULT_RATE_STEP))
    expect(anomalies.locator("#legend")).not_to_contain_text("redrawn")
    assert flags(anomalies) == sum(response["is_anomaly"])
    assert requests_of(watch) == 2


def test_keys_that_move_the_slider_cost_one_request_together(
    anomalies, live_key, watch: Watch
) -> None:
    detect(anomalies, live_key)
    anomalies.focus("#rate")
    with anomalies.expect_response(ENDPOINT) as response:
        for _ in range(3):
            anomalies.keyboard.press("ArrowRight")
    assert response.value.request.post_data_json["false_alarm_rate"] == 0.0025
    expect(anomalies.locator("#rate")).to_have_attribute(
        "aria-valuetext", "1 in 400 points, 0.25 %"
    )
    expect(anomalies.locator("#status")).to_contain_text("flagged")
    expect(anomalies.locator("#rate")).to_be_focused()
    assert requests_of(watch) == 2


def test_a_slider_that_is_moved_before_anything_was_asked_costs_nothing(
    anomalies, watch: Watch
) -> None:
    anomalies.fill("#rate", "9")
    expect(anomalies.locator("#rate-text")).to_have_text("1 in 500 points, 0.2 %")
    expect(anomalies.locator("#code")).to_contain_text('"false_alarm_rate": 0.002')
    assert requests_of(watch) == 0


def test_only_the_last_point_is_judged_and_shown(anomalies, live_key) -> None:
    anomalies.select_option("#detect", label="the last point")
    response = detect(anomalies, live_key)
    assert len(response["timestamps"]) == 1
    expect(anomalies.locator("#table tbody tr")).to_have_count(1)
    expect(anomalies.locator("#table caption")).to_contain_text("The last point")
    assert trace(anomalies, "Expected") == {"x": ["2026-04-05T23:00:00"], "y": response["expected"]}


def test_a_direction_leaves_the_other_side_out(anomalies, live_key) -> None:
    anomalies.select_option("#direction", "down")
    response = detect(anomalies, live_key)
    flagged = trace(anomalies, "Flagged")
    assert len(flagged["x"]) == sum(response["is_anomaly"])
    series = dict(zip(response["timestamps"], response["lower_bound"], strict=True))
    assert all(y < series[x] for x, y in zip(flagged["x"], flagged["y"], strict=True))


def test_other_settings_leave_no_old_detection_on_the_page(anomalies, live_key) -> None:
    detect(anomalies, live_key)
    anomalies.select_option("#direction", "up")
    expect(anomalies.locator("#happened")).to_be_hidden()
    expect(anomalies.locator("#numbers")).to_be_hidden()
    expect(anomalies.locator("#status")).to_be_empty()
    assert trace(anomalies, "Expected") is None


def test_everything_can_be_done_with_the_keyboard(anomalies, live_key) -> None:
    anomalies.focus("#frequency")
    for control in ("detect", "direction", "key"):
        anomalies.keyboard.press("Tab")
        expect(anomalies.locator(f"#{control}")).to_be_focused()
    anomalies.keyboard.type(live_key)
    anomalies.keyboard.press("Enter")
    expect(anomalies.locator("#status")).to_contain_text("flagged")
    anomalies.focus("#rate")
    for control in ("picture-title", "png", "svg"):
        anomalies.keyboard.press("Tab")
        expect(anomalies.locator(f"#{control}")).to_be_focused()
    anomalies.keyboard.press("Tab")
    expect(anomalies.locator("#event-list button").first).to_be_focused()
    before = anomalies.locator("#chart").evaluate(SHOWN_RANGE)
    anomalies.keyboard.press("Enter")
    assert anomalies.locator("#chart").evaluate(SHOWN_RANGE) != before


def test_the_download_has_every_point(anomalies, live_key) -> None:
    response = detect(anomalies, live_key)
    name, content = download(anomalies, "download")
    rows = list(csv.DictReader(io.StringIO(content.decode())))
    assert name == "requests-hourly-with-incidents-anomalies.csv"
    # Dates and digits are as in the data.
    for row, timestamp in zip(rows, response["timestamps"], strict=True):
        written = row["timestamp"].replace(" ", "T")
        assert timestamp.startswith(written)
        assert len(written) >= len("2026-03-02")
    for name in ("lower_bound", "expected", "upper_bound"):
        assert [float(row[name]) for row in rows] == pytest.approx(
            response[name], abs=0.051
        )  # whole numbers
        assert max(len(row[name].partition(".")[2]) for row in rows) <= 5
    for name in ("p_value", "severity"):
        assert [float(row[name]) for row in rows] == pytest.approx(response[name], rel=1e-3)
    assert [row["is_anomaly"] == "true" for row in rows] == response["is_anomaly"]


def test_the_code_for_nixtla_s_sdk_runs_as_it_is_copied(anomalies, live_key) -> None:
    response = detect(anomalies, live_key)
    [(_, printed)] = run({"nixtla": code_request(anomalies, "nixtla")}, live_key)
    flagged = [
        t for t, flag in zip(response["timestamps"], response["is_anomaly"], strict=True) if flag
    ]
    rows = printed.decode().splitlines()[1:]
    assert len(rows) == len(flagged) > 0
    for row, time in zip(rows, flagged, strict=True):
        assert time.replace("T", " ") in row


def test_the_code_runs_as_it_is_copied(anomalies, live_key) -> None:
    response = detect(anomalies, live_key)
    snippets = code_requests(anomalies)
    for snippet in snippets.values():
        assert snippet.count("2026-03-02T00:00:00") == 1
        assert "X-Model-Id" not in snippet
    for language, printed in run(snippets, live_key):
        for event in response["events"]:
            assert event["start"].encode() in printed, language
