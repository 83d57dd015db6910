"""The page of monitors in a real browser, against the live service."""

import datetime as dt
import re
import subprocess

import pytest
from playwright.sync_api import Page, Route, expect
from sqlalchemy import update

from app.core.database import db
from app.watching.monitors.models import MonitorRow
from tests.support.browser import Watch
from tests.support.databases import beside
from tests.support.programs import find_binary
from tests.support.series import with_a_season
from tests.support.server import Server
from tests.web.pages.detecting import flags, trace
from tests.web.pages.watching import HOOK, LEARNED, Fed, requests_of, watch_monitors

pytestmark = pytest.mark.services

SHOWN_POINTS = 300
CHART_DRAWN = "#chart .scatterlayer .trace"


@pytest.fixture(scope="module")
def fed(server: Server) -> Fed:
    monitors = Fed.new(server)
    monitors.fill()
    return monitors


def choose(page: Page, name: str) -> None:
    page.click(f'#monitor-list a[href="#{name}"]')
    expect(page.locator("#monitor-name")).to_have_text(name)


def test_the_list_has_each_monitor_with_its_state_and_last_point(page, fed: Fed) -> None:
    watch_monitors(page, fed.key)
    monitors = fed.get("")["monitors"]
    entries = page.locator("#monitor-list li")
    expect(entries).to_have_count(len(monitors))
    for entry, monitor in zip(entries.all(), monitors, strict=True):
        expect(entry.locator("strong")).to_have_text(monitor["name"])
        expect(entry.locator(".state")).to_have_text(monitor["state"])
        last = monitor["last_point"]
        when = last["timestamp"][:10] if last else "no point yet"
        expect(entry.locator("small")).to_contain_text(when)
    expect(page.locator("#monitor-count")).to_have_text(
        "1 anomalous, 1 overdue, 2 learning, 1 normal"
    )
    expect(page.locator("#choose")).to_have_text("Choose a monitor to see its points.")


def test_a_key_that_a_monitor_was_named_like_before_this_was_refused_is_cut(
    page: Page, server: Server
) -> None:
    monitors = Fed.new(server)
    monitors.put("renamed")
    with beside(server.environ["DATABASE_URL"]), db.engine.begin() as connection:
        of_it = update(MonitorRow).where(MonitorRow.name == "renamed")
        connection.execute(of_it.values(name=monitors.key))
    watch_monitors(page, monitors.key, monitors.key)
    for place in ("#monitor-list strong", "#monitor-name"):
        expect(page.locator(place)).to_have_text(f"{monitors.key[:11]}…")
    assert monitors.key not in page.locator("body").inner_text()


def test_states_differ_in_shape_and_not_in_colour_alone(page: Page, fed: Fed) -> None:
    watch_monitors(page, fed.key)
    shape = """mark => {
        const style = getComputedStyle(mark, "::before");
        return [style.clipPath, style.borderRadius, style.borderStyle].join();
    }"""
    found = {
        state: page.locator(f"#monitor-list .state.{state}").first.evaluate(shape)
        for state in ("anomalous", "overdue", "learning", "normal")
    }
    assert len(set(found.values())) == 4


def test_a_monitor_is_drawn_with_band_flags_and_what_was_not_judged(page, fed: Fed) -> None:
    watch_monitors(page, fed.key, "checkout-errors")
    expect(page.locator(CHART_DRAWN)).not_to_have_count(0)
    points = fed.get(f"/checkout-errors/points?order=desc&limit={SHOWN_POINTS}")["points"][::-1]
    judged = [point for point in points if point["status"] == "judged"]
    for name, field in {
        "Lower bound": "lower_bound",
        "Upper bound": "upper_bound",
        "Expected": "expected",
    }.items():
        assert trace(page, name)["y"] == [point[field] for point in judged]
    flagged = [point["timestamp"][:19] for point in points if point["is_anomaly"]]
    assert trace(page, "Flagged")["x"] == flagged
    late = [point["timestamp"][:19] for point in points if point["status"] == "late"]
    assert trace(page, "Late")["x"] == late != []
    assert trace(page, "History")["y"].count(None) == 1  # the line breaks where points are missing
    assert len(trace(page, "History")["y"]) == SHOWN_POINTS + 1
    expect(page.locator("#legend")).to_contain_text("Late 1 point that came after newer ones")
    expect(page.locator("#legend")).to_contain_text(f"Flagged {flags(page)} points")


