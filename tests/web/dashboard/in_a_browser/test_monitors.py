"""Monitors and audit of the dashboard in a real browser: the chart, the list, axe."""

import datetime as dt
import itertools
import subprocess

import pytest
from playwright.sync_api import expect

from tests.support.accessibility import DESK_SIZE, PHONE, PHONE_SIZE, violations
from tests.support.browser import watched_profile
from tests.support.programs import find_binary
from tests.support.series import with_a_season
from tests.support.server import Server
from tests.web.dashboard.in_a_browser.live_monitors import LEARNED_POINTS
from tests.web.dashboard.in_a_browser.member_pages import (
    BUSY,
    CHART_DRAWN,
    REFRESH_PAUSE,
    SHOWN_RANGE,
    CurrentMember,
    open_chart,
    requests_of,
)
from tests.web.pages.detecting import trace

pytestmark = pytest.mark.services


def test_the_chart_has_band_flags_late_points_and_gaps_and_needs_no_key(
    clocked_page, member
) -> None:
    page, watch = clocked_page
    open_chart(page)
    path = "/checkout-errors/points?order=desc&limit=300"
    points = member.monitors.get(path)["points"][::-1]
    judged = [point for point in points if point["status"] == "judged"]
    for name, field in {
        "Lower bound": "lower_bound",
        "Upper bound": "upper_bound",
        "Expected": "expected",
    }.items():
        assert trace(page, name)["y"] == [point[field] for point in judged]
    flagged = [point["timestamp"][:19] for point in points if point["is_anomaly"]]
    assert trace(page, "Flagged")["x"] == flagged != []
    late = [point["timestamp"][:19] for point in points if point["status"] == "late"]
    assert trace(page, "Late")["x"] == late != []
    assert trace(page, "History")["y"].count(None) == 1  # the line breaks where points are missing
    assert len(trace(page, "History")["y"]) == len(points) + 1
    legend = page.locator("#legend")
    expect(legend).to_contain_text("Late 1 point that came after newer ones")
    expect(legend).to_contain_text("Flagged, alert 2 points")
    expect(legend).to_contain_text("Expected, in its band 1 in 1,000 points")
    assert requests_of(watch) == ["/monitors/checkout-errors", "/monitors/checkout-errors/chart"]


def test_a_flagged_point_without_an_alert_does_not_look_like_an_alert(clocked_page, member) -> None:
    page, _watch = clocked_page
    values = [*with_a_season(100, period=24)]
    values[-20] += 500
    member.monitors.put("both")
    member.monitors.append("both", values[:-5], range(99, 4, -1))
    member.monitors.put("both", alert_min_deviation=1e6)
    values[-1] += 500
    member.monitors.append("both", values[-5:], range(4, -1, -1))
    open_chart(page, "both")
    drawn = page.locator("#chart").evaluate(
        """({ data }) => {
            const { text, marker } = data.find((trace) => trace.name === "Flagged");
            return text.map((words, i) => [words, marker.symbol[i], marker.color[i]]);
        }"""
    )
    legend = page.locator("#legend")
    expect(legend).to_contain_text("Flagged, alert 1 point")
    expect(legend).to_contain_text("Flagged, no alert 1 point")
    (alert, quiet) = drawn
    assert alert[:2] == ["Flagged", "triangle-up"]
    assert quiet[:2] == ["Flagged, no alert", "triangle-up-open"]
    assert alert[2] != quiet[2]


def test_the_forecast_of_a_monitor_is_drawn_with_its_limit(clocked_page, member) -> None:
    page, _watch = clocked_page
    member.monitors.put("disk", limit={"upper": 95, "horizon": 30})
    values = [40.0 + hour for hour in range(48)]
    member.monitors.append("disk", values, range(47, -1, -1))
    open_chart(page, "disk")
    reached = member.monitors.get("/disk/forecast")["reached"]["upper"]["p50"]
    words = f"above 95 from {reached[:16].replace('T', ' ')}, probability 100 %"
    expect(page.locator("#legend")).to_contain_text(words)
    assert trace(page, "Limit")["y"] == [95, 95]
    assert len(trace(page, "Forecast")["y"]) == 30


def test_points_that_are_learned_from_have_no_band(clocked_page) -> None:
    page, _watch = clocked_page
    open_chart(page, "search-latency")
    expect(page.locator("#legend")).to_contain_text("Learning 5 points, not judged yet")
    assert len(trace(page, "Learning")["x"]) == 5
    assert trace(page, "Expected") is None


