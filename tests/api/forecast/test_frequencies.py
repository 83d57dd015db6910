"""The grid of a series over HTTP: steps, anchors, holes, other frequencies (D10)."""

from datetime import timedelta

import pytest

from tests.forecasting.calendar.calendars import business_days, every, every_month, without
from tests.support.api import Api, details_of, first_defect

SECOND, MINUTE, HOUR = timedelta(seconds=1), timedelta(minutes=1), timedelta(hours=1)
DAY, WEEK = timedelta(days=1), timedelta(weeks=1)


def body_of(times: list[str], frequency: str, horizon: int = 3) -> dict:
    """A body with ``times``."""
    values = [30 + index / 3 + index * index % 5 for index in range(len(times))]
    return {
        "series": [{"timestamps": times, "values": values}],
        "forecast_horizon": horizon,
        "data_frequency": frequency,
        "forecast_frequency": frequency,
    }


# frequency, the timestamps, and the three that come next
GRIDS: dict[str, tuple[str, list[str], list[str]]] = {
    "seconds": ("Seconds", every(SECOND, 20), ["00:00:20", "00:00:21", "00:00:22"]),
    "ten seconds": ("Seconds", every(10 * SECOND, 20), ["00:03:20", "00:03:30", "00:03:40"]),
    "ninety seconds": ("Seconds", every(90 * SECOND, 20), ["00:30:00", "00:31:30", "00:33:00"]),
    "minutes": ("Minutes", every(MINUTE, 60), ["01:00:00", "01:01:00", "01:02:00"]),
    "five minutes": ("Minutes", every(5 * MINUTE, 24), ["02:00:00", "02:05:00", "02:10:00"]),
    "two hours in minutes": ("Minutes", every(2 * HOUR, 11), ["22:00:00", "2024-01-02T00:00:00"]),
    "hours": ("Hours", every(HOUR, 20), ["20:00:00", "21:00:00", "22:00:00"]),
    "six hours": ("Hours", every(6 * HOUR, 12), ["2024-01-04T00:00:00", "2024-01-04T06:00:00"]),
    "hours off the hour": (
        "Hours",
        every(HOUR, 20, "2024-01-01T00:17:03"),
        ["20:17:03", "21:17:03", "22:17:03"],
    ),
    "days": ("Daily", every(DAY, 31), ["2024-02-01", "2024-02-02", "2024-02-03"]),
    "days over a leap day": (
        "Daily",
        every(DAY, 27, "2024-02-01T06:30:00"),
        ["2024-02-28T06:30:00", "2024-02-29T06:30:00", "2024-03-01T06:30:00"],
    ),
    "every other day": ("Daily", every(2 * DAY, 15), ["2024-01-31", "2024-02-02"]),
    "two weeks in days": ("Daily", every(2 * WEEK, 12), ["2024-06-17", "2024-07-01"]),
    "business days": ("Daily", business_days(20), ["2024-01-29", "2024-01-30", "2024-01-31"]),
    "business days to a Friday": (
        "Daily",
        business_days(15, "2024-01-01T16:00:00"),
        ["2024-01-22T16:00:00", "2024-01-23T16:00:00"],
    ),
    "business days from midweek": (
        "Daily",
        business_days(17, "2024-01-03T00:00:00"),
        ["2024-01-26", "2024-01-29", "2024-01-30"],
    ),
    "weeks": ("Weekly", every(WEEK, 12), ["2024-03-25", "2024-04-01", "2024-04-08"]),
    "Sundays": ("Weekly", every(WEEK, 12, "2024-01-07T00:00:00"), ["2024-03-31", "2024-04-07"]),
    "two weeks": ("Weekly", every(2 * WEEK, 12), ["2024-06-17", "2024-07-01"]),
    "month starts": (
        "Monthly",
        every_month(1, 24, "2023-01-01T00:00:00"),
        ["2025-01-01", "2025-02-01", "2025-03-01"],
    ),
    "month ends": (
        "Monthly",
        every_month(1, 24, "2023-01-31T00:00:00", 31),
        ["2025-01-31", "2025-02-28", "2025-03-31"],
    ),
    "month ends to February": (
        "Monthly",
        every_month(1, 14, "2023-01-31T00:00:00", 31),
        ["2024-03-31", "2024-04-30", "2024-05-31"],
    ),
    "month ends before a leap day": (
        "Monthly",
        every_month(1, 13, "2023-01-31T23:59:59", 31),
        ["2024-02-29T23:59:59", "2024-03-31T23:59:59"],
    ),
    "the fifteenth": (
        "Monthly",
        every_month(1, 12, "2024-01-15T08:00:00"),
        ["2025-01-15T08:00:00", "2025-02-15T08:00:00"],
    ),
    "the thirtieth, cut in February": (
        "Monthly",
        every_month(1, 13, "2023-01-30T00:00:00", 30),
        ["2024-02-29", "2024-03-30", "2024-04-30"],
    ),
    "every other month": (
        "Monthly",
        every_month(2, 12, "2023-01-31T00:00:00", 31),
        ["2025-01-31", "2025-03-31", "2025-05-31"],
    ),
    "quarter starts": (
        "Quarterly",
        every_month(3, 12, "2022-01-01T00:00:00"),
        ["2025-01-01", "2025-04-01", "2025-07-01"],
    ),
    "quarter ends": (
        "Quarterly",
        every_month(3, 12, "2022-03-31T00:00:00", 31),
        ["2025-03-31", "2025-06-30", "2025-09-30"],
    ),
    "fiscal quarters": (
        "Quarterly",
        every_month(3, 12, "2022-02-01T00:00:00"),
        ["2025-02-01", "2025-05-01", "2025-08-01"],
    ),
    "half years in quarters": (
        "Quarterly",
        every_month(6, 12, "2019-01-01T00:00:00"),
        ["2025-01-01", "2025-07-01", "2026-01-01"],
    ),
    "years": (
        "Yearly",
        every_month(12, 12, "2013-01-01T00:00:00"),
        ["2025-01-01", "2026-01-01", "2027-01-01"],
    ),
    "year ends": (
        "Yearly",
        every_month(12, 12, "2012-12-31T00:00:00"),
        ["2024-12-31", "2025-12-31", "2026-12-31"],
    ),
    "leap days": (
        "Yearly",
        every_month(12, 12, "2012-02-29T00:00:00", 29),
        ["2024-02-29", "2025-02-28", "2026-02-28"],
    ),
    "every four years": (
        "Yearly",
        every_month(48, 12, "1976-02-29T00:00:00", 29),
        ["2024-02-29", "2028-02-29"],
    ),
    "decades": ("Yearly", every_month(120, 12, "1900-06-01T00:00:00"), ["2020-06-01"]),
}