def test_points_that_are_learned_from_have_no_band(page, fed: Fed) -> None:
    watch_monitors(page, fed.key, "search-latency")
    expect(page.locator("#legend")).to_contain_text("Learning 5 points, not judged yet")
    assert len(trace(page, "Learning")["x"]) == 5
    assert trace(page, "Expected") is None


def test_the_open_event_comes_first_and_leads_to_its_place(page, fed: Fed) -> None:
    watch_monitors(page, fed.key, "checkout-errors")
    events = fed.get("/checkout-errors/events?order=desc")["events"]
    entries = page.locator("#event-list li")
    expect(entries).to_have_count(len(events))
    expect(entries.first).to_contain_text(f"since {events[0]['start'][:10]}")
    away = f"{float(format(events[0]['deviation'], '.3g')):g} from expected"
    expect(entries.first).to_contain_text(f"severity {round(events[0]['severity'])}, {away}, open")
    shown = "chart => chart.layout.xaxis.range"
    before = page.locator("#chart").evaluate(shown)
    entries.first.locator("button").focus()
    page.keyboard.press("Enter")
    assert page.locator("#chart").evaluate(shown)[0] > before[0]


def test_alerts_stand_out_among_all_events(page, fed: Fed, server: Server) -> None:
    own = Fed.new(server)
    own.put("mixed", alert_min_deviation=30)
    values = with_a_season(LEARNED, period=24)
    values[320] += 20
    values[350] += 80
    own.append("mixed", values, range(LEARNED - 1, -1, -1))
    events = own.get("/mixed/events?order=desc")["events"]
    assert {event["is_alert"] for event in events} == {True, False}
    watch_monitors(page, own.key, "mixed")
    entries = page.locator("#event-list li")
    expect(entries).to_have_count(len(events))
    for entry, event in zip(entries.all(), events, strict=True):
        expect(entry.locator("mark")).to_have_count(int(event["is_alert"]))
        weight = entry.locator("strong").evaluate("name => getComputedStyle(name).fontWeight")
        assert weight == ("600" if event["is_alert"] else "400")
    expect(page.locator("#fact-alerts")).to_have_text(
        "severity 50 or more, 30 or more from expected"
    )
    # Only alerts are named in the chart, beside their peak.
    (alert,) = [event for event in events if event["is_alert"]]
    names = trace(page, "Events")
    assert names["y"] == [values[350]]
    assert names["x"] == [alert["peak_timestamp"][:19]]
    assert trace(page, "Spike, no alert") is not None


def test_the_name_of_an_event_at_the_right_edge_of_the_chart_stands_on_its_left(
    page, server: Server
) -> None:
    own = Fed.new(server)
    own.put("edge")
    values = with_a_season(51, period=24)
    values[-2] += 80
    appended = own.append("edge", values, range(50, -1, -1))
    assert appended["status"][-4:] == ["learning", "judged", "judged", "judged"]
    watch_monitors(page, own.key, "edge")
    expect(page.locator("#event-list li")).to_have_count(1)
    places = "chart => chart.data.find(({ name }) => name === 'Events').textposition"
    assert page.locator("#chart").evaluate(places) == ["top left"]


def test_a_monitor_says_why_it_learns_and_that_it_is_muted(page, server: Server) -> None:
    own = Fed.new(server)
    own.put("quiet", muted_until="2099-12-31T22:00:00Z")
    own.append("quiet", with_a_season(100, period=24), range(299, 199, -1))
    own.append("quiet", [100.0], [0])
    watch_monitors(page, own.key, "quiet")
    words = "after a gap of more than two seasons; muted until 2099-12-31 22:00Z"
    expect(page.locator("#monitor-why")).to_have_text(words)
    expect(page.locator("#monitor-list small")).to_contain_text(f"100 at {own.now:%Y-%m-%d}")
    expect(page.locator("#monitor-list small")).to_contain_text(words)
    expect(page.locator("#fact-muted")).to_have_text("until 2099-12-31 22:00Z")


