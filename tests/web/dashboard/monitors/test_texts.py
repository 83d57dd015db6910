"""The texts of monitors on their pages: events, numbers, times, probabilities."""

import datetime as dt
from dataclasses import replace

import pytest

from app.core.text import short_timestamp
from app.timeseries.calendar.frequency import Frequency
from app.timeseries.words import duration_text
from app.watching.monitors.settings.monitor_records import MonitorQuality
from app.watching.monitors.settings.monitor_settings import MonitorSettings
from app.watching.monitors.settings.states import State
from app.web.dashboard.monitors.event_texts import event_texts
from app.web.dashboard.monitors.texts import (
    duration_of,
    example_timestamp,
    quality_text,
    shown_states,
)


def test_an_event_ahead_of_time_says_when_and_how_probable() -> None:
    event = {
        "kind": "limit_ahead",
        "direction": "up",
        "start": "2026-11-22T22:00:00Z",
        "peak_timestamp": "2026-11-22T22:00:00Z",
        "reached_at": "2026-11-23T01:00:00Z",
        "end": None,
        "severity": 84.4,
        "deviation": None,
        "closed_as": None,
        "is_alert": True,
    }
    words = event_texts(event)
    assert words.name == "Limit ahead up"
    assert words.facts == "expected 2026-11-23 01:00Z, probability 84 %, open"


def test_an_event_with_a_peak_of_its_own_says_when_it_was() -> None:
    event = {
        "kind": "level_shift",
        "direction": "up",
        "start": "2026-11-22T22:00:00Z",
        "peak_timestamp": "2026-11-22T23:30:00Z",
        "reached_at": None,
        "end": "2026-11-23T01:00:00Z",
        "severity": 70.4,
        "deviation": 12.3456,
        "closed_as": "new_level",
        "is_alert": True,
    }
    words = event_texts(event)
    assert words.name == "Level shift up"
    assert words.time == "2026-11-22 22:00Z – 2026-11-23 01:00Z"
    assert words.facts == "peak 23:30Z, severity 70, 12.3 from expected, ended as the new level"


@pytest.mark.parametrize(
    ("timestamp", "text"),
    [
        ("2026-11-22T00:00:00Z", "2026-11-22 00:00Z"),
        ("2026-11-22T16:30:00", "2026-11-22 16:30"),
        ("2026-11-22T16:30:05+02:00", "2026-11-22 16:30:05+02:00"),
        ("2026-11-22T16:30:00+02:00", "2026-11-22 16:30+02:00"),
        ("2026-11-22T16:30:15.250Z", "2026-11-22 16:30:15Z"),
    ],
)
def test_timestamps_are_written_briefly(timestamp, text) -> None:
    assert short_timestamp(timestamp) == text


@pytest.mark.parametrize("suffix", ["", "Z", "+02:00"])
def test_midnight_is_left_out_only_where_steps_are_days(suffix) -> None:
    assert short_timestamp(f"2026-11-22T00:00:00{suffix}", has_days=True) == "2026-11-22"
    assert short_timestamp(f"2026-11-22T06:00:00{suffix}", True) == f"2026-11-22 06:00{suffix}"
    of_frequencies = {frequency: MonitorSettings(frequency).has_days for frequency in Frequency}
    assert [name for name, has_days in of_frequencies.items() if not has_days] == [
        Frequency.SECONDS,
        Frequency.MINUTES,
        Frequency.HOURS,
    ]


def test_a_monitor_is_not_normal_beside_an_open_event_about_its_limit() -> None:
    assert shown_states([State.NORMAL], None) == ["normal"]
    assert shown_states([State.NORMAL], "limit_ahead") == ["limit_ahead"]
    assert shown_states([State.ANOMALOUS], "limit_reached") == ["anomalous", "limit_reached"]


def test_the_share_of_a_few_points_inside_the_band_is_not_a_percentage() -> None:
    quality = MonitorQuality(
        judged=7, inside=2 / 7, promised=0.999, mean_error=3.0, seasonal_error=None,
        seasonal_period=None,
    )  # fmt: skip
    assert quality_text(quality) == (
        "2 of 7 points inside the band, 99.9 % expected without incidents; mean error 3"
    )
    many = replace(quality, judged=700)
    assert quality_text(many).startswith("200 of 700 points (28.57 %) inside the band, ")


@pytest.mark.parametrize(
    ("frequency", "step", "steps", "text"),
    [
        (Frequency.MINUTES, 5, 500, "1 d 17 h"),
        (Frequency.SECONDS, 30, 3, "1 min 30 s"),
        (Frequency.HOURS, 1, 48, "2 d"),
        (Frequency.HOURS, 1, 1, "1 h"),
        (Frequency.DAILY, 1, 72, "72 days"),
        (Frequency.QUARTERLY, 1, 4, "4 quarters"),
    ],
)
def test_the_horizon_of_a_limit_is_a_time(frequency, step, steps, text) -> None:
    settings = MonitorSettings(frequency, step)
    assert duration_of(settings, steps) == text


@pytest.mark.parametrize(
    ("frequency", "step", "timestamp"),
    [
        (Frequency.MINUTES, 5, "2026-11-25T10:45:00Z"),
        (Frequency.HOURS, 1, "2026-11-25T10:00:00Z"),
        (Frequency.DAILY, 1, "2026-11-25T00:00:00Z"),
        (Frequency.WEEKLY, 1, "2026-11-23T00:00:00Z"),
        (Frequency.MONTHLY, 1, "2026-11-01T00:00:00Z"),
        (Frequency.QUARTERLY, 1, "2026-10-01T00:00:00Z"),
        (Frequency.YEARLY, 1, "2026-01-01T00:00:00Z"),
    ],
)
def test_the_example_of_a_first_point_is_at_a_round_time(frequency, step, timestamp) -> None:
    settings = MonitorSettings(data_frequency=frequency, step=step)
    now = dt.datetime(2026, 11, 25, 10, 47, 3, tzinfo=dt.UTC)
    assert example_timestamp(settings, now) == timestamp


def test_a_duration_of_no_second_has_a_text() -> None:
    assert [duration_text(seconds) for seconds in (0, 59, 3_661)] == ["0 s", "59 s", "1 h 1 min"]
