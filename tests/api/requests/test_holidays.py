"""X-Holidays on POST /forecast and /backtest."""

import datetime as dt
from typing import Any

import pytest

from app.timeseries.calendar.countries import public_holidays
from tests.support.api import Api, error_of, first_defect, with_series
from tests.support.series import body_of, daily_body, with_a_season

NOTICE = "X-Forecast-Notice"
REMEDY = "send an ISO 3166 code of a country or of a part of it, for example AU or AU-VIC"
EPOCH = dt.datetime(1970, 1, 1)
UNKNOWN = [
    ("", ""),
    ("XX", ""),
    ("AU-VIX", "did you mean AU-VIC? "),
    ("Germany", "did you mean DE? "),
    ("uk", "did you mean GB? "),
    ("SG-01", "did you mean SG? "),  # only the whole country is known
    ("AUVIC", "did you mean AU-VIC? "),
    ("AU-VIC,NZ", "did you mean AU-VIC? "),
    ("NYSE", ""),
]


def shop(points: int = 1040, horizon: int = 28) -> dict[str, Any]:
    """Return the sales of a shop that is closed on Victorian holidays, up to 7 December 2023."""
    closed = public_holidays("AU-VIC", 2021, 2024)
    first = dt.datetime(2021, 2, 1)
    days = [first + dt.timedelta(days=day) for day in range(points)]
    values = [
        0.0 if (day - EPOCH).days in closed else value
        for day, value in zip(days, with_a_season(points), strict=True)
    ]
    return body_of([day.isoformat() for day in days], values, "Daily", horizon)


def hours(suffix: str = "") -> dict[str, Any]:
    """Return ten weeks of hours up to Sunday, 24 March 2024, with five busy days; 168 ahead."""
    first = dt.datetime(2024, 1, 15)
    times = [first + dt.timedelta(hours=hour) for hour in range(70 * 24)]
    noise = with_a_season(len(times), 24)
    values = [value + 100 * (time.weekday() < 5) for time, value in zip(times, noise, strict=True)]
    return body_of([time.isoformat() + suffix for time in times], values, "Hours", 100)


def test_a_shop_that_closes_on_holidays_is_forecast_so(api: Api) -> None:
    response = api.forecast(shop(), X_Holidays="AU-VIC")
    assert response.status_code == 200
    assert response.headers[NOTICE] == "holidays of AU-VIC: 3 ahead, learned from 41"
    result = dict(
        zip(response.get_json()["forecast_timestamps"], response.get_json()["median"], strict=True)
    )
    assert result["2023-12-25T00:00:00"] < 30
    assert result["2023-12-20T00:00:00"] > 80


def test_without_the_header_days_know_christmas_and_easter(api: Api) -> None:
    response = api.forecast(shop())
    assert response.headers[NOTICE] == "adjusted for Christmas, New Year and Easter"
    assert response.get_json()["median"][17] < 30


@pytest.mark.parametrize("sent", ["none", "NONE"])
def test_none_switches_holidays_off_in_forecasts_and_backtests(api: Api, sent: str) -> None:
    response = api.forecast(shop(), X_Holidays=sent)
    assert NOTICE not in response.headers
    assert response.get_data() != api.forecast(shop()).get_data()
    body = shop(1040 + 28) | {"models": ["forecast-model-2"], "windows": 1}
    response = api.backtest(body, X_Holidays=sent)
    assert response.status_code == 200
    assert "Christmas" not in response.headers.get(NOTICE, "")


@pytest.mark.parametrize("sent", ["au-vic", "Au-Vic", " AU-VIC "])
def test_the_code_is_read_in_any_case(api: Api, sent: str) -> None:
    meant = api.forecast(shop(), X_Holidays="AU-VIC")
    response = api.forecast(shop(), X_Holidays=sent)
    assert response.get_data() == meant.get_data()
    assert response.headers[NOTICE] == meant.headers[NOTICE]


