"""The entrance: a history and a false alarm rate in, a detection out."""

from dataclasses import replace

import numpy as np

from app.anomalies.band import agreeing, fit_tails, outside, severity
from app.anomalies.change_points import describe_steps
from app.anomalies.events import Judged, find_events
from app.anomalies.expectation import take_apart
from app.anomalies.flat import find_flat
from app.anomalies.results import Detection, Direction
from app.anomalies.scale import noise_scale
from app.forecasting.types import FloatArray, History

FEWEST_POINTS = 12
# Exceedances of the rate that a clean series should hold for its own noise to tell.
_FEWEST_EXPECTED = 0.2
# Values that differ by less than so many units in the last place of the largest are one value.
_ROUNDING = 8
# Values further from the median, in units of the usual distance, are as far as this.
_FURTHEST = 1e9
# Nearer ones lie at the median, and no bound is nearer: what is divided by less would overflow.
_NEAREST = 1e-100


def detect(
    history: History,
    false_alarm_rate: float,
    direction: Direction = Direction.BOTH,
    period: int | None = None,
) -> Detection:
    """Judge every point of a series by all the others.

    Args:
        history: ``FEWEST_POINTS`` values or more, finite, and the seasonal periods that its
            calendar suggests; they count where the values show them.
        false_alarm_rate: Share of the points of a clean series that may be flagged, 0.0001 to 0.1.
        direction: The sides on which a point counts. With one of them the rate is that side's.
        period: The seasonal period in steps where the caller knows it; 0: there is none; None: it
            is found.

    Returns:
        The detection, with arrays as long as ``history.values``; the same arguments give the same
        numbers.
    """
    values = np.asarray(history.values, dtype=np.float64)
    centre, unit = _centre_and_unit(values)
    if unit == 0.0:
        return _constant(values)
    plain = _plain(values, centre, unit)
    parts = take_apart(plain, history.periods, period)
    scale = noise_scale(plain - parts.expected, parts.periods)
    surprise = (plain - parts.expected) / scale
    tails = fit_tails(surprise)
    below, above = tails.bounds(false_alarm_rate, direction)
    lower, expected, upper = (
        _in_units(bound, centre, unit)
        for bound in (
            parts.expected + np.minimum(scale * below, -_NEAREST),
            parts.expected,
            parts.expected + np.maximum(scale * above, _NEAREST),
        )
    )
    flagged = outside(values, lower, upper, direction)
    p_value = agreeing(tails.p_value(surprise, direction), flagged, false_alarm_rate)
    changes = tuple(
        replace(
            point,
            before=float(_in_units(point.before, centre, unit)),
            after=float(_in_units(point.after, centre, unit)),
        )
        for point in describe_steps(parts.without_season, parts.steps)
    )
    events = find_events(Judged(surprise, p_value, flagged), changes, find_flat(values), direction)
    return Detection(
        flagged,
        expected,
        lower,
        upper,
        p_value,
        severity(p_value),
        events,
        changes,
        parts.periods,
        _notices(len(values), false_alarm_rate),
    )


def _centre_and_unit(values: FloatArray) -> tuple[float, float]:
    """Return the median of the values and how far from it they usually lie, 0 if they are equal."""
    # Differences of the largest numbers overflow, those of their halves do not.
    halves = values / 2
    low, centre, high = np.quantile(halves, [0.25, 0.5, 0.75])
    rounding = _ROUNDING * float(np.spacing(np.abs(halves).max()))
    usual = float(high - low)
    if usual <= rounding:
        away = np.abs(halves - centre)
        away = away[away > rounding]
        usual = float(np.median(away)) if len(away) else 0.0
    return 2 * float(centre), float(usual)


def _plain(values: FloatArray, centre: float, unit: float) -> FloatArray:
    """Return the values in units; how near or far the extremes lie does not matter any more."""
    # Halved first: of values near the largest numbers the difference might overflow.
    with np.errstate(over="ignore"):
        away = (values / 2 - centre / 2) / (unit / 2)
    away[np.abs(away) < _NEAREST] = 0.0
    return np.asarray(np.clip(away, -_FURTHEST, _FURTHEST))


def _in_units(plain: FloatArray | float, centre: float, unit: float) -> FloatArray:
    """Return what was in units in those of the series, within the range of numbers."""
    largest = float(np.finfo(float).max)
    with np.errstate(over="ignore"):
        return np.clip(unit * np.asarray(plain) + centre, -largest, largest)


def _constant(values: FloatArray) -> Detection:
    """Nothing is known of the noise of a constant series, and nothing sticks out of it."""
    n = len(values)
    ones, nothing = np.ones(n), np.zeros(n)
    level = values.copy()
    return Detection(nothing.astype(bool), level, level, level, ones, nothing)


def _notices(length: int, rate: float) -> tuple[str, ...]:
    if length * rate >= _FEWEST_EXPECTED:
        return ()
    needed = int(np.ceil(_FEWEST_EXPECTED / rate))
    return (
        f"{length} points cannot show a false alarm rate of {rate:g}: fewer points than that may "
        f"be flagged. It takes about {needed} points.",
    )
