"""The cost of a table's forecasts, and the errors if they take too long or fail."""

import pickle
import pickletools
from typing import Any

import pytest
from flask import Flask

from app.api.computing.batches import OutOfTimeError, run_batch_job
from app.api.tables import compute
from app.compute.jobs import ENGINE_EXTENSION, InProcessEngine, Job, call_job_function
from app.timeseries.types import FloatArray
from tests.api.tables.calls import JSON, forecast, panel, rows_of
from tests.support.api import Api, details_of, error_of
from tests.support.keys import make_account


@pytest.mark.parametrize(
    ("series", "horizon", "cost"), [(1, 1, 1), (100, 1, 1), (101, 1, 2), (34, 200, 1), (34, 201, 2)]
)
def test_a_call_counts_one_request_for_each_100_forecasts_of_up_to_100_steps(
    isolated_api: Api, series: int, horizon: int, cost: int
) -> None:
    answer = forecast(isolated_api, panel(series, points=10), f"horizon={horizon}")
    assert len(rows_of(answer)) == series * horizon + 1
    assert answer.headers["X-RateLimit-Remaining"] == f"{100 - cost}"
    assert isolated_api.remaining() == 100 - cost


def test_the_sum_counts_as_a_forecast(isolated_api: Api) -> None:
    assert forecast(isolated_api, panel(100, points=10), "sum=true").status_code == 200
    assert isolated_api.remaining() == 98


def test_a_rejected_call_counts_once(isolated_api: Api) -> None:
    error_of(forecast(isolated_api, panel(300, points=5)), 422)
    assert isolated_api.remaining() == 99


def test_a_call_that_never_fits_the_limits_says_in_how_many_parts_it_would(
    app: Flask, make_key
) -> None:
    account = make_account(app, "acme", "enterprise", 2, 100, 1_000)
    answer = forecast(Api(app, make_key("read", account_name=account)), panel(201, points=10))
    issue = details_of(answer, 422)["issue"]
    assert "costs 3 requests (201 forecasts of up to 100 steps, 2,010 points)" in issue
    assert issue.endswith("send the table in 2 parts, at different times")


def test_too_much_work_is_rejected_with_how_many_series_can_be_done(
    api: Api, monkeypatch: pytest.MonkeyPatch
) -> None:
    def take_too_long(*_arguments: object) -> None:
        raise OutOfTimeError(0.5, 50)

    monkeypatch.setattr(compute, "run_batch_job", take_too_long)
    issue = details_of(forecast(api, panel(20)), 422)["issue"]
    assert "about 50 % can be computed in 50 s; send about 10 series" in issue


def test_a_series_whose_computation_fails_does_not_fail_others(
    api: Api, monkeypatch: pytest.MonkeyPatch
) -> None:
    from app.tables.forecasts import blocks as engine

    def fail_for_the_second(series, *rest):
        if series.values[0] == 11:
            raise ZeroDivisionError
        return known(series, *rest)

    known = engine.forecast
    monkeypatch.setattr(engine, "forecast", fail_for_the_second)
    first, second = forecast(api, panel(2), accept=JSON).get_json()["series"]
    assert (first["problem"], len(first["median"])) == (None, 3)
    assert "could not be computed" in second["problem"]
    assert second["median"] == second["forecast_timestamps"] == []


def test_a_web_worker_has_series_and_forecasts_only_as_bytes(
    api: Api, monkeypatch: pytest.MonkeyPatch
) -> None:
    passed: list[object] = []

    def run(job: Job, *arguments: object) -> object:
        result = call_job_function(job, *arguments)
        passed.extend([arguments, result])
        return result

    monkeypatch.setitem(api.app.extensions, ENGINE_EXTENSION, InProcessEngine(run))
    assert forecast(api, panel(100)).status_code == 200
    assert len(passed) >= 6
    by_name = pickle.dumps(passed)
    assert b"SeriesBlock" in by_name
    assert b"ForecastBlock" in by_name
    # Blocks are pickled twice: their names are in the bytes, but not as names of objects.
    opened = {str(value) for _, value, _ in pickletools.genops(by_name) if isinstance(value, str)}
    assert not opened & {"SeriesToForecast", "SeriesForecast"}


def test_blocks_without_a_forecast_have_a_cost_of_their_own(
    api: Api, monkeypatch: pytest.MonkeyPatch
) -> None:
    guesses: list[float] = []

    def record(job: Job, arguments: Any, guessed: FloatArray, *rest: Any) -> list[Any]:
        guesses.extend(guessed)
        return run_batch_job(job, arguments, guessed, *rest)

    monkeypatch.setattr(compute, "run_batch_job", record)
    short = "".join(f"\nt{n},2020-01-01,1\nt{n},2020-02-01,2" for n in range(200))
    assert forecast(api, panel(2) + short).status_code == 200
    assert min(guesses) > 0
    assert min(guesses) < max(guesses)


def test_long_forecasts_are_guessed_to_take_longer(
    api: Api, monkeypatch: pytest.MonkeyPatch
) -> None:
    guesses: list[float] = []

    def record(job: Job, arguments: Any, guessed: FloatArray, *rest: Any) -> list[Any]:
        guesses.append(guessed.sum())
        return run_batch_job(job, arguments, guessed, *rest)

    monkeypatch.setattr(compute, "run_batch_job", record)
    for horizon in (100, 1_000):
        assert forecast(api, panel(1), f"horizon={horizon}").status_code == 200
    short, long = guesses
    assert long > 5 * short