def in_full(text: str) -> str:
    """A row's short form: a time of 2024-01-01, or a date at midnight."""
    if "T" in text:
        return text
    return f"2024-01-01T{text}" if ":" in text else f"{text}T00:00:00"


@pytest.mark.parametrize(("frequency", "times", "following"), GRIDS.values(), ids=GRIDS.keys())
def test_the_forecast_goes_on_in_the_grid_of_the_series(
    api: Api, frequency: str, times: list[str], following: list[str]
) -> None:
    answer = api.forecast(body_of(times, frequency, len(following)))
    assert answer.status_code == 200, answer.get_data(as_text=True)
    assert answer.get_json()["forecast_timestamps"] == [in_full(text) for text in following]


# declared frequency, the timestamps, and the frequency that fits
MISFITS: dict[str, tuple[str, list[str], str]] = {
    "sixty seconds": ("Seconds", every(MINUTE, 20), "Minutes"),
    "an hour of seconds": ("Seconds", every(HOUR, 20), "Hours"),
    "sixty minutes": ("Minutes", every(HOUR, 20), "Hours"),
    "24 hours": ("Hours", every(DAY, 20), "Daily"),
    "7 days": ("Daily", every(WEEK, 20), "Weekly"),
    "3 months": ("Monthly", every_month(3, 20, "2020-01-01T00:00:00"), "Quarterly"),
    "12 months": ("Monthly", every_month(12, 20, "2000-01-01T00:00:00"), "Yearly"),
    "4 quarters": ("Quarterly", every_month(12, 20, "2000-01-01T00:00:00"), "Yearly"),
    "seconds as minutes": ("Minutes", every(SECOND, 20), "Seconds"),
    "minutes as hours": ("Hours", every(15 * MINUTE, 20), "Minutes"),
    "hours as days": ("Daily", every(HOUR, 20), "Hours"),
    "days as hours": ("Hours", every(DAY, 40), "Daily"),
    "days as weeks": ("Weekly", every(DAY, 40), "Daily"),
    "days as months": ("Monthly", every(DAY, 90), "Daily"),
    "weeks as months": ("Monthly", every(WEEK, 40), "Weekly"),
    "months as days": ("Daily", every_month(1, 24, "2020-01-01T00:00:00"), "Monthly"),
    "month ends as weeks": ("Weekly", every_month(1, 24, "2020-01-31T00:00:00", 31), "Monthly"),
    "months as quarters": ("Quarterly", every_month(1, 24, "2020-01-01T00:00:00"), "Monthly"),
    "months as years": ("Yearly", every_month(1, 24, "2020-01-01T00:00:00"), "Monthly"),
    "quarters as years": ("Yearly", every_month(3, 24, "2010-01-01T00:00:00"), "Quarterly"),
    "years as seconds": ("Seconds", every_month(12, 24, "1990-01-01T00:00:00"), "Yearly"),
    "business days as weeks": ("Weekly", business_days(40), "Daily"),
    "business days as hours": ("Hours", business_days(40), "Daily"),
}


