"""Engine processes: a job in bounded time, whatever native code does."""

from pathlib import Path

import numpy as np
import pytest

from app.api.forecast.routes import FORECAST_JOB
from app.compute.jobs import Job
from app.compute.pool import EngineFailedError, EngineUnavailableError
from app.forecasting.forecast import forecast
from app.timeseries.calendar.fit import fit_calendar
from app.timeseries.calendar.frequency import Frequency
from app.timeseries.series import Series
from tests.compute.pools import BEHAVE, Start, outcome_of
from tests.support.services import wait_until

MISBEHAVIOURS = {
    "stuck": "no result within 1 s|the engine process ended",
    "crash": "the engine process ended",
    "raise": "ZeroDivisionError in the engine",
}
DAYS = Series(
    np.arange(20.0),
    fit_calendar(np.datetime64("2024-01-01", "s") + 86_400 * np.arange(20), Frequency.DAILY),
)


def test_a_pooled_forecast_equals_the_direct_one(start: Start) -> None:
    pooled = start().client.run(FORECAST_JOB, DAYS, 5, 0.9, "forecast-model-2")
    direct = forecast(DAYS, 5, 0.9, "forecast-model-2")
    assert pooled.timestamps == direct.timestamps
    assert np.array_equal(pooled.median, direct.median)


@pytest.mark.parametrize("value", ["ZeroDivisionError in the engine", None, False, (False, "no")])
def test_whatever_a_job_returns_is_its_value_and_no_failure(start: Start, value: object) -> None:
    assert start().client.run(BEHAVE, value) == value


def test_a_function_that_does_not_exist_is_a_failure(start: Start) -> None:
    with pytest.raises(EngineFailedError, match="ModuleNotFoundError"):
        start().client.run(Job("none:none", "result"))


@pytest.mark.parametrize("how", MISBEHAVIOURS)
def test_the_engine_serves_on_after_a_job_that_hangs_crashes_or_raises(
    start: Start, how: str
) -> None:
    client = start(timeout_seconds=1.0).client
    with pytest.raises(EngineFailedError, match=MISBEHAVIOURS[how]):
        client.run(BEHAVE, how)
    wait_until(lambda: outcome_of(client) == "good", "another engine")


def test_a_job_whose_engine_ends_is_not_repeated(start: Start, tmp_path: Path) -> None:
    pool, runs = start(), tmp_path / "runs"
    with pytest.raises(EngineFailedError, match="the engine process ended") as failure:
        pool.client.run(BEHAVE, "crash", str(runs))
    assert not isinstance(failure.value, EngineUnavailableError)
    assert runs.read_text() == "\n"
