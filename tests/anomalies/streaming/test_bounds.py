"""What a band cannot contain, and outages of rates that spike."""

import copy
import functools
import math
from dataclasses import replace

import numpy as np
import pytest

from app.anomalies.results import AnomalyVerdict
from app.anomalies.streaming.bounds import ValueBounds
from app.anomalies.streaming.fit import StreamFit
from app.anomalies.tail import Tail
from app.timeseries.types import FloatArray
from tests.anomalies.streaming.rates import DAY, RATES, WEEK
from tests.anomalies.streaming.streams import HOURS, Stream, flags, seasonal_series

LEARNED, QUIET, OUT = 2600, 30, 6


@functools.cache
def learned_stream(name: str) -> tuple[Stream, FloatArray, list[AnomalyVerdict]]:
    """Return a stream that knows a rate, its next values, and its verdicts on a quiet part."""
    values = RATES[name](np.random.default_rng(4), LEARNED + QUIET + OUT)
    stream = Stream((DAY, WEEK), values=values[:LEARNED])
    quiet = stream.judge_all(values[LEARNED:-OUT])
    return stream, values[-OUT:], quiet


@pytest.mark.parametrize("name", RATES)
def test_a_rate_that_falls_to_zero_is_reported_within_two_steps_and_is_grave(name: str) -> None:
    stream, values, _quiet = learned_stream(name)
    verdicts = copy.deepcopy(stream).judge_all(0.0 * values)
    assert flags(verdicts[:2]) >= 1
    events = [verdict.event for verdict in verdicts if verdict.event]
    assert max(event.severity for event in events) > 70


def test_most_rates_that_lose_seven_tenths_are_reported_within_two_steps() -> None:
    reported = 0
    for name in RATES:
        stream, values, _quiet = learned_stream(name)
        reported += flags(copy.deepcopy(stream).judge_all(0.3 * values[:2])) > 0
    assert reported >= 19


def test_the_band_of_a_rate_is_not_negative_and_quiet_points_are_in_it() -> None:
    quiet = [verdict for name in RATES for verdict in learned_stream(name)[2]]
    assert all(verdict.lower >= 0 for verdict in quiet)
    assert flags(quiet) <= 4


def test_the_band_of_a_percentage_that_touches_100_ends_there() -> None:
    values = np.minimum(97 + 3 * np.random.default_rng(1).standard_normal(900), 100.0)
    stream = Stream()
    assert {verdict.upper for verdict in stream.judge_all(values)[300:]} == {100.0}
    assert stream.judge(101.0).is_anomaly
    assert not stream.judge(100.0).is_anomaly


def test_a_largest_value_that_was_not_reached_again_is_not_a_bound() -> None:
    verdicts = Stream().judge_all(np.random.default_rng(1).poisson(20, 900).astype(float))
    assert flags(verdicts) <= 3
    assert verdicts[-1].upper > 35


def test_a_bound_is_forgotten_once_a_value_is_beyond_it() -> None:
    values = seasonal_series(900) - 88
    stream = Stream((24,))
    assert stream.judge_all(np.maximum(values, 0.1))[-1].lower >= 0
    stream.judge(-1.0)
    assert any(verdict.lower < 0 for verdict in stream.judge_all(np.maximum(values[13:37], 0.1)))


def test_a_rate_that_dies_slowly_is_not_an_outage() -> None:
    values = 100 * 0.98 ** np.maximum(0, np.arange(1200) - 900)
    values *= np.random.default_rng(1).lognormal(0, 0.1, 1200)
    verdicts = Stream().judge_all(values)[900:]
    assert flags(verdicts) <= 12


def test_with_heavy_tails_two_points_near_zero_are_an_alert_and_one_rarely() -> None:
    alerts = np.zeros(2)
    for seed in range(12):
        rng = np.random.default_rng(seed)
        stream = Stream((DAY, WEEK), values=0.2 + 0.02 * rng.standard_t(5, LEARNED))
        alerts += np.array([stream.judge(0.02).severity > 50 for _ in range(2)]).cumsum() > 0
    assert alerts[0] <= 5
    assert alerts[1] >= 10


@pytest.mark.parametrize("seed", range(4))
def test_the_count_that_a_series_mostly_has_is_never_flagged(seed: int) -> None:
    rng = np.random.default_rng(seed)
    values = np.where(rng.random(1200) < 0.1, rng.poisson(4, 1200) + 1.0, 0.0)
    verdicts = Stream((DAY, WEEK)).judge_all(values)
    assert not flags(
        [verdict for verdict, value in zip(verdicts, values, strict=True) if value == 0]
    )


def test_zero_is_an_outage_by_day_where_only_nights_are_at_zero() -> None:
    hour = np.arange(24 * 40) % 24
    counts = np.random.default_rng(1).poisson(50, len(hour))
    stream = Stream((24, 168), values=np.where((hour >= 10) & (hour < 18), counts, 0.0))
    stream.judge_all(np.zeros(10))
    assert flags(stream.judge_all(np.zeros(3))) == 3


def test_rare_counts_of_a_short_history_are_not_all_flagged() -> None:
    flagged = events = 0
    for seed in range(10):
        values = np.random.default_rng(seed).poisson(0.02, 900).astype(float)
        flagged += flags(Stream(HOURS, values=values[:300]).judge_all(values[300:]))
        events += int((values[300:] > 0).sum())
    assert events > 80
    assert flagged <= 15  # all that are larger than any in their history among them


def test_a_count_of_zero_is_not_infinitely_far_below_where_logarithms_are_judged() -> None:
    rate = StreamFit(centre=math.log(9), unit=0.3, is_log=True)
    counts = replace(rate, bounds=ValueBounds(quantum=1.0))
    assert rate.to_units(0.0) < -1000
    assert counts.to_units(0.0) == counts.to_units(0.5) > -10


def test_a_few_counts_less_than_usual_are_no_outage_where_poissons_distribution_has_them() -> None:
    values = np.random.default_rng(3).poisson(9.0, 2000).astype(float)
    bounds = ValueBounds.of(values)
    bounds.learn_losses(values, np.full(2000, 9.0), 0.0, 0.0)
    bounds.loss = Tail(scale=0.01, shape=0.02)  # which expects no loss
    assert bounds.loss_of(0.0, 9.0).log_p == pytest.approx(-9.0)
    assert bounds.loss_of(3.0, 9.0).log_p == pytest.approx(3 * (1 + math.log(3)) - 9)
    bounds.quantum = 0.5
    assert bounds.loss_of(0.0, 9.0).log_p < -20
