"""Timestamps over HTTP: their form, real dates, one offset, years 1 to 9999."""

import pytest

from tests.support.api import Api, details_of, first_defect, with_entry, with_series
from tests.support.series import daily_body, regular_body
from tests.timeseries.calendar.calendars import omit

GOOD = daily_body()
TIMES: list[str] = GOOD["series"][0]["timestamps"]
NEXT_DAYS = [f"2024-02-{day}T00:00:00" for day in (10, 11, 12, 13, 14)]
LAST_DAYS = regular_body("Daily", 40, "9999-11-12T00:00:00")  # ends on 9999-12-21


def body_of_suffixes(*suffixes: str) -> dict:
    """Return the good body whose timestamps end in ``suffixes``, in turn."""
    times = [time + suffixes[index % len(suffixes)] for index, time in enumerate(TIMES)]
    return with_series(GOOD, timestamps=times)


@pytest.mark.parametrize(
    ("sent", "returned"),
    [(end, end) for end in ("", "Z", "+00:00", "+02:00", "-05:30", "+14:00")]
    + [(".0", ""), (".000", ""), (".000000", ""), (".000Z", "Z"), (".000000+02:00", "+02:00")],
)
def test_the_forecast_continues_in_the_form_that_was_sent(
    api: Api, sent: str, returned: str
) -> None:
    response = api.forecast(body_of_suffixes(sent))
    assert response.status_code == 200, response.get_data(as_text=True)
    assert response.get_json()["forecast_timestamps"] == [time + returned for time in NEXT_DAYS]


def test_an_offset_does_not_change_the_numbers(api: Api) -> None:
    medians = [
        api.forecast(body_of_suffixes(end)).get_json()["median"] for end in ("", "Z", "-11:00")
    ]
    assert medians[0] == medians[1] == medians[2]


# One timestamp of each kind; the tests of the calendar have the others.
@pytest.mark.parametrize(
    "text",
    [
        *("", "now", "1705536000", "2024-01-18", "2024-01-18 00:00:00", "２０２４-01-18T00:00:00"),
        "2024-01-18T00:00:00\n", "2024-01-18T00:00:00\0", "2024-01-18T00:00:00.001Z",
        "2024-01-18T00:00:00+0200", "2024-01-18T00:00:00[Europe/Berlin]",
        "2024-01-18T24:00:00", "2024-02-30T00:00:00", "0000-01-18T00:00:00",
    ],
)  # fmt: skip
def test_another_form_or_an_unreal_moment_is_rejected(api: Api, text: str) -> None:
    response = api.forecast(with_entry(GOOD, "timestamps", 17, text))
    field, issue, provided = first_defect(response, 422)
    assert (field, provided) == ("series[0].timestamps[17]", text)
    assert issue.startswith("invalid timestamp format: ")
    assert "send" in issue


@pytest.mark.parametrize("other", ["Z", "+00:00", "-02:00", "+02:30", ""])
def test_two_offsets_in_one_series_are_rejected(api: Api, other: str) -> None:
    body = with_entry(body_of_suffixes("+02:00"), "timestamps", 9, TIMES[9] + other)
    field, issue, _provided = first_defect(api.forecast(body), 422)
    assert field == "series[0].timestamps[9]"
    assert issue.startswith("invalid timestamp format: ")
    assert "one offset for the whole series" in issue


def test_every_unreadable_timestamp_is_listed(api: Api) -> None:
    body = with_series(GOOD, timestamps=[f"day {day}" for day in range(40)])
    errors = details_of(api.forecast(body), 422)["errors"]
    assert [error["field"] for error in errors] == [
        f"series[0].timestamps[{index}]" for index in range(20)
    ]


@pytest.mark.parametrize("ending", ["Z", "+02:00"])
def test_messages_name_timestamps_in_the_form_that_was_sent(api: Api, ending: str) -> None:
    column = body_of_suffixes(ending)["series"][0]
    times, values = omit(column["timestamps"], 20), column["values"][:-1]
    body = with_series(GOOD, timestamps=times, values=values)
    _field, issue, _provided = first_defect(api.forecast(body), 422)
    assert f"2024-01-21T00:00:00{ending} is missing" in issue


@pytest.mark.parametrize(
    ("frequency", "start", "following"),
    [
        ("Daily", "0001-01-01T00:00:00", "0001-02-10T00:00:00"),
        ("Daily", "1582-10-01T00:00:00", "1582-11-10T00:00:00"),
        ("Daily", "1676-12-01T12:00:00", "1677-01-10T12:00:00"),
        ("Daily", "2262-04-01T00:00:00", "2262-05-11T00:00:00"),
        ("Yearly", "1600-01-01T00:00:00", "1640-01-01T00:00:00"),
        ("Seconds", "9999-12-31T23:59:00", "9999-12-31T23:59:40"),
    ],
)
def test_years_outside_what_nanoseconds_hold_are_forecast(
    api: Api, frequency: str, start: str, following: str
) -> None:
    response = api.forecast(regular_body(frequency, 40, start))
    assert response.status_code == 200, response.get_data(as_text=True)
    assert response.get_json()["forecast_timestamps"][0] == following


def test_a_forecast_may_reach_the_last_day_of_the_calendar(api: Api) -> None:
    response = api.forecast(LAST_DAYS | {"forecast_horizon": 10})
    assert response.get_json()["forecast_timestamps"][-1] == "9999-12-31T00:00:00"


@pytest.mark.parametrize(
    "values", [["a", *range(39)], [*range(39), 1e101], [*range(39)], [1], [], None, ...]
)
def test_a_forecast_past_the_year_9999_is_a_wrong_horizon_for_any_values(
    api: Api, values: object
) -> None:
    body = with_series(LAST_DAYS | {"forecast_horizon": 11}, values=values)
    errors = details_of(api.forecast(body), 400)["errors"]
    assert errors[0]["field"] == "forecast_horizon"
    assert errors[1]["field"].startswith("series[0].values")


def test_a_forecast_past_the_year_9999_is_a_wrong_horizon(api: Api) -> None:
    field, issue, provided = first_defect(api.forecast(LAST_DAYS | {"forecast_horizon": 11}), 400)
    assert (field, provided) == ("forecast_horizon", 11)
    assert "9999" in issue
    assert "at most 10" in issue


def test_a_series_at_the_end_of_the_calendar_has_no_horizon(api: Api) -> None:
    body = regular_body("Yearly", 40, "9960-01-01T00:00:00") | {"forecast_horizon": 1}
    field, issue, _provided = first_defect(api.forecast(body), 400)
    assert field == "forecast_horizon"
    assert "too late" in issue
