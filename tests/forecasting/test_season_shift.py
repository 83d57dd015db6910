"""A daily season that moves by an hour with the clocks is forecast at its new hours."""

import numpy as np
import pytest

from app.forecasting.forecast import fit
from app.forecasting.season_shift import SeasonShift, find_season_shift
from app.timeseries.calendar.frequency import Frequency
from app.timeseries.calendar.grid import Grid
from app.timeseries.history import History

SPRING, AUTUMN = np.datetime64("2026-03-29T01:00:00"), np.datetime64("2025-10-26T01:00:00")
MARCH_WEDNESDAY = np.datetime64("2026-03-25T01:00:00")
JUNE_SUNDAY = np.datetime64("2026-06-28T01:00:00")
WEEKS, HORIZON = 6, 48


def office_weeks(change=SPRING, days=3, earlier=1.0, step=3600, noise=0.15, seed=1):
    """Return weeks of an office open from 9 to 17, Monday to Friday, and the two days that follow.

    ``days`` before the end its hours become ``earlier``, in UTC.
    """
    points, ahead = WEEKS * 7 * 86_400 // step, HORIZON * 3600 // step
    end = change + np.timedelta64(int(days * 86_400), "s")
    times = end + step * np.arange(-points, ahead)
    seconds = times.astype(int) + np.where(times < change, 0.0, 3600 * earlier)
    hours, weekdays = seconds % 86_400 / 3600, (seconds // 86_400 + 3) % 7
    is_open = (hours >= 9) & (hours < 17) & (weekdays < 5)
    values = np.where(is_open, 100.0, 20.0)
    values *= 1 + noise * np.random.default_rng(seed).standard_normal(len(values))
    return history_of_steps(values[:points], times[0], step), values[points:]


def history_of_steps(values, first, step=3600):
    day = 86_400 // step
    frequency = Frequency.HOURS if step == 3600 else Frequency.MINUTES
    return History(values, (day, 7 * day), frequency, Grid(first, step))


@pytest.mark.parametrize(("change", "earlier"), [(SPRING, 1), (AUTUMN, -1)])
@pytest.mark.parametrize("step", [3600, 900])
@pytest.mark.parametrize("days", [2, 7, 14])
def test_the_hour_of_a_change_of_clocks_is_found(change, earlier, step, days) -> None:
    history, _ = office_weeks(change, days, earlier, step)
    shift = find_season_shift(history)
    assert shift is not None
    assert history.grid.first + step * shift.index == change
    assert shift.steps == earlier * 3600 // step


@pytest.mark.parametrize(("change", "earlier"), [(SPRING, 1), (AUTUMN, -1)])
def test_a_moved_history_is_that_of_one_season(change, earlier) -> None:
    history, _ = office_weeks(change, 3, earlier, noise=0.0)
    shift = find_season_shift(history)
    moved = shift.remove_from(history).values
    _, week = history.periods
    np.testing.assert_array_equal(moved[week:], moved[:-week])
    assert len(moved) == len(history.values)


@pytest.mark.parametrize("model_id", ["forecast-model-1", "forecast-model-2", "forecast-model-4"])
def test_a_forecast_after_a_change_of_clocks_is_as_good_as_without_it(model_id) -> None:
    history, actual = office_weeks(days=3)
    unmoved, same_actual = office_weeks(days=3, earlier=0)
    fitted, without = (fit(known, HORIZON, model_id) for known in (history, unmoved))
    error = np.abs(fitted.median - actual).mean()
    assert error < 1.1 * np.abs(without.median - same_actual).mean()
    lower, upper = fitted.interval(0.95)
    assert np.mean((lower <= actual) & (actual <= upper)) >= 0.9
    assert fitted.provenance.season_shift == len(history.values) - 72
    assert without.provenance.season_shift is None


def test_the_index_counts_points_of_an_idle_start() -> None:
    history, _ = office_weeks(days=3)
    idle = np.zeros(48)
    longer = history_of_steps(
        np.concatenate([idle, history.values]), history.grid.first - np.timedelta64(2, "D")
    )
    fitted = fit(longer, HORIZON, "forecast-model-2")
    assert fitted.provenance.season_shift == len(longer.values) - 72


@pytest.mark.parametrize("days", [1, 2, 3, 7, 14, 20])
@pytest.mark.parametrize("noise", [0.0, 0.05, 0.15, 0.3])
def test_a_season_that_stays_is_not_moved(days, noise) -> None:
    for seed in range(10):
        assert find_season_shift(office_weeks(SPRING, days, 0, noise=noise, seed=seed)[0]) is None


@pytest.mark.parametrize("change", [MARCH_WEDNESDAY, JUNE_SUNDAY])
def test_hours_that_change_when_no_clock_does_are_not_moved(change) -> None:
    assert find_season_shift(office_weeks(change)[0]) is None


def test_half_an_hour_is_not_taken_for_an_hour() -> None:
    assert find_season_shift(office_weeks(days=7, earlier=0.5, step=900)[0]) is None


def test_a_change_of_level_is_not_a_move_of_the_season() -> None:
    for factor in (0.3, 0.8, 1.5, 4.0):
        history, _ = office_weeks(days=7, earlier=0)
        history.values[-7 * 24 :] *= factor
        assert find_season_shift(history) is None


def test_longer_hours_are_not_a_move_of_the_season() -> None:
    for opens, closes in ((8, 17), (9, 16), (8, 18)):
        history, _ = office_weeks(days=7, earlier=0)
        hours = (history.grid.times(len(history.values)).astype(int) // 3600) % 24
        is_open = (opens <= hours) & (hours < closes)
        history.values[-7 * 24 :] = np.where(is_open, 100.0, 20.0)[-7 * 24 :]
        assert find_season_shift(history) is None


def test_hours_that_moved_before_an_earlier_sunday_are_not_moved_again() -> None:
    history, _ = office_weeks(days=14)
    recent = history_of_steps(history.values[-28 * 24 :], history.grid.times(1009)[14 * 24])
    assert find_season_shift(recent) is None


@pytest.mark.parametrize("days", [2, 5, 10, 14, 20])
def test_hours_that_move_every_week_as_those_of_dawn_are_not_moved(days) -> None:
    first = SPRING + np.timedelta64(24 * days - 10 * 168, "h")
    times = first + 3600 * np.arange(10 * 168)
    hours = times.astype(int) % 86_400 / 3600 + 0.5
    dawn = 9 - 10 / 60 * np.arange(len(times)) / 168
    light = np.clip(hours - dawn, 0, 1) * np.clip(dawn + 3 - hours, 0, 1)
    noise = np.random.default_rng(days).standard_normal(len(times))
    assert find_season_shift(history_of_steps(100 * light + noise, first)) is None


@pytest.mark.parametrize("seed", range(10))
def test_noise_and_walks_have_no_season_to_move(seed) -> None:
    noise = np.random.default_rng(seed).standard_normal(WEEKS * 168)
    first = SPRING - np.timedelta64(WEEKS * 168 - 24 * (1 + seed), "h")
    assert find_season_shift(history_of_steps(noise, first)) is None
    assert find_season_shift(history_of_steps(np.cumsum(noise), first)) is None


def test_steps_of_unknown_times_or_longer_than_an_hour_have_no_move() -> None:
    history, _ = office_weeks()
    assert find_season_shift(History(history.values, (24, 168), Frequency.HOURS)) is None
    assert (
        find_season_shift(history_of_steps(history.values[::2], history.grid.first, 7200)) is None
    )


def test_the_end_of_a_move_repeats_an_hour() -> None:
    history = history_of_steps(np.arange(6.0), SPRING)
    assert SeasonShift(4, 1).remove_from(history).values.tolist() == [1, 2, 3, 3, 4, 5]
    assert SeasonShift(4, -2).remove_from(history).values.tolist() == [0, 1, 0, 1, 4, 5]
