"""Columns that the SDK sends become columns that forecasts know ahead."""

from typing import Any

import numpy as np

from app.api.dialects.timegpt.columns import check_columns, columns_ahead, columns_of_windows
from tests.api.dialects.timegpt.calls import Body, body, post
from tests.support.api import Api, error_of

SIZES = np.array([3, 2])


def forecast_body(**columns: Any) -> dict[str, Any]:
    return {"y": np.arange(5.0), "sizes": SIZES, "X": None, "X_future": None} | columns


def test_the_future_of_each_series_follows_its_past() -> None:
    series = forecast_body(X=[[1, 2, 3, 7, 8], [0] * 5], X_future=[[4, 5, 9, 10]])
    check_columns(series, 2)
    columns = columns_ahead(series, 2)
    assert columns is not None
    np.testing.assert_array_equal(columns.values, [[1, 2, 3, 4, 5, 7, 8, 9, 10]])
    np.testing.assert_array_equal(columns.indices, [0])
    assert columns.steps_ahead == 2


def test_flags_and_gaps_are_numbers() -> None:
    series = forecast_body(X=[[True, False, None, True, 2]], X_future=[[True, None]])
    check_columns(series, 1)
    columns = columns_ahead(series, 1)
    assert columns is not None
    np.testing.assert_array_equal(columns.values, [[1, 0, np.nan, True, 1, 2, np.nan]])


def test_a_category_is_the_same_in_the_past_and_ahead() -> None:
    series = forecast_body(
        X=[["a", "b", "a", None, "1"], np.array([1.0, 2, 1, 2, 1])],
        X_future=[["b", None], [2, 1]],
        categorical_exog=[0, 1],
    )
    check_columns(series, 1)
    columns = columns_ahead(series, 1)
    assert columns is not None
    np.testing.assert_array_equal(columns.values, [[0, 1, 0, 1, 2, 3, 2], [0, 1, 0, 1, 1, 0, 0]])
    assert columns.is_category.all()


def test_within_a_series_all_columns_are_known_but_those_of_the_past() -> None:
    series = forecast_body(X=[[1, 2, 3, 4, 5], [6] * 5, [7, 8, 7, 8, 7]])
    check_columns(series, None)
    columns = columns_of_windows(series, [1])
    assert columns is not None
    np.testing.assert_array_equal(columns.indices, [0, 2])
    assert columns.steps_ahead == 0
    assert columns_of_windows(series, [0, 1, 2]) is None


def days(points: int = 200, h: int = 7, **fields: Any) -> Body:
    """Return two daily series that follow a column: a step of the column is a step of both."""
    column = np.random.default_rng(1).normal(size=(2, points + h)).round(3)
    season = 10 * np.sin(2 * np.pi * np.arange(points) / 7)
    values = [(100 + season + 20 * series[:points]).round(3).tolist() for series in column]
    made = body(*values, freq="D", h=h, **fields)
    made["series"]["X"] = [column[:, :points].ravel().tolist(), [1.0] * (2 * points)]
    made["series"]["X_future"] = [column[:, points:].ravel().tolist()]
    return made


def test_a_forecast_follows_its_column(api: Api) -> None:
    asked = days(feature_contributions=True)
    content = post(api, "forecast", asked).get_json()
    median, rows = np.array(content["mean"]), np.array(content["feature_contributions"])
    assert rows.shape == (3, 14)
    np.testing.assert_allclose(rows.sum(axis=0), median)
    assert not rows[1].any()
    column = np.array(asked["series"]["X_future"][0])
    np.testing.assert_allclose(rows[0] - rows[0].mean(), 20 * (column - column.mean()), atol=6)


def test_a_series_is_forecast_alike_with_and_without_others(api: Api) -> None:
    whole = days()
    series = whole["series"]
    second = series | {
        "y": series["y"][200:],
        "sizes": [200],
        "start_datetime": series["start_datetime"][1:],
        "X": [column[200:] for column in series["X"]],
        "X_future": [series["X_future"][0][7:]],
    }
    together = post(api, "forecast", whole).get_json()["mean"]
    single = post(api, "forecast", whole | {"series": second}).get_json()["mean"]
    assert single == together[7:]


def test_windows_know_the_columns_of_their_steps(api: Api) -> None:
    sent = days(n_windows=2, step_size=7)
    sent["series"].pop("X_future")
    known = post(api, "cross_validation", sent).get_json()
    past = post(api, "cross_validation", sent | {"hist_exog": [0, 1]}).get_json()
    actual = np.array(sent["series"]["y"])[known["idxs"]]
    errors = [np.abs(np.array(forecast["mean"]) - actual).mean() for forecast in (known, past)]
    assert errors[0] < errors[1] / 2


def test_a_start_that_is_not_a_time_fails_nothing(api: Api) -> None:
    dates = [["2020-01-01T00:00:00+09:00"] * 2, ["0001-01-01"] * 2]
    for started in (None, [], ["x", None], [1], "2020-01-01", *dates):
        sent = days()
        sent["series"]["start_datetime"] = started
        assert post(api, "forecast", sent).status_code == 200


def office_body(begun: str, weeks: int = 20, h: int = 48, **fields: Any) -> Body:
    """Return hourly values of an office that is closed on German holidays."""
    hours = np.arange(weeks * 168) * np.timedelta64(1, "h") + np.datetime64(begun)
    dates, hour = hours.astype("datetime64[D]"), np.arange(weeks * 168) % 24
    closed = ["2024-01-01", "2024-03-29", "2024-04-01", "2024-05-01"]
    is_open = np.is_busday(dates, holidays=closed) & (hour > 7) & (hour < 18)
    noise = np.random.default_rng(1).normal(0, 2, len(hours))
    made = body((20 + 50 * is_open + noise).round(2).tolist(), freq="h", h=h, **fields)
    made["series"]["start_datetime"] = [begun]
    return made


def test_hours_know_the_holidays_of_a_country(api: Api) -> None:
    # Whit Monday is the day after the history.
    sent = office_body("2024-01-01T00:00:00")
    plain = post(api, "forecast", sent).get_json()["mean"]
    known = {"model_parameters": {"holidays": "de"}}
    median = post(api, "forecast", sent | known).get_json()["mean"]
    assert plain[12] > 60
    assert median[12] < 40
    assert median[36] > 60


def test_an_unknown_country_is_rejected(api: Api) -> None:
    sent = office_body("2024-01-01T00:00:00", model_parameters={"holidays": "DEU"})
    details = error_of(post(api, "forecast", sent), 422)["details"]
    assert details["field"] == "model_parameters"
    assert "unknown holidays" in details["issue"]
