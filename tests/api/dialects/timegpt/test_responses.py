"""The responses of TimeGPT's endpoints to the bodies of Nixtla's SDK."""

from typing import Any

import numpy as np
import orjson
import pytest

from app.api.dialects.timegpt.declaration import EXAMPLES
from app.api.dialects.timegpt.models import TIMEGPT_MODELS
from app.forecasting.forecast import fit
from app.timeseries.calendar.frequency import Frequency
from app.timeseries.history import History
from tests.api.dialects.timegpt.calls import PREFIX, Body, body, compressed_body, months, post
from tests.support.api import Api
from tests.support.examples import assert_response_shown

LEVELS = [0, 50, 80, 95.0, 99, 99.5]


def response_body(caller: Api, task: str, sent: object, **headers: str) -> Any:
    response = post(caller, task, sent, **headers)
    assert response.status_code == 200, response.text
    return response.get_json()


def forecasts(caller: Api, *series: list[float | None], **fields: Any) -> Body:
    return response_body(caller, "forecast", body(*series, **fields))


@pytest.mark.parametrize("task", EXAMPLES.requests)
def test_the_response_to_an_example_is_the_one_shown(api: Api, task: str) -> None:
    content = response_body(api, task, EXAMPLES.requests[task])
    for name in {"mean", "anomaly_score"} & content.keys():
        content[name] = np.round(content[name], 1).tolist()
    content["intervals"] = {
        name: np.round(bounds, 1).tolist() for name, bounds in content["intervals"].items()
    }
    assert_response_shown(task, content, EXAMPLES)


def test_series_are_forecast_each_by_itself_in_their_order(api: Api) -> None:
    first, second = months(), months(60, seed=2)
    together = forecasts(api, first, second, level=[80])
    single = [forecasts(api, series, level=[80]) for series in (first, second)]
    assert together["mean"] == [value for forecast in single for value in forecast["mean"]]
    for name, bounds in together["intervals"].items():
        assert bounds == [value for forecast in single for value in forecast["intervals"][name]]


@pytest.mark.parametrize("model", TIMEGPT_MODELS)
def test_each_name_is_forecast_by_its_model(api: Api, model: str) -> None:
    history = History(np.array(months()), (12,), Frequency.MONTHLY)
    wanted = fit(history, 6, TIMEGPT_MODELS[model])
    result = forecasts(api, months(), model=model, level=[90])
    assert result["mean"] == wanted.median.tolist()
    lower, upper = wanted.interval(0.9)
    assert result["intervals"] == {"lo-90": lower.tolist(), "hi-90": upper.tolist()}


def test_levels_are_nested_around_one_median_and_keep_their_names(api: Api) -> None:
    without = forecasts(api)
    result = forecasts(api, level=LEVELS)
    assert without["intervals"] is None
    assert result["mean"] == without["mean"]
    assert list(result["intervals"]) == [
        "lo-0", "hi-0", "lo-50", "hi-50", "lo-80", "hi-80",
        "lo-95.0", "hi-95.0", "lo-99", "hi-99", "lo-99.5", "hi-99.5",
    ]  # fmt: skip
    bounds = result["intervals"].values()
    lower, upper = list(bounds)[::2], list(bounds)[1::2]
    ordered = np.array([*lower[::-1], result["mean"], *upper])
    assert (np.diff(ordered, axis=0) >= 0).all()
    assert result["intervals"]["hi-99.5"] == result["intervals"]["hi-99"]


def test_one_level_may_be_a_number(api: Api) -> None:
    assert list(forecasts(api, level=80)["intervals"]) == ["lo-80", "hi-80"]


def test_a_horizon_begins_as_a_shorter_one(api: Api) -> None:
    short, long = forecasts(api, months(), h=3), forecasts(api, months(), h=1_000)
    assert len(long["mean"]) == 1_000
    np.testing.assert_allclose(long["mean"][:3], short["mean"], rtol=1e-9)


