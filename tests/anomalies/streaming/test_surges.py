"""Recurring surges are learned, and reported where one is missing, late, doubled or half."""

import copy
import functools
import math
from dataclasses import dataclass

import numpy as np
import pytest

from app.anomalies.surge_learning import learn_surges
from app.anomalies.surges import SurgeBand, SurgeStep
from app.timeseries.types import FloatArray
from tests.anomalies.streaming.rates import DAY, WEEK, noisy_level, rhythm
from tests.anomalies.streaming.streams import Stream, flags, openings

PERIODS = (DAY, WEEK)


@dataclass(frozen=True)
class Kind:
    """A recurring surge from a phase of its period on, on a rhythm or on a calm series."""

    period: int
    cycles: int
    length: int
    height: float
    jitter: int = 0
    is_calm: bool = True
    at: int = 7
    length_jitter: int = 0
    deviation: float = 0.05  # of the heights, relative
    periods: tuple[int, int] = PERIODS

    def values(self, run: FloatArray, late: int = 0) -> FloatArray:
        """Return the cycles known and one more, whose run has these shares of the height."""
        rng = np.random.default_rng(5)
        n = (self.cycles + 1) * self.period
        values = noisy_level(rng, 2 if self.is_calm else 100 + 40 * rhythm(n), n, 0.05)
        for cycle in range(self.cycles + 1):
            begin = cycle * self.period + self.at + int(rng.integers(-1, 2)) * self.jitter
            size = self.height * (1 + self.deviation * rng.standard_normal())
            more = int(rng.integers(0, self.length_jitter + 1)) if self.length_jitter else 0
            shares = np.ones(self.length + more)
            if cycle == self.cycles:
                begin, shares = begin + late, run
            values[begin : begin + len(shares)] += size * shares
        return values

    @property
    def full_run(self) -> FloatArray:
        return np.ones(self.length)


KINDS = {
    "nightly": Kind(DAY, 10, 9, 5000),
    "nightly, jitter": Kind(DAY, 10, 9, 5000, jitter=1),
    "nightly, three nights": Kind(DAY, 3, 9, 5000),
    "nightly, a step": Kind(DAY, 10, 1, 500),
    "nightly, a step, three nights": Kind(DAY, 3, 1, 500),
    "nightly, rhythm": Kind(DAY, 10, 9, 4000, is_calm=False),
    "hourly": Kind(12, 200, 1, 50),
    "hourly, jitter": Kind(12, 200, 1, 50, jitter=1),
    "hourly, rhythm": Kind(12, 200, 1, 1000, is_calm=False),
    "each four hours": Kind(48, 60, 4, 2000),
    "weekly": Kind(WEEK, 3, 12, 8000),
    "weekly, two weeks": Kind(WEEK, 2, 12, 8000),
}

# Only a missing run of these is unlike all others.
VARYING_KINDS = {
    "of one step or two": Kind(DAY, 10, 1, 500, jitter=1, length_jitter=1),
    "of 30 or 31 steps": Kind(DAY, 5, 30, 500, jitter=1, length_jitter=1),
    "heights that vary by a quarter": Kind(DAY, 15, 6, 500, jitter=1, deviation=0.25),
    "a third of each hour": Kind(12, 150, 2, 500),
    "a quarter of the day": Kind(24, 30, 6, 500, periods=(24, 168)),
}


@functools.cache
def learned_stream(name: str) -> Stream:
    kind = (KINDS | VARYING_KINDS)[name]
    return Stream(kind.periods, values=kind.values(kind.full_run)[: kind.cycles * kind.period])


def is_reported(name: str, run: FloatArray, late: int = 0) -> bool:
    """Return whether a run opens a severe event."""
    kind = (KINDS | VARYING_KINDS)[name]
    begin = kind.cycles * kind.period
    values = kind.values(run, late)[begin : begin + kind.at + 3 * kind.length + 8]
    verdicts = copy.deepcopy(learned_stream(name)).judge_all(values)
    severe = [
        verdict.event for verdict in verdicts if verdict.event and verdict.event.severity > 50
    ]
    return bool(severe) and bool(openings(verdicts)) and openings(verdicts)[0] >= kind.at - 2