@pytest.mark.parametrize(("declared", "times", "fitting"), MISFITS.values(), ids=MISFITS.keys())
def test_a_step_of_another_frequency_is_refused_by_the_name_of_the_one_that_fits(
    api: Api, declared: str, times: list[str], fitting: str
) -> None:
    field, issue, _provided = first_defect(api.forecast(body_of(times, declared)), 422)
    assert field.startswith("series[0].timestamps")
    assert issue.startswith("invalid frequency: ")
    assert f"which is {fitting}, not {declared}" in issue
    assert issue.endswith(f"send data_frequency and forecast_frequency {fitting}")
    assert api.forecast(body_of(times, fitting)).status_code == 200


# frequency, the whole grid, the indices left out, the first missing timestamp
HOLES: dict[str, tuple[str, list[str], list[int], str]] = {
    "a day": ("Daily", every(DAY, 40), [20], "2024-01-21T00:00:00"),
    "three days": ("Daily", every(DAY, 40), [20, 21, 22], "2024-01-21T00:00:00"),
    "the second": ("Hours", every(HOUR, 40), [1], "2024-01-01T01:00:00"),
    "the last but one": ("Minutes", every(5 * MINUTE, 40), [38], "2024-01-01T03:10:00"),
    "a business day": ("Daily", business_days(40), [7], "2024-01-10T00:00:00"),
    "a Friday": ("Daily", business_days(40), [9], "2024-01-12T00:00:00"),
    "a Saturday": ("Daily", every(DAY, 40), [5], "2024-01-06T00:00:00"),
    "a week": ("Weekly", every(WEEK, 40), [3], "2024-01-22T00:00:00"),
    "a month": ("Monthly", every_month(1, 24, "2023-01-01T00:00:00"), [1], "2023-02-01T00:00:00"),
    "February's end": (
        "Monthly",
        every_month(1, 24, "2023-01-31T00:00:00", 31),
        [13],
        "2024-02-29T00:00:00",
    ),
    "a quarter": (
        "Quarterly",
        every_month(3, 24, "2020-03-31T00:00:00", 31),
        [5],
        "2021-06-30T00:00:00",
    ),
    "a leap year": (
        "Yearly",
        every_month(12, 24, "2000-02-29T00:00:00", 29),
        [4],
        "2004-02-29T00:00:00",
    ),
}


@pytest.mark.parametrize(
    ("frequency", "grid", "left_out", "missing"), HOLES.values(), ids=HOLES.keys()
)
def test_a_hole_is_a_missing_entry_that_is_named(
    api: Api, frequency: str, grid: list[str], left_out: list[int], missing: str
) -> None:
    answer = api.forecast(body_of(without(grid, *left_out), frequency))
    field, issue, provided = first_defect(answer, 422)
    assert field == f"series[0].timestamps[{left_out[0]}]"
    assert provided == grid[left_out[-1] + 1]
    assert issue.startswith(f"missing entry: {missing} is missing")
    assert "send every entry" in issue


def test_every_hole_is_listed(api: Api) -> None:
    answer = api.forecast(body_of(without(every(DAY, 60), 10, 20, 21, 30), "Daily"))
    fields = [error["field"] for error in details_of(answer, 422)["errors"]]
    assert fields == [f"series[0].timestamps[{index}]" for index in (10, 19, 27)]


DAYS = every(DAY, 40)


@pytest.mark.parametrize(
    ("times", "index", "issue"),
    [
        ([*DAYS[:6], *DAYS[5:]], 6, "duplicate timestamp: 2024-01-06T00:00:00"),
        ([DAYS[0]] * 40, 1, "duplicate timestamp: 2024-01-01T00:00:00"),
        ([*DAYS[:5], DAYS[6], DAYS[5], *DAYS[7:]], 6, "timestamps must be in chronological order"),
        (DAYS[::-1], 1, "timestamps must be in chronological order"),
        ([*DAYS[:5], "2024-01-06T03:00:00", *DAYS[6:]], 5, "irregular spacing"),
    ],
)
def test_disorder_duplicates_and_strays_are_named(
    api: Api, times: list[str], index: int, issue: str
) -> None:
    field, found, provided = first_defect(api.forecast(body_of(times, "Daily")), 422)
    assert field == f"series[0].timestamps[{index}]"
    assert provided == times[index]
    assert found.startswith(issue)
    assert "; " in found  # what is wrong, and what to send instead
