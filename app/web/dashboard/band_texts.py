"""Which values could be alerts, beside those that there were: a wide band hides a fault."""

from collections.abc import Sequence
from typing import NamedTuple

from app.anomalies.results import Direction
from app.api.responses.json import Json
from app.core.units import count_of
from app.watching.monitors.monitor_settings import AlertSettings
from app.web.dashboard.number_texts import rounded_number


class ShownBand(NamedTuple):
    """The newest band of a series, and the number and the range of its judged values."""

    lower: float
    expected: float
    upper: float
    values: int
    smallest: float
    largest: float


def points_band_text(settings: AlertSettings, points: Sequence[Json]) -> str | None:
    """Return `band_text` of points as returned by their endpoint, newest first."""
    judged = [point for point in points if point["lower_bound"] is not None]
    if not judged:
        return None
    values = [point["value"] for point in judged]
    bounds = (judged[0]["lower_bound"], judged[0]["expected"], judged[0]["upper_bound"])
    return band_text(settings, ShownBand(*bounds, len(values), min(values), max(values)))


def band_text(settings: AlertSettings, band: ShownBand) -> str:
    """Return beyond which values a single one could be an alert, and those that there were.

    An alert is outside of the band and as far from the expected value as its thresholds say.
    """
    distance = max(settings.alert_min_deviation, settings.alert_min_relative * abs(band.expected))
    upper = rounded_number(max(band.upper, band.expected + distance))
    lower = min(band.lower, band.expected - distance)
    sides = []
    is_low_possible = lower > 0 or band.smallest < 0
    if settings.direction != Direction.DOWN:
        sides.append(f"above {upper}")
    if settings.direction != Direction.UP and is_low_possible:
        sides.append(f"below {rounded_number(lower)}")
    if not sides:
        return "No single value can be an alert: none is below 0, to which the band reaches."
    text = f"At the newest step a single value can be an alert {' or '.join(sides)}"
    if settings.direction == Direction.BOTH and not is_low_possible:
        text += ", none that is low"
    between = f"between {rounded_number(band.smallest)} and {rounded_number(band.largest)}"
    return f"{text}. Judged: {count_of(band.values, 'value')} {between}."
