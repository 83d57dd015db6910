"""Combined values: days are returned without a time of day, and remarks say what was done."""

import datetime as dt

import pytest

from tests.api.tables.calls import JSON, XLSX, forecast, rows_of, sheet_of
from tests.support.api import Api

TIMES = [
    dt.datetime(2024, 1, 1, 6) + dt.timedelta(minutes=311 * i + (i * 37) % 97) for i in range(90)
]
TOTALS = "Values are the total of each day (0 if it has none)."


def visits(form: str, header: str = "Time", times: list[dt.datetime] = TIMES) -> str:
    return "\n".join(
        [
            f"{header};Visits",
            *(f"{time.strftime(form)};{1 + i % 3}" for i, time in enumerate(times)),
        ]
    )


@pytest.mark.parametrize(
    ("form", "header", "expected"),
    [
        ("%Y-%m-%d %H:%M:%S", "Time", "2024-01-21"),
        ("%Y-%m-%dT%H:%M:%SZ", "Time", "2024-01-21"),
        ("%d.%m.%Y %H:%M", "Time", "21.01.2024"),
        ("%d.%m.%Y;%H:%M", "Day;Time", "21.01.2024"),
        ("%m/%d/%Y %I:%M %p", "Time", "01/21/2024"),
        ("%d %b %Y, %H:%M", "Time", "21 Jan 2024"),
        ("%Y年%m月%d日 %H:%M", "Time", "2024年01月21日"),
        ("%a, %d.%m.%Y %H:%M", "Time", "Sun, 21.01.2024"),
    ],
)
def test_combined_days_have_no_time_of_day(api: Api, form: str, header: str, expected: str) -> None:
    rows = rows_of(forecast(api, visits(form, header), "per=day-total"), ";")
    assert rows[1][0] == expected


def test_combined_days_of_serial_numbers_have_no_decimals(api: Api) -> None:
    days = [(time - dt.datetime(1899, 12, 30)) / dt.timedelta(days=1) for time in TIMES]
    table = "\n".join(["Time,Visits", *(f"{day:.5f},{1 + i % 3}" for i, day in enumerate(days))])
    rows = rows_of(forecast(api, table, "per=day-total"))
    assert rows[1][0] == "45312"


def test_one_value_a_day_at_varying_times_has_no_time_of_day(api: Api) -> None:
    days = [dt.datetime(2024, 1, 1 + i, 8 + i % 5, 7 * i % 60) for i in range(20)]
    assert rows_of(forecast(api, visits("%d.%m.%Y %H:%M", times=days)), ";")[1][0] == "21.01.2024"


def test_hours_and_days_written_with_a_time_keep_it(api: Api) -> None:
    for step, expected in (("hours", "2024-01-01 20:00:00"), ("days", "2024-01-21 00:00:00")):
        times = [dt.datetime(2024, 1, 1) + dt.timedelta(**{step: i}) for i in range(20)]
        rows = rows_of(forecast(api, visits("%Y-%m-%d %H:%M:%S", times=times)), ";")
        assert rows[1][0] == expected


def test_a_workbook_and_json_say_that_several_a_day_were_added_up(api: Api) -> None:
    table = visits("%d.%m.%Y %H:%M")
    assert [TOTALS] in sheet_of(forecast(api, table, "per=day-total", accept=XLSX), 1)
    body = forecast(api, table, "per=day-total", accept=JSON).get_json()
    assert TOTALS in [remark["remark"] for remark in body["remarks"]]


@pytest.mark.parametrize(
    ("query", "expected"),
    [
        ("duplicates=sum", "Added up by date: 2 series."),
        ("duplicates=mean", "The same date again: line 3, line 5, line 7: their mean is taken."),
        ("duplicates=last", "The same date again: line 3, line 5, line 7: the last counts."),
    ],
)
def test_a_workbook_says_how_values_of_a_date_were_combined(
    api: Api, query: str, expected: str
) -> None:
    days = [f"{day}.01.2024;{shop};{day}" for day in (1, 2, 3) for shop in ("A", "B")]
    days += [f"{day}.01.2024;A;{day}" for day in range(4, 16)]
    if query == "duplicates=sum":
        days += [f"{day}.01.2024;B;{day}" for day in range(4, 16)]
    table = "\n".join(["Day;Shop;Sales", *days])
    answer = forecast(api, table, f"layout=columns&{query}", accept=XLSX)
    assert [expected] in sheet_of(answer, 1)
