"""Many forecasts in one job: windows of one array, with values that are missing."""

import numpy as np
import pytest

from app.forecasting.forecast import fit
from app.forecasting.jobs.window_forecasts import fill_gaps, forecast_windows
from app.forecasting.jobs.windows import MAX_HISTORY_POINTS, ForecastWindows, WindowOptions
from app.timeseries.calendar.frequency import Frequency
from app.timeseries.history import History
from app.timeseries.types import FloatArray
from tests.support.series import with_a_season

OPTIONS = WindowOptions(Frequency.MONTHLY, (12,), "forecast-model-2", (0.5, 0.9), None, None)
VALUES = np.array(with_a_season(90, 12))


def windows(*table: tuple[int, int, int]) -> ForecastWindows:
    return ForecastWindows(*(np.array(column) for column in zip(*table, strict=True)))


def forecast_singly(values: FloatArray, horizon: int) -> list[FloatArray]:
    fitted = fit(History(values, (12,), Frequency.MONTHLY), horizon, OPTIONS.model_id)
    return [fitted.median, *fitted.interval(0.5), *fitted.interval(0.9)]


def test_a_window_has_the_same_bytes_beside_others_and_by_itself() -> None:
    forecasts = forecast_windows(OPTIONS, VALUES, windows((0, 40, 3), (0, 90, 6), (50, 80, 1)))
    for index, (start, end, horizon) in ((0, (0, 40, 3)), (3, (0, 90, 6)), (9, (50, 80, 1))):
        median, low, high, lower, higher = forecast_singly(VALUES[start:end], horizon)
        which = slice(index, index + horizon)
        np.testing.assert_array_equal(forecasts.median[which], median)
        np.testing.assert_array_equal(forecasts.lower[:, which], [low, lower])
        np.testing.assert_array_equal(forecasts.upper[:, which], [high, higher])


def test_without_levels_there_are_no_bounds() -> None:
    terms = WindowOptions(Frequency.MONTHLY, (12,), "forecast-model-2", (), None, None)
    forecasts = forecast_windows(terms, VALUES, windows((0, 90, 6)))
    assert forecasts.lower.shape == forecasts.upper.shape == (0, 6)
    np.testing.assert_array_equal(forecasts.median, forecast_singly(VALUES, 6)[0])


def test_values_missing_at_the_end_are_forecast_too() -> None:
    sent = np.concatenate([VALUES, [np.nan] * 3])
    forecasts = forecast_windows(OPTIONS, sent, windows((0, 93, 4)))
    np.testing.assert_array_equal(forecasts.median, forecast_singly(VALUES, 7)[0][3:])


def test_values_long_before_a_forecast_change_nothing() -> None:
    late = np.array(with_a_season(MAX_HISTORY_POINTS, 12))
    forecasts = forecast_windows(
        OPTIONS, np.concatenate([[1e9], late]), windows((0, MAX_HISTORY_POINTS + 1, 4))
    )
    np.testing.assert_array_equal(forecasts.median, forecast_singly(late, 4)[0])


def test_one_recent_value_has_an_interval_after_a_long_gap() -> None:
    values = np.full(MAX_HISTORY_POINTS + 2, np.nan)
    values[[0, 1, -1]] = 7.0
    forecasts = forecast_windows(OPTIONS, values, windows((0, len(values), 4)))
    assert (forecasts.upper > forecasts.median).all()


@pytest.mark.parametrize(
    ("sent", "expected", "missing"),
    [
        ([1, 2, 3], [1, 2, 3], 0),
        ([np.nan, 1, np.nan, np.nan, 4], [1, 2, 3, 4], 0),
        ([5, np.nan, np.nan], [5], 2),
    ],
)
def test_gaps_are_filled_linearly(sent: list[float], expected: list[float], missing: int) -> None:
    filled, late = fill_gaps(np.array(sent, dtype=float))
    np.testing.assert_array_equal(filled, expected)
    assert late == missing


def test_a_part_holds_the_values_of_its_windows_only() -> None:
    table = windows((0, 40, 1), (40, 60, 2), (40, 70, 3), (70, 90, 4))
    part, begin, end = table.part(1, 3)
    assert (begin, end) == (40, 70)
    np.testing.assert_array_equal(part.starts, [0, 0])
    np.testing.assert_array_equal(part.ends, [20, 30])
    np.testing.assert_array_equal(part.horizons, [2, 3])
    np.testing.assert_array_equal(part.target_indices(), [20, 21, 30, 31, 32])