@pytest.mark.parametrize(("sent", "near"), UNKNOWN)
@pytest.mark.parametrize("send", [Api.forecast, Api.backtest])
def test_unknown_holidays_are_named_with_the_nearest(
    api: Api, send: Any, sent: str, near: str
) -> None:
    response = send(api, daily_body(), X_Holidays=sent)
    assert first_defect(response, 422) == (
        "X-Holidays",
        f"unknown holidays: {sent!r} was sent; {near}{REMEDY}",
        sent,
    )


def test_a_wrong_parameter_comes_before_unknown_holidays(api: Api) -> None:
    response = api.forecast(daily_body() | {"forecast_horizon": 0}, X_Holidays="XX")
    assert first_defect(response, 400)[0] == "forecast_horizon"
    assert len(error_of(response, 400)["details"]["errors"]) == 2


def test_business_days_and_short_series_say_why_holidays_are_not_used(api: Api) -> None:
    response = api.forecast(daily_body(40), X_Holidays="DE")
    assert response.headers[NOTICE].endswith("they are learned from 56 points or more")
    weekdays = shop(400)
    kept = [
        index
        for index, time in enumerate(weekdays["series"][0]["timestamps"])
        if dt.datetime.fromisoformat(time).weekday() < 5
    ]
    columns = {
        name: [items[index] for index in kept] for name, items in weekdays["series"][0].items()
    }
    response = api.forecast(with_series(weekdays, **columns), X_Holidays="DE")
    assert "were not used" in response.headers[NOTICE]


@pytest.mark.parametrize("suffix", ["", "Z", "+02:00"])
def test_holidays_of_hours_are_those_of_the_dates_as_written(api: Api, suffix: str) -> None:
    response = api.forecast(hours(suffix), X_Holidays="AU-VIC")
    assert response.status_code == 200
    notices = response.headers[NOTICE].split("; ")
    assert notices[0] == "holidays of AU-VIC: 1 ahead, learned from 2"
    assert len(notices) == 1 + bool(suffix)
    assert not suffix or notices[1].startswith("holidays are those of the dates as written")


def notice_about_days(api: Api, ending: str) -> str:
    """Return the notice about daily timestamps that end in ``ending``, such as ``T14:00:00Z``."""
    body = shop()
    days = [time.removesuffix("T00:00:00") for time in body["series"][0]["timestamps"]]
    body = with_series(body, timestamps=[day + ending for day in days])
    return api.forecast(body, X_Holidays="AU-VIC").headers[NOTICE]


def test_days_in_another_time_zone_get_the_holidays_of_their_dates_with_a_notice(
    api: Api,
) -> None:
    notice = "holidays are those of the dates as written"
    assert notice in notice_about_days(api, "T14:00:00Z")  # midnight in Melbourne
    assert notice not in notice_about_days(api, "T00:00:00Z")
    assert notice not in notice_about_days(api, "T14:00:00")


def test_holidays_that_are_not_used_are_not_said_to_be_those_of_the_dates(api: Api) -> None:
    response = api.forecast(daily_body(40, "2024-01-01T12:00:00Z"), X_Holidays="DE")
    assert response.headers[NOTICE].endswith("they are learned from 56 points or more")


def test_the_backtest_is_that_of_forecasts_with_the_same_holidays(api: Api) -> None:
    body = shop(1040 + 28) | {"models": ["forecast-model-2"], "windows": 1}
    response = api.backtest(body, X_Holidays="AU-VIC")
    assert response.headers[NOTICE] == "holidays of AU-VIC: 3 ahead, learned from 41"
    (window,) = response.get_json()["windows"]
    forecast = api.forecast(shop(), X_Holidays="AU-VIC").get_json()
    assert window["forecasts"]["forecast-model-2"]["median"] == forecast["median"]
    unaware = api.backtest(with_series(body, values=with_a_season(1068)), X_Holidays="AU")
    assert unaware.headers[NOTICE].endswith("holidays of AU do not show in this series")