def test_an_overdue_event_of_a_monitor_that_learns_is_drawn_after_its_newest_point(
    clocked_page, member
) -> None:
    page, _watch = clocked_page
    newest = member.monitors.get("/search-latency/points?order=desc&limit=1")["points"][0]
    hour = dt.datetime.fromisoformat(newest["timestamp"])
    start = (hour + dt.timedelta(hours=1)).strftime("%Y-%m-%dT%H:%M:%SZ")
    event = {"kind": "overdue", "severity": 1, "direction": None, "is_alert": True, "end": None}

    def add_event(route) -> None:
        data = route.fetch().json()
        data["events"] = [event | {"start": start, "peak_timestamp": start}]
        route.fulfill(json=data)

    page.route("**/search-latency/chart", add_event)
    open_chart(page, "search-latency")
    expect(page.locator("#legend")).to_contain_text("1 overdue; 1 alert")
    drawn = trace(page, "Overdue")
    half_hour = dt.timedelta(minutes=30)
    assert drawn["x"][0] == (hour + half_hour).strftime("%Y-%m-%dT%H:%M:%S")
    _, shown_to = page.locator("#chart").evaluate(SHOWN_RANGE)
    assert shown_to.replace(" ", "T")[:19] >= start[:19]


def test_an_event_zooms_the_chart_to_its_place(clocked_page, member) -> None:
    page, _watch = clocked_page
    open_chart(page)
    events = member.monitors.get("/checkout-errors/events?order=desc")["events"]
    entries = page.locator("#event-list li")
    expect(entries).to_have_count(len(events))
    expect(entries.first).to_contain_text("since")  # the open one
    before = page.locator("#chart").evaluate(SHOWN_RANGE)
    entries.first.locator("button").focus()
    page.keyboard.press("Enter")
    assert page.locator("#chart").evaluate(SHOWN_RANGE)[0] > before[0]


def test_alerts_stand_out_among_all_events(clocked_page, member) -> None:
    page, _watch = clocked_page
    monitors = member.monitors
    monitors.put("mixed", alert_min_deviation=30)
    values = with_a_season(LEARNED_POINTS, period=24)
    values[320] += 20
    values[350] += 80
    monitors.append("mixed", values, range(LEARNED_POINTS - 1, -1, -1))
    events = monitors.get("/mixed/events?order=desc")["events"]
    assert {event["is_alert"] for event in events} == {True, False}
    open_chart(page, "mixed")
    entries = page.locator("#event-list li")
    expect(entries).to_have_count(len(events))
    for entry, event in zip(entries.all(), events, strict=True):
        expect(entry.locator("mark")).to_have_count(int(event["is_alert"]))
        weight = entry.locator("strong").evaluate("name => getComputedStyle(name).fontWeight")
        assert weight == ("600" if event["is_alert"] else "400")
    # Only alerts are named in the chart, beside their peak.
    (alert,) = [event for event in events if event["is_alert"]]
    names = trace(page, "Events")
    assert names["y"] == [values[350]]
    assert names["x"] == [alert["peak_timestamp"][:19]]
    assert trace(page, "Spike, no alert") is not None


def test_the_name_of_an_event_at_the_right_edge_of_the_chart_is_on_its_left(
    clocked_page, member
) -> None:
    page, _watch = clocked_page
    member.monitors.put("edge")
    values = with_a_season(51, period=24)
    values[-2] += 80
    appended = member.monitors.append("edge", values, range(50, -1, -1))
    assert appended["status"][-4:] == ["learning", "judged", "judged", "judged"]
    open_chart(page, "edge")
    positions = "chart => chart.data.find(({ name }) => name === 'Events').textposition"
    assert page.locator("#chart").evaluate(positions) == ["top left"]


def test_an_event_after_learning_anew_is_named_at_its_peak(clocked_page, member) -> None:
    page, _watch = clocked_page
    member.monitors.put("restarted")
    values = [*with_a_season(240, period=24)]
    values[-10] += 80
    member.monitors.append("restarted", values[:120], range(299, 179, -1))
    member.monitors.append("restarted", values[120:], range(119, -1, -1))
    (event,) = member.monitors.get("/restarted/events")["events"]
    open_chart(page, "restarted")
    assert trace(page, "Events")["x"] == [event["peak_timestamp"][:19]]


