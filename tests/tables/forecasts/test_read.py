"""Which series of a table can be forecast."""

import datetime as dt

from app.tables.forecasts.read import read_to_forecast
from app.tables.forecasts.types import TableToForecast
from app.tables.results import Answers, Fill, PeriodAggregation
from tests.tables.tables import BOUNDS

WEEKS = ("01-01", "01-02", "01-03", "01-05", "01-06", "01-08", "01-09", "01-10", "01-11")


def test_values_that_were_filled_do_not_count_towards_the_least() -> None:
    rows = "\n".join(["day,n", *(f"2024-{day},{i}" for i, day in enumerate(WEEKS))])
    table = read_to_forecast(rows.encode(), Answers(fill=Fill.LINEAR), BOUNDS, has_sum=False)
    assert isinstance(table, TableToForecast)
    assert [series.problem for series in table.series] == [
        "has 9 points, the others are filled in: send 10 or more"
    ]


def invoices() -> bytes:
    """Rows of invoices, up to a week apart, of two items."""
    start = dt.date(2025, 1, 2)
    days = sorted({start + dt.timedelta(3 * n + n * n * 5 % 11) for n in range(120)})
    rows = [f"{day},{name},{10 + day.day}" for day in days for name in ("A", "B")]
    return "\n".join(["date,item,amount", *rows]).encode()


def test_invoices_are_asked_how_to_combine_them_not_how_far_they_are_apart() -> None:
    table = read_to_forecast(invoices(), Answers(), BOUNDS, has_sum=False)
    assert isinstance(table, TableToForecast)
    assert [question.parameter for question in table.questions] == ["per"]
    assert {series.problem for series in table.series} == {"no step fits all dates: send per=…"}
    per = PeriodAggregation.MONTH_TOTAL
    table = read_to_forecast(invoices(), Answers(per=per), BOUNDS, has_sum=False)
    assert isinstance(table, TableToForecast)
    assert table.questions == []
