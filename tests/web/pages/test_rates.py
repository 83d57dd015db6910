"""The preview of the slider is what the service responds.

The page's module, run in a real browser, is held to the engine itself.
"""

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from playwright.sync_api import Page

from app.anomalies.detect import detect
from app.anomalies.results import (
    DEFAULT_FALSE_ALARM_RATE,
    MAX_FALSE_ALARM_RATE,
    MIN_FALSE_ALARM_RATE,
    Detection,
    Direction,
)
from app.timeseries.calendar.frequency import Frequency
from app.timeseries.history import History
from app.timeseries.types import FloatArray
from tests.web.pages.playing import DEFAULT_RATE_STEP

pytestmark = pytest.mark.services

Run = Callable[..., Any]
RUN = """async ([name, args]) =>
    ({...await import(at("rates.js")), ...await import(at("../words.js"))})[name](...args)"""
TOLERANCE = 0.15  # tolerance of a preview, as a fraction of the band's half width


@pytest.fixture(scope="module")
def run(script_page: Page) -> Run:
    """Run a function of the modules."""
    return lambda name, *args: script_page.evaluate(RUN, [name, args])


@pytest.fixture(scope="module")
def history() -> History:
    """Return 600 points of a season with noise, two spikes and a dip."""
    rng = np.random.default_rng(5)
    values = 100 + 10 * np.sin(np.arange(600) * 2 * np.pi / 24) + rng.normal(size=600)
    values[[100, 300]] += 15
    values[450] -= 15
    return History(values, (24,), Frequency.HOURS)


def as_response(detection: Detection) -> dict[str, list[Any]]:
    """Return the arrays of a response that the page draws."""
    return {
        "is_anomaly": detection.is_anomaly.tolist(),
        "expected": detection.expected.tolist(),
        "lower_bound": detection.lower.tolist(),
        "upper_bound": detection.upper.tolist(),
        "p_value": detection.p_value.tolist(),
    }


def kept_detection(
    detection: Detection,
    values: FloatArray,
    requested_rate: float,
    direction: Direction = Direction.BOTH,
) -> dict[str, Any]:
    """Return a detection as the page keeps it."""
    response = as_response(detection)
    return {
        "response": response,
        "values": values.tolist(),
        "requestedRate": requested_rate,
        "direction": direction,
    }


def test_the_steps_reach_from_the_least_to_the_greatest_and_are_short_to_say(run) -> None:
    steps = run("rateSteps", MIN_FALSE_ALARM_RATE, MAX_FALSE_ALARM_RATE)
    assert (steps[0], steps[DEFAULT_RATE_STEP], steps[-1]) == (
        MIN_FALSE_ALARM_RATE,
        DEFAULT_FALSE_ALARM_RATE,
        MAX_FALSE_ALARM_RATE,
    )
    assert steps == sorted(set(steps))
    for rate in steps:
        assert 1 / rate == pytest.approx(round(1 / rate, 1))
    assert run("describeRate", 0.000125) == "1 in 8,000 points"
    assert run("describeRate", 0.08) == "1 in 12.5 points"
    assert run("percent", 0.000125) == "0.0125 %"


@pytest.mark.parametrize("direction", Direction)
@pytest.mark.parametrize(("requested_rate", "rate"), [(0.001, 0.02), (0.01, 0.1), (0.1, 0.005)])
def test_a_redrawn_detection_is_that_of_the_other_rate(
    run, history, requested_rate, rate, direction
) -> None:
    given, wanted = (detect(history, rate_, direction) for rate_ in (requested_rate, rate))
    drawn = run(
        "detectionAtRate", kept_detection(given, history.values, requested_rate, direction), rate
    )
    assert drawn["flagged"] == wanted.is_anomaly.tolist()
    half = (wanted.upper - wanted.lower) / 2
    for side, bound in (("lower", wanted.lower), ("upper", wanted.upper)):
        assert np.all(np.abs(np.array(drawn[side]) - bound) <= TOLERANCE * half)


def test_a_smaller_rate_draws_a_wider_band_beyond_all_that_was_seen(run, history) -> None:
    given = detect(history, 0.01)
    widths = []
    for rate in (0.01, 0.001, 0.0001):
        drawn = run("detectionAtRate", kept_detection(given, history.values, 0.01), rate)
        widths.append(np.mean(np.array(drawn["upper"]) - np.array(drawn["lower"])))
    assert widths == sorted(widths)
    assert widths[0] < widths[-1] < 10 * widths[0]


def test_the_rate_that_was_asked_for_changes_nothing(run, history) -> None:
    given = detect(history, 0.01)
    drawn = run("detectionAtRate", kept_detection(given, history.values, 0.01), 0.01)
    response = as_response(given)
    assert [drawn[name] for name in ("flagged", "lower", "upper")] == [
        response[name] for name in ("is_anomaly", "lower_bound", "upper_bound")
    ]


def test_a_single_point_moves_its_band_across_itself(run) -> None:
    """Its distance, three half widths, has its p-value."""
    response = {
        "is_anomaly": [True],
        "expected": [10.0],
        "lower_bound": [8.0],
        "upper_bound": [12.0],
        "p_value": [0.0002],
    }
    given = {"response": response, "values": [16.0], "requestedRate": 0.001, "direction": "both"}
    drawn = run("detectionAtRate", given, 0.0002)
    assert drawn == {"flagged": [False], "lower": [4.0], "upper": [16.0]}
