"""The text about the values that could be alerts: it says if a band hides a fault."""

from dataclasses import replace

import pytest

from app.anomalies.results import Direction
from app.timeseries.calendar.frequency import Frequency
from app.watching.monitors.settings.monitor_settings import MonitorSettings
from app.web.dashboard.monitors.event_texts import ShownBand, band_text, points_band_text

SETTINGS = MonitorSettings(Frequency.MINUTES)
QUEUE = ShownBand(0.0, 20.0, 840.0, 300, 3.0, 61.2)
JUDGED_TEXT = ". Judged: 300 values between 3 and 61.2."


@pytest.mark.parametrize(
    ("changes", "expected"),
    [
        ({}, f"above 840; low values cannot{JUDGED_TEXT}"),
        ({"direction": Direction.UP}, f"above 840{JUDGED_TEXT}"),
        ({"direction": Direction.DOWN}, "No single value can be an alert: "),
        ({"alert_min_deviation": 1000}, f"above 1,020; low values cannot{JUDGED_TEXT}"),
        ({"alert_min_relative": 50}, f"above 1,020; low values cannot{JUDGED_TEXT}"),
    ],
)
def test_a_queue_that_never_alerts_is_known_by_its_values_beside_its_band(
    changes: dict[str, object], expected: str
) -> None:
    assert expected in band_text(replace(SETTINGS, **changes), QUEUE)


def test_both_sides_of_a_band_are_said_with_the_values_that_there_were() -> None:
    text = (
        "At the newest step a single value can be an alert above 13 or below 7. Judged: 50 values"
    )
    assert (
        band_text(SETTINGS, ShownBand(7.0, 10.0, 13.0, 50, 8.5, 11.5))
        == f"{text} between 8.5 and 11.5."
    )
    below_zero = band_text(SETTINGS, ShownBand(-3.0, 0.0, 3.0, 50, -2.0, 2.0))
    assert "above 3 or below -3. " in below_zero


def test_a_monitor_that_only_learned_has_no_band_in_words() -> None:
    empty = {"value": 1.0, "lower_bound": None, "expected": None, "upper_bound": None}
    point = {"status": "learning", "value": 1.0, "lower_bound": 1.0, "expected": 1.0}
    point["upper_bound"] = 1.0
    assert points_band_text(SETTINGS, [empty | {"status": "late"}]) is None
    assert points_band_text(SETTINGS, [point]) is None
    judged = {
        "status": "judged",
        "value": 5.0,
        "lower_bound": 2.0,
        "expected": 3.0,
        "upper_bound": 4.0,
    }
    text = points_band_text(SETTINGS, [point, judged])
    assert text is not None
    assert "above 4 or below 2. Judged: 1 value between 5 and 5." in text