def test_settings_numbers_and_deliveries_are_those_of_the_service(page, fed: Fed) -> None:
    watch_monitors(page, fed.key, "checkout-errors")
    expect(page.locator("#fact-webhook")).to_have_text(f"checkout-errors: {HOOK}")
    expect(page.locator("#fact-frequency")).to_have_text("Hours")
    last = fed.get("/checkout-errors")["last_point"]
    flagged = f"flagged, severity {round(last['severity'])}"
    expect(page.locator("#table tbody tr").first).to_contain_text(flagged)
    page.click("#deliveries summary")
    sent = fed.get("/checkout-errors/deliveries")["deliveries"]
    expect(page.locator("#delivery-table tbody tr")).to_have_count(len(sent))
    newest = page.locator("#delivery-table tbody tr").first.locator("td")
    assert newest.all_text_contents()[:3] == ["event.opened", "pending", "0"]
    choose(page, "signups")
    expect(page.locator("#fact-frequency")).to_have_text("Minutes, 5 a step")
    expect(page.locator("#fact-webhook")).to_have_text("none: nothing is sent")
    expect(page.locator("#deliveries")).to_be_hidden()
    expect(page.locator("#no-points")).to_be_visible()
    expect(page.locator("#chart")).to_be_hidden()


def test_a_monitor_is_chosen_by_keyboard_and_named_in_the_address(page, fed: Fed) -> None:
    watch_monitors(page, fed.key)
    page.focus("#find")
    page.keyboard.press("Tab")
    page.keyboard.press("Enter")
    expect(page.locator("#monitor-name")).to_have_text("checkout-errors")
    assert page.url.endswith("/watch#checkout-errors")
    expect(page.locator('#monitor-list [aria-current="true"] strong')).to_have_text(
        "checkout-errors"
    )
    page.keyboard.press("Tab")
    page.keyboard.press("Enter")
    expect(page.locator("#monitor-name")).to_have_text("nightly-export")
    page.go_back()
    expect(page.locator("#monitor-name")).to_have_text("checkout-errors")


def test_another_one_can_be_chosen_while_the_first_is_still_asked_for(page, fed: Fed) -> None:
    held: list[Route] = []
    page.route("**/orders/points?*", lambda route: held.append(route))  # noqa: PLW0108 - Playwright marks it
    page.goto("about:blank")
    page.goto("/watch#orders")
    page.fill("#key", fed.key)
    page.click("#go")
    expect(page.locator("#monitor-name")).to_have_text("orders")
    choose(page, "checkout-errors")
    expect(page.locator("#table tbody tr")).not_to_have_count(0)
    expect(page.locator("#event-list li")).not_to_have_count(0)
    for route in held:
        route.continue_()
    expect(page.locator("#refreshed")).to_contain_text("Refreshed at")
    expect(page.locator("#monitor-name")).to_have_text("checkout-errors")
    expect(page.locator("#event-list li")).not_to_have_count(0)


def test_skipping_to_the_content_is_no_choice(page, fed: Fed) -> None:
    watch_monitors(page, fed.key, "orders")
    expect(page.locator("#monitor-name")).to_have_text("orders")
    page.focus(".skip")
    page.keyboard.press("Enter")
    expect(page.locator("main")).to_be_focused()
    page.click("#go")
    expect(page.locator("#monitor-list [aria-current] strong")).to_have_text("orders")


def test_a_name_that_no_monitor_has_is_told(page, fed: Fed) -> None:
    watch_monitors(page, fed.key, "no-such-one")
    expect(page.locator("#choose")).to_have_text("There is no monitor no-such-one.")
    expect(page.locator("#chosen")).to_be_hidden()


