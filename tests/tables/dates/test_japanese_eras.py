"""Dates of Japanese eras: the first year of Reiwa is 2019, that of Heisei 1989."""

import pytest

from tests.tables.tables import read_text


@pytest.mark.parametrize(
    ("dates", "first", "last", "frequency"),
    [
        ([f"令和6年{month}月" for month in range(1, 13)], "2024-01-01", "2024-12-01", "Monthly"),
        (
            [f"令和 6 年 {month} 月" for month in range(1, 13)],
            "2024-01-01",
            "2024-12-01",
            "Monthly",
        ),
        ([f"R6年{month}月" for month in range(1, 13)], "2024-01-01", "2024-12-01", "Monthly"),
        ([f"R6.4.{day}" for day in range(1, 31)], "2024-04-01", "2024-04-30", "Daily"),
        ([f"R06/04/{day:02}" for day in range(1, 31)], "2024-04-01", "2024-04-30", "Daily"),
        ([f"H31.4.{day}" for day in range(1, 31)], "2019-04-01", "2019-04-30", "Daily"),
        (
            [*(f"平成31年{month}月" for month in range(1, 5)), "令和元年5月", "令和元年6月"],
            "2019-01-01",
            "2019-06-01",
            "Monthly",
        ),
        ([f"平成{year}年" for year in range(1, 32)], "1989-01-01", "2019-01-01", "Yearly"),
        (["昭和63年", "平成1年", "平成2年"], "1988-01-01", "1990-01-01", "Yearly"),
    ],
)
def test_dates_of_eras_are_those_of_our_calendar(
    dates: list[str], first: str, last: str, frequency: str
) -> None:
    [series] = read_text(
        ["年月,売上", *(f"{date},{100 + i}" for i, date in enumerate(dates))]
    ).series
    assert (series.timestamps[0][:10], series.timestamps[-1][:10]) == (first, last)
    assert (series.data_frequency, series.step) == (frequency, 1)


def test_years_of_eras_beside_months_are_months() -> None:
    header = "年," + ",".join(f"{month}月" for month in range(1, 13))
    rows = [
        f"令和{year}年," + ",".join(map(str, range(year * 20, year * 20 + 12))) for year in (4, 5)
    ]
    [series] = read_text([header, *rows]).series
    assert (series.timestamps[0][:10], len(series.values)) == ("2022-01-01", 24)