@pytest.mark.parametrize("points", [1, 2, 3, 9])
def test_a_short_series_gets_a_forecast(api: Api, points: int) -> None:
    result = forecasts(api, months(), months(points), [None, *months(points), None], level=[80])
    assert np.isfinite(result["mean"]).all()
    assert len(result["mean"]) == 18
    lower, upper = (np.array(result["intervals"][name][6:]) for name in ("lo-80", "hi-80"))
    assert (upper - lower > 1).all()


def test_gaps_are_filled_linearly_and_leading_nulls_dropped(api: Api) -> None:
    whole = months()
    line = [*whole[:20], (whole[19] + whole[21]) / 2, *whole[21:]]
    sent = [None, None, *line[:20], None, *line[21:]]
    assert forecasts(api, sent)["mean"] == forecasts(api, line)["mean"]


def test_nulls_at_the_end_are_forecast_over(api: Api) -> None:
    late = forecasts(api, [*months(), None, None], h=4, level=[80])
    whole = forecasts(api, months(), h=6, level=[80])
    np.testing.assert_allclose(late["mean"], whole["mean"][2:], rtol=1e-9)
    np.testing.assert_allclose(
        late["intervals"]["hi-80"], whole["intervals"]["hi-80"][2:], rtol=1e-9
    )


def test_without_a_level_only_the_newest_10000_points_are_used(api: Api) -> None:
    old = [1e6, *[None] * 500, *months(10_000)]
    assert forecasts(api, old)["mean"] == forecasts(api, old[-10_000:])["mean"]


def test_constant_series_stay_constant_and_others_never_turn_negative(api: Api) -> None:
    result = forecasts(api, [7.0] * 20, [0, 0, 3, 0, 1, 0, 0, 2, 0, 0, 0, 1], level=[99])
    assert result["mean"][:6] == [7.0] * 6
    assert min(result["intervals"]["lo-99"]) >= 0


def test_parameters_without_an_effect_are_ignored(api: Api) -> None:
    sent = body(model_parameters={"x": [1]}, refit=False, hist_exog=None, job_options={}, other=1)
    series = {**sent["series"], "start_datetime": "anything"}
    response = response_body(api, "forecast", sent | {"series": series})
    assert response["mean"] == forecasts(api)["mean"]


def test_a_compressed_body_gets_the_same_bytes(api: Api) -> None:
    plain = post(api, "forecast", body(level=[80]))
    zstd = post(api, "forecast", compressed_body(body(level=[80])), Content_Encoding="zstd")
    assert zstd.data == plain.data == orjson.dumps(orjson.loads(plain.data))


def test_windows_end_with_the_series_and_see_only_what_came_before(api: Api) -> None:
    first, second = months(), months(60, seed=2)
    response = response_body(
        api, "cross_validation", body(first, second, h=6, n_windows=3, step_size=2, level=[80])
    )
    assert response["sizes"] == [18, 18]
    cuts = [38, 40, 42, 98, 100, 102]
    assert response["idxs"] == [cut + step for cut in cuts for step in range(6)]
    single = [
        forecasts(api, (first if cut < 48 else second)[: cut if cut < 48 else cut - 48])["mean"]
        for cut in cuts
    ]
    np.testing.assert_allclose(response["mean"], np.concatenate(single), rtol=1e-9)
    assert {len(bounds) for bounds in response["intervals"].values()} == {36}


def test_step_size_is_h_where_it_is_not_sent(api: Api) -> None:
    sent = body(months(), n_windows=2, step_size=None)
    assert response_body(api, "cross_validation", sent)["idxs"] == list(range(36, 48))


def test_the_history_is_forecast_but_for_two_seasons_whatever_else_the_call_has(api: Api) -> None:
    history = {"full_history": True, "h": 0, "n_windows": -3, "step_size": 0, "level": [80]}
    series = (months(100), months(15, seed=2), [1.0, 2.0, 4.0], [None] * 5 + months(40))
    response = response_body(api, "cross_validation", body(*series, **history))
    assert response["sizes"] == [76, 8, 0, 20]
    assert response["idxs"] == [*range(24, 100), *range(107, 115), *range(143, 163)]
    single = response_body(api, "cross_validation", body(series[0], **history))
    assert response["mean"][:76] == single["mean"]
    assert response["intervals"]["lo-80"][:76] == single["intervals"]["lo-80"]