@pytest.mark.parametrize("name", KINDS)
def test_a_run_that_is_missing_late_doubled_or_half_is_reported(name: str) -> None:
    whole = KINDS[name].full_run
    assert is_reported(name, 0 * whole)
    assert is_reported(name, whole, late=5)
    assert is_reported(name, 2 * whole)
    assert is_reported(name, np.ones(2 * len(whole) + 2))
    assert is_reported(name, 0.5 * whole)
    if len(whole) > 1:
        assert is_reported(name, whole[: len(whole) // 2])


@pytest.mark.parametrize("name", KINDS)
def test_an_ordinary_run_is_not_an_anomaly_and_the_rest_keeps_its_narrow_band(name: str) -> None:
    kind = KINDS[name]
    values = kind.values(kind.full_run)[kind.cycles * kind.period :][:DAY]
    verdicts = copy.deepcopy(learned_stream(name)).judge_all(values)
    assert flags(verdicts) <= 1
    widths = sorted(verdict.upper - verdict.lower for verdict in verdicts)
    assert widths[len(widths) // 2] < (1.5 if kind.is_calm else 90)


@pytest.mark.parametrize("name", VARYING_KINDS)
def test_a_missing_run_is_reported_where_runs_vary_in_length_or_height(name: str) -> None:
    whole = VARYING_KINDS[name].full_run
    assert is_reported(name, 0 * whole)
    assert not is_reported(name, whole)


@pytest.mark.parametrize("length", [1, 2])
def test_a_run_that_is_an_hour_late_is_reported_where_all_were_punctual(length: int) -> None:
    kind = Kind(24, 20, length, 500, periods=(24, 168))
    history = kind.cycles * 24
    for late, is_late in ((0, False), (1, True)):
        stream = Stream(kind.periods, values=kind.values(kind.full_run)[:history])
        verdicts = stream.judge_all(kind.values(kind.full_run, late)[history : history + 20])
        events = [verdict.event for verdict in verdicts if verdict.event]
        assert any(event.severity > 50 for event in events) is is_late


def severe_events(kind: Kind, run: FloatArray, late: int = 0) -> int:
    """Return how many severe events a run opens until the next one has ended."""
    history = kind.cycles * DAY
    stream = Stream(PERIODS, values=kind.values(kind.full_run)[:history])
    next_day = kind.values(kind.full_run)[history:]
    verdicts = stream.judge_all(np.concatenate([kind.values(run, late)[history:], next_day]))
    severe = {
        index - verdict.event.steps_since_start
        for index, verdict in enumerate(verdicts)
        if verdict.event and verdict.event.severity > 50
    }
    return len(severe)


def test_a_run_of_twice_the_usual_length_is_one_event() -> None:
    assert severe_events(Kind(DAY, 10, 34, 1200), np.ones(68)) == 1


def test_a_missing_run_that_comes_late_is_two_events_and_the_surge_stays_known() -> None:
    kind = Kind(DAY, 10, 20, 2000, is_calm=False)
    assert severe_events(kind, kind.full_run, late=100) == 2


def test_three_times_the_value_next_to_a_nightly_surge_is_reported() -> None:
    kind = KINDS["nightly"]
    values = kind.values(kind.full_run)[kind.cycles * kind.period :][:100]
    values[90:] *= 3
    assert openings(copy.deepcopy(learned_stream("nightly")).judge_all(values)) == [90]


def test_a_gap_in_a_run_says_nothing_about_its_sum() -> None:
    kind = KINDS["nightly, a step"]
    values = kind.values(kind.full_run)[kind.cycles * kind.period :]
    stream = copy.deepcopy(learned_stream("nightly, a step"))
    stream.judge_all(values[: kind.at])
    stream.skip(1)
    assert not flags(stream.judge_all(values[kind.at + 1 : kind.at + 20]))


@pytest.mark.parametrize("seed", range(5))
def test_spikes_by_chance_are_not_recurring_surges(seed: int) -> None:
    rng = np.random.default_rng(seed)
    values = noisy_level(rng, 50, 4000, 0.1) + 400 * (rng.random(4000) < 0.01)
    surges, inside = learn_surges(values, PERIODS)
    assert not inside.any()
    assert not surges.windows


def test_a_recurring_surge_is_found_next_to_missing_points_and_a_run_that_did_not_come() -> None:
    kind = KINDS["nightly"]
    values = kind.values(0 * kind.full_run)
    values[[5, 100, 101, 300, 800]] = np.nan
    surges, inside = learn_surges(values, PERIODS)
    assert list(surges.windows) == [DAY, kind.at - 1, kind.length + 2]
    assert inside.sum() == (kind.cycles + 1) * (kind.length + 2)
    assert surges.step_at(3 * DAY + kind.at - 2) is None
    surge = surges.step_at(3 * DAY + kind.at + 4)
    assert surge
    assert surge.position == 5
    assert surge.typical == pytest.approx(5000, rel=0.1)
    assert 0 < surge.low < surge.typical < surge.high


@pytest.mark.parametrize("late_nights", [0, 1, 3])
@pytest.mark.parametrize(
    ("weeks", "days"),
    [
        (2, (0, 1, 2, 3, 4)),
        (2, (0, 1, 2, 3, 4, 5)),
        (2, (0, 2, 4)),
        (3, (0, 1, 2, 3, 4)),
        (3, (0, 2, 4)),
        (5, (0, 1, 2, 3, 4)),
        (5, (0, 2, 4)),
    ],
)
def test_a_nightly_run_of_some_weekdays_is_expected_on_these_only(weeks, days, late_nights) -> None:
    rng = np.random.default_rng(weeks)
    values = rng.poisson(20, (weeks + 1) * 7 * 24).astype(float)
    nights = values.reshape(-1, 24)
    runs_at = np.flatnonzero(np.isin(np.arange(len(nights)) % 7, days))
    nights[runs_at, 2] += 5000 * (1 + 0.03 * rng.standard_normal(len(runs_at)))
    nights[runs_at[1 : 1 + late_nights], 3] += 2500
    last = (weeks * 7 + 2) * 24  # a Wednesday
    stream = Stream((24, 168), values=values[: weeks * 168 + 5])
    assert not openings(stream.judge_all(values[weeks * 168 + 5 : last]))
    calm = copy.deepcopy(stream)
    assert not openings(calm.judge_all(values[last:]))
    values[last + 2] = 20
    # The run may also be late, by a step more where one was.
    (opened,) = openings(stream.judge_all(values[last : last + 5]))
    assert opened in ((2, 3, 4) if late_nights else (2, 3))


@pytest.mark.parametrize("share", [0.03, 0.05])
def test_spikes_by_chance_at_daytime_are_not_surges_of_some_weekdays(share) -> None:
    is_found = []
    for seed in range(40):
        rng = np.random.default_rng(seed)
        hours = np.arange(336)
        is_spike = (rng.random(336) < 4 * share) & (hours % 24 >= 9) & (hours % 24 < 15)
        values = rng.normal(100, 5, 336) + 200 * is_spike
        is_found.append(bool(learn_surges(values, (24, 168))[0].windows))
    assert np.mean(is_found) <= 0.1


def test_the_band_of_two_runs_is_as_wide_as_two_values_make_it() -> None:
    few, many = KINDS["weekly, two weeks"], KINDS["nightly"]
    widths = []
    for kind in (few, many):
        surges, _inside = learn_surges(
            kind.values(kind.full_run)[: kind.cycles * kind.period], PERIODS
        )
        surge = surges.step_at(kind.at + 4)
        assert surge
        widths.append((surge.high - surge.low) / surge.typical)
    assert widths[0] > 1.3 * widths[1]
    assert widths[0] > 0.5


def test_a_run_slightly_below_its_least_sum_is_slightly_below_its_band() -> None:
    last = SurgeStep(1, 2, -1.0, 5.0, 30.0, min_total=20.0, typical_total=25.0, max_total=30.0)
    band = last.raise_band(SurgeBand(-2.0, 0.0, 2.0), 4.0, is_last=True)
    assert band[:3] == (16.0, 21.0, 26.0)  # with the 4 before, sums of 20, 25 and 30
    assert band.distance(15.5) == pytest.approx(math.log(19.5 / 25) / math.log(25 / 20))


def test_noise_at_the_edge_of_a_window_is_not_taken_for_a_missing_run() -> None:
    kind = Kind(DAY, 10, 9, 5000, jitter=1)
    history = kind.cycles * DAY
    values = kind.values(kind.full_run)[history:][: kind.at + 14]
    stream = Stream(PERIODS, values=kind.values(kind.full_run)[:history])
    after = kind.at + kind.length  # the last step of the window, which the last run did not reach
    band = copy.deepcopy(stream).judge_all(values[: after + 1])[-1]
    values[after] = band.lower - 0.5 * (band.expected - band.lower)
    verdict = stream.judge_all(values[: after + 1])[-1]
    assert verdict.is_anomaly
    assert verdict.severity < 50