def test_the_axis_follows_the_values_and_not_the_band_of_the_first_days(
    clocked_page, member
) -> None:
    page, _watch = clocked_page
    open_chart(page)
    chart_url = "**/checkout-errors/chart"

    def widen(route) -> None:
        data = route.fetch().json()
        for point in data["points"][:40]:
            if point["upper_bound"] is not None:
                point["lower_bound"], point["upper_bound"] = -2300, 2300
        route.fulfill(json=data)

    axis = "chart => chart.layout.yaxis.range"
    low, high = page.locator("#chart").evaluate(axis)
    page.route(chart_url, widen)
    open_chart(page)
    wide_low, wide_high = page.locator("#chart").evaluate(axis)
    assert min(trace(page, "Lower bound")["y"]) == -2300
    assert wide_high - wide_low < 1.5 * (high - low)


@pytest.mark.parametrize("size", [PHONE_SIZE, DESK_SIZE], ids=["phone", "desk"])
def test_names_of_events_do_not_overlap(clocked_page, size) -> None:
    page, _watch = clocked_page

    def add_events(route) -> None:
        data = route.fetch().json()
        indices = (3, 10, 16, 120, 126, 150, 200, 280, 297)
        times = [data["points"][index]["timestamp"] for index in indices]
        data["events"] = [
            {"kind": "level_shift", "severity": 60 + i, "direction": "up", "is_alert": True}
            | dict.fromkeys(("start", "end", "peak_timestamp"), time)
            for i, time in enumerate(times)
        ]
        route.fulfill(json=data)

    usual = page.viewport_size
    page.set_viewport_size(size)
    page.route("**/checkout-errors/chart", add_events)
    open_chart(page)
    edges = "text => { const {left, right} = text.getBoundingClientRect(); return [left, right]; }"
    texts = page.locator("#chart .textpoint text").all()
    boxes = sorted(text.evaluate(edges) for text in texts)
    assert len(boxes) > 2
    assert all(right < left for (_, right), (left, _) in itertools.pairwise(boxes))
    page.set_viewport_size(usual)


def test_states_differ_in_shape_and_not_only_in_colour(clocked_page) -> None:
    page, _watch = clocked_page
    page.goto("/account/monitors")
    shape = """mark => {
        const style = getComputedStyle(mark, "::before");
        return [style.clipPath, style.borderRadius, style.borderStyle].join();
    }"""
    results = {
        state: page.locator(f"tbody .state.{state}").first.evaluate(shape)
        for state in ("anomalous", "overdue", "learning", "normal")
    }
    assert len(set(results.values())) == 4


def test_the_first_monitor_and_its_first_point_are_made_as_the_page_shows(
    clocked_page, server: Server
) -> None:
    page, _watch = clocked_page
    new = CurrentMember.new(server, "joan@example.com")
    page.context.add_cookies([new.cookie])
    page.goto("/account/monitors")
    find_binary("curl")
    commands = [page.locator(f"#{id}").text_content() for id in ("make", "append")]
    for command in commands:
        subprocess.run(
            ["bash", "-c", command.replace("curl", "curl --fail", 1)],
            env={"FORECAST_KEY": new.monitors.key, "PATH": "/usr/bin:/bin"},
            check=True,
            capture_output=True,
            timeout=60,
        )
    page.clock.fast_forward(REFRESH_PAUSE)
    expect(page.locator("tbody tr")).to_contain_text("cpu-load")
    expect(page.locator("tbody tr")).to_contain_text("0.42")


def test_without_scripts_all_but_the_chart_is_there(browser, server, member) -> None:
    with watched_profile(browser, server.url, java_script_enabled=False) as (page, _watch):
        page.context.add_cookies([member.cookie])
        page.goto("/account/monitors")
        page.get_by_role("link", name="checkout-errors").click()
        expect(page.locator("h1")).to_contain_text("checkout-errors anomalous")
        expect(page.locator("#numbers tbody tr")).to_have_count(30)
        expect(page.locator("#event-list")).to_contain_text("Spike alert since")
        expect(page.locator("#chart")).to_be_hidden()
        page.click("#deliveries summary")
        expect(page.locator("#deliveries table")).to_contain_text("event.opened")


def test_axe_finds_nothing_and_nothing_is_wider_than_the_screen(browser, server, member) -> None:
    new = CurrentMember.new(server, "grace@example.com")
    with watched_profile(browser, server.url, **PHONE) as (page, watch):
        for who, path in (
            (new, "/account/monitors"),
            (member, "/account/monitors"),
            (member, BUSY),
            (member, "/account/monitors/signups"),
            (member, "/account/audit"),
            (member, "/account/audit?since=never&actor=nobody"),
        ):
            page.context.add_cookies([who.cookie])
            page.goto(path)
            if who is new:
                page.click("text=Two commands")
            elif path == BUSY:
                expect(page.locator(CHART_DRAWN)).not_to_have_count(0)
                page.click("#deliveries summary")
            assert violations(page) == [], path
        watch.expect_rejections(400)
