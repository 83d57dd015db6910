"""Replays of queries on the dashboard."""

import html
import json
import re
from collections.abc import Callable
from dataclasses import replace

import numpy as np
import pytest

from app.core.database import utcnow
from app.watching.sources.backfill import NO_SERIES
from app.watching.sources.source_reader import get_query, get_source
from app.web.dashboard.sources import replay_charts
from tests.support.fake_prometheus import FakePrometheus, error
from tests.support.keys import ACTOR
from tests.support.members import Browser, text_of
from tests.support.watching import put_query
from tests.watching.sources.source_queries import QUERY_SETTINGS
from tests.web.dashboard.sources.source_pages import BAD_LABEL, NAME, QUERY, SOURCE_SETTINGS

# In hours before now, so that the series have the same shape at any time.
NOISE = np.random.default_rng(0).uniform(0, 2, 400)


@pytest.fixture
def settings() -> dict[str, object]:
    return SOURCE_SETTINGS


def spiky_data(hours: int, size: float) -> Callable[[int], float]:
    """Return calm hourly data with a spike some hours ago."""
    now = int(utcnow().timestamp() // 3_600)

    def value(at: int) -> float:
        back = now - at // 3_600
        return 100 + float(NOISE[back]) + (size if back == hours else 0)

    return value


def replay_points(admin: Browser, path: str = "/account/sources/prod/new-query", **more: str):
    form = QUERY | {"step": "3600", "history": "310", "do": "replay"} | more
    return admin.post(path, form)


def test_a_query_is_replayed_before_it_is_saved(admin: Browser, prod: FakePrometheus) -> None:
    prod.add_series(spiky_data(0, 0), service="calm")
    prod.add_series(spiky_data(20, 80), service="shop")
    prod.add_series(spiky_data(50, 30), service="cart")
    page = replay_points(admin)
    assert page.status_code == 200
    text = text_of(page)
    assert "Would have alerted 2 times in 3 days , in 3 series" in text
    assert text.index("service=shop") < text.index("service=calm")
    assert text.count("Spike") == 2
    assert text.count("At the newest step a single value can be an alert above ") == 3
    assert page.text.count("<rect") == 2
    assert 'name="do" value="replay"' in page.text
    assert get_source(1, NAME).queries == {}


@pytest.mark.parametrize(
    ("hours", "expected"),
    [
        (4, "Nothing was judged: the series have too few points to learn from, which takes 48"),
        (60, "Would have alerted never in the "),
    ],
)
def test_a_replay_of_a_young_series_says_how_little_was_judged(
    admin: Browser, prod: FakePrometheus, hours: int, expected: str
) -> None:
    started = utcnow().timestamp() - hours * 3_600
    calm = spiky_data(0, 0)
    prod.add_series(lambda at: calm(at) if at > started else None, service="shop")
    page = text_of(replay_points(admin))
    assert expected in page
    assert "in 3 days" not in page
    assert ("There was no history before to learn from" in page) == ("never" in expected)
    assert "Each has learned" not in page


@pytest.mark.parametrize(
    ("hours", "expected"),
    [
        (72 + 310, "Each has learned the history before, and was judged"),
        (72 + 100, r"Of the 310 points of history before, the server has (99|10\d)\. Each "),
        (72 + 20, r"the server has (19|2\d)\. Each has learned those and the first "),
        (70, "There was no history before to learn from: the first points were learned"),
    ],
)
def test_a_replay_says_what_was_learned_before(
    admin: Browser, prod: FakePrometheus, hours: int, expected: str
) -> None:
    started = utcnow().timestamp() - (hours + 1) * 3_600
    calm = spiky_data(0, 0)
    prod.add_series(lambda at: calm(at) if at > started else None, service="shop")
    assert re.search(expected, text_of(replay_points(admin)))


def test_thresholds_of_the_form_decide_what_a_replay_counts(
    admin: Browser, prod: FakePrometheus
) -> None:
    prod.add_series(spiky_data(20, 80), service="shop")
    prod.add_series(spiky_data(50, 30), service="cart")
    page = replay_points(admin, alert_min_deviation="50")
    assert "Would have alerted once in 3 days" in text_of(page)
    events = json.loads(html.unescape(re.findall('data-events="([^"]*)"', page.text)[0]))
    assert sorted(round(deviation, -1) for _, deviation, _, _ in events) == [30, 80]
    assert all(severity > 50 for severity, _, _, _ in events)
    assert all(
        steps in (1, 2) and relative == pytest.approx(deviation / 100, rel=0.1)
        for _, deviation, relative, steps in events
    )


def test_a_replay_of_wrong_settings_shows_the_errors_of_its_fields(
    admin: Browser, prod: FakePrometheus
) -> None:
    page = replay_points(admin, alert_severity="101")
    assert page.status_code == 400
    assert "Would have alerted" not in text_of(page)
    assert prod.requests == []


def test_a_replay_of_a_query_without_series_says_that_it_has_none(
    admin: Browser, prod: FakePrometheus
) -> None:
    text = text_of(replay_points(admin))
    assert f"Nothing was judged: {NO_SERIES}" in text
    assert "too few points" not in text


def test_a_replay_that_cannot_be_read_says_why(admin: Browser, prod: FakePrometheus) -> None:
    prod.behave = error(503, "unavailable", BAD_LABEL)
    page = replay_points(admin)
    assert page.status_code == 200
    assert "It cannot be replayed: unavailable: &lt;script&gt;" in page.text
    assert "<script>alert" not in page.text


def test_a_query_that_is_changed_is_replayed_with_the_new_settings(
    admin: Browser, prod: FakePrometheus
) -> None:
    prod.add_series(spiky_data(20, 80))
    put_query(ACTOR, 1, NAME, "rate", replace(QUERY_SETTINGS, query="rate(x[5m])", step=3_600))
    page = replay_points(
        admin, "/account/sources/prod/queries/rate/change", alert_min_deviation="200"
    )
    assert "Would have alerted never in 3 days" in text_of(page)
    assert get_query(1, NAME, "rate").settings.alert_min_deviation == 0


def test_a_long_chart_draws_few_points_and_the_outlier_among_them() -> None:
    values = np.tile([1.0, 2.0], 5_000)
    values[7_123] = 40.0
    drawn = replay_charts._drawn_indices(values)
    assert len(drawn) == replay_charts.MAX_CHART_COLUMNS
    assert 7_123 in drawn