def test_few_requests_are_made(page, fed: Fed, watch: Watch) -> None:
    watch_monitors(page, fed.key)
    assert requests_of(watch) == [""]
    choose(page, "checkout-errors")
    expect(page.locator(CHART_DRAWN)).not_to_have_count(0)
    rest = [path.split("?")[0] for path in requests_of(watch)[1:]]
    assert sorted(rest) == ["/checkout-errors/events", "/checkout-errors/points"]


def test_the_first_monitor_and_its_first_point_are_made_as_the_page_tells(
    page, server: Server
) -> None:
    fed = Fed.new(server)
    watch_monitors(page, fed.key)
    expect(page.locator("#first-monitor")).to_be_visible()
    find_binary("curl")
    for id in ("make", "append"):
        command = page.locator(f"#{id}").text_content()
        assert re.search(rf"curl -X (PUT|POST) {server.url}/monitors/cpu-load", command)
        subprocess.run(
            ["bash", "-c", command.replace("curl", "curl --fail", 1)],
            env={"FORECAST_KEY": fed.key, "PATH": "/usr/bin:/bin"},
            check=True,
            capture_output=True,
            timeout=60,
        )
    page.click("#go")
    expect(page.locator("#monitor-name")).to_have_text("cpu-load")  # the only one is shown
    expect(page.locator("#fact-points")).to_have_text("1 point")
    expect(page.locator("#first-monitor")).to_be_hidden()


def test_a_monitor_at_the_end_of_the_calendar_is_never_overdue(page, server: Server) -> None:
    fed = Fed.new(server)
    fed.put("far-future")
    end = dt.datetime(9999, 12, 31, 23, tzinfo=dt.UTC)
    fed.append("far-future", [1.0], [(fed.now - end) // dt.timedelta(hours=1)])
    watch_monitors(page, fed.key)
    expect(page.locator("#fact-overdue")).to_have_text("never")


def test_nothing_is_kept_of_the_key_or_of_the_account_before(page, fed: Fed, server) -> None:
    watch_monitors(page, fed.key, "orders")
    other = Fed.new(server)
    page.fill("#key", other.key)
    page.click("#go")
    expect(page.locator("#first-monitor")).to_be_visible()
    expect(page.locator("#chosen")).to_be_hidden()
    expect(page.locator("#monitor-list li")).to_have_count(0)
    stored = page.evaluate("() => JSON.stringify([{...localStorage}, {...sessionStorage}])")
    assert "ak_" not in stored + page.url
    page.reload()
    expect(page.locator("#key")).to_have_value("")


def test_a_key_that_is_missing_or_wrong_is_told_beside_it(page, watch: Watch) -> None:
    page.goto("/watch")
    page.click("#go")
    expect(page.locator("#key-error")).to_have_text("Paste a key. make run prints one.")
    expect(page.locator("#key")).to_be_focused()
    assert requests_of(watch) == []
    page.fill("#key", "ak_" + "0" * 64)
    page.click("#go")
    expect(page.locator("#key-error")).to_contain_text("does not know this key")
    expect(page.locator("#refreshed")).to_contain_text("Refused at")
    watch.expect_refusals(401)


def test_a_series_is_shown_by_its_labels_and_found_by_them(page: Page, fed: Fed) -> None:
    script = "<img src=x onerror=alert(1)>"

    def label(route: Route) -> None:
        answer = route.fetch()
        body = answer.json()
        body["monitors"][0] |= {"query": "rate", "labels": {"service": "shop", "path": script}}
        route.fulfill(response=answer, json=body)

    page.route("**/monitors", label)
    watch_monitors(page, fed.key)
    entries = page.locator("#monitor-list li")
    number = len(fed.get("")["monitors"])
    expect(entries).to_have_count(number)
    expect(entries.first.locator("strong")).to_have_text(f"rate: service=shop, path={script}")
    page.fill("#find", "SERVICE=shop")
    expect(entries.filter(visible=True)).to_have_count(1)
    page.fill("#find", "orders")
    expect(entries.filter(visible=True).locator("strong")).to_have_text(["orders"])
    page.fill("#find", "")
    expect(entries.filter(visible=True)).to_have_count(number)