def test_a_history_too_short_to_forecast_is_rejected(api: Api) -> None:
    response = post(api, "cross_validation", body([1.0, 2.0], full_history=True))
    assert response.status_code == 422
    assert "leave out add_history" in response.get_json()["detail"]


def test_a_window_with_only_nulls_before_it_is_rejected(api: Api) -> None:
    late = [*[None] * 40, *months(8)]
    response = post(api, "cross_validation", body(late, h=6, n_windows=1, step_size=1))
    assert response.status_code == 200
    response = post(api, "cross_validation", body(late, h=6, n_windows=3, step_size=1))
    assert response.status_code == 422
    detail = response.get_json()["detail"]
    assert "series.sizes[0]" in detail
    assert "has no value before a forecast" in detail


def spiked_values(at: int, points: int = 120) -> list[float]:
    values = months(points)
    values[at] += 60
    return values


def test_a_spike_is_found_among_all_points_of_its_series(api: Api) -> None:
    quiet: list[float | None] = [*months(60, seed=3)]
    quiet[10] = None
    sent = body(spiked_values(70), quiet, [1.0, 9.0], level=99)
    response = response_body(api, "anomaly_detection", sent)
    assert response["sizes"] == [120, 60, 2]
    assert response["anomaly"][70]
    assert sum(response["anomaly"][:120]) <= 4
    assert not response["anomaly"][130]  # null
    assert response["anomaly"][180:] == [False, False]  # too short to be judged
    assert set(response["intervals"]) == {"lo-99", "hi-99"}
    lower, upper = (np.array(bounds) for bounds in response["intervals"].values())
    assert (lower <= response["mean"]).all()
    assert (response["mean"] <= upper).all()


def test_only_the_last_points_of_a_very_long_series_are_judged(api: Api) -> None:
    long = [*months(50_010), 900.0]
    response = response_body(api, "anomaly_detection", body(long, months(), level=99))
    assert response["sizes"] == [50_000, 48]
    assert response["anomaly"][49_999]


@pytest.mark.parametrize("fields", [{}, {"step_size": 1}, {"step_size": 9}])
def test_the_last_points_are_judged_by_forecasts_from_before_them(
    api: Api, fields: dict[str, int]
) -> None:
    late: list[float | None] = [*spiked_values(110), 120.0]
    late[115] = None
    asked = {"h": 4, "detection_size": 20, "level": 99} | fields
    response = response_body(api, "online_anomaly_detection", body(late, months(90), **asked))
    assert response["sizes"] == [20, 20]
    assert response["idxs"] == [*range(101, 121), *range(191, 211)]
    index = 110 - 101
    assert response["anomaly"][index]
    assert response["anomaly_score"][index] > 5
    assert not response["anomaly"][115 - 101]
    assert response["anomaly_score"][115 - 101] == 0
    values = np.array([np.nan if value is None else value for value in (*late, *months(90))])
    judged, interval = values[response["idxs"]], response["intervals"]
    outside = (judged < interval["lo-99"]) | (judged > interval["hi-99"])
    assert response["anomaly"] == outside.tolist()
    assert (np.abs(response["anomaly_score"])[outside] > 2.5758).all()
    assert (np.abs(response["anomaly_score"])[~outside] < 2.5759).all()


def test_the_key_and_the_models_are_returned_without_counting(isolated_api: Api) -> None:
    assert isolated_api.request("GET", f"{PREFIX}validate_api_key").get_json()["detail"]
    models = isolated_api.request("GET", f"{PREFIX}v2/models").get_json()["models"]
    assert {"name": "timegpt-2.1"} in models
    isolated_api.request("GET", f"{PREFIX}model_params?model=timegpt-1&freq=D")
    used = isolated_api.request("GET", f"{PREFIX}usage").get_json()
    assert used == {
        "minute": {"usage": 0, "limit": 100},
        "hour": {"usage": 0, "limit": 1_000},
        "day": {"usage": 0, "limit": 50_000},
    }
