"""Which series of a table can be forecast."""

import datetime as dt
from collections.abc import Sequence

import numpy as np
import pytest

from app.tables.answers import Fill, PeriodAggregation
from app.tables.forecasts.types import TableToForecast
from tests.tables.kinds.case import draw, to_text
from tests.tables.tables import table_to_forecast

WEEKS = ("01-01", "01-02", "01-03", "01-05", "01-06", "01-08", "01-09", "01-10", "01-11")
SALES, FREIGHT, GOODS, WAGES = draw(12, 900), draw(12, 40), draw(12, 300)[::-1], draw(12, 95)
INCOME = np.add(SALES, FREIGHT).round(2).tolist()
GROSS = np.subtract(INCOME, GOODS).round(2).tolist()
PROFIT = np.subtract(GROSS, WAGES).round(2).tolist()


def test_filled_values_do_not_count_towards_the_minimum() -> None:
    rows = "\n".join(["day,n", *(f"2024-{day},{i}" for i, day in enumerate(WEEKS))])
    table = table_to_forecast(rows.encode(), fill=Fill.LINEAR)
    assert [series.problem for series in table.series] == [
        "has 9 points, the others are filled in: send 10 or more"
    ]


def forecast_with_sum(*rows: Sequence[float], names: str) -> TableToForecast:
    """Return the series of columns by month, and their sum."""
    header = [f"2025-{month:02}" for month in range(1, 13)]
    written = [";".join(map(str, row)) for row in zip(header, *rows, strict=True)]
    text = to_text(";".join(["Month", *names.split(",")]), written)
    return table_to_forecast(text.encode(), includes_sum=True)


@pytest.mark.parametrize(
    ("rows", "names", "left_out"),
    [
        ((SALES, FREIGHT, INCOME), "Sales,Freight,Total", "“Total”"),
        ((INCOME, SALES, FREIGHT), "Income,Sales,Freight", "“Income”"),
        (
            (SALES, FREIGHT, GOODS, GROSS, WAGES, PROFIT),
            "Sales,Freight,Goods,Gross profit,Wages,Net profit",
            "“Gross profit”, “Net profit”",
        ),
    ],
)
def test_the_sum_of_all_series_counts_none_twice(
    rows: tuple[Sequence[float], ...], names: str, left_out: str
) -> None:
    table = forecast_with_sum(*rows, names=names)
    *series, total = table.series
    assert [len(series), total.name] == [len(rows), "all"]
    counted = [own.values for own in series if f"“{own.name}”" not in left_out]
    assert total.values == pytest.approx(np.sum(counted, axis=0))
    text = f"Computed from others: {left_out}. “all” excludes them."
    assert text in [remark.remark for remark in table.remarks]


def test_the_forecast_of_a_total_is_reported_to_differ_from_the_sum_of_its_parts() -> None:
    rows = enumerate(zip(SALES, FREIGHT, INCOME, strict=True))
    text = "\n".join(f"2024-01-{n + 1:02},{a},{b},{c}" for n, (a, b, c) in rows)
    content = f"day,Sales,Freight,Total\n{text}".encode()
    table = table_to_forecast(content)
    assert [series.name for series in table.series] == ["Sales", "Freight", "Total"]
    [remark] = [remark.remark for remark in table.remarks if remark.code == "computed_series"]
    assert remark == "Computed from others: “Total”. Forecast by itself: not exactly their sum."


def test_a_total_that_ends_before_its_parts_is_compared_with_them_by_date() -> None:
    totals = [*map(str, INCOME[:-1]), ""]
    months = enumerate(zip(SALES, FREIGHT, totals, strict=True), 1)
    rows = [f"2025-{month:02};{a};{b};{total}" for month, (a, b, total) in months]
    table = table_to_forecast(to_text("Month;Sales;Freight;Total", rows).encode())
    assert [series.values.size for series in table.series] == [12, 12, 11]
    [remark] = [remark.remark for remark in table.remarks if remark.code == "computed_series"]
    assert remark.startswith("Computed from others: “Total”.")


def test_series_that_are_not_computed_are_all_in_the_sum() -> None:
    table = forecast_with_sum(SALES, FREIGHT, GOODS, WAGES, names="a,b,c,d")
    assert table.series[-1].values == pytest.approx(np.sum([SALES, FREIGHT, GOODS, WAGES], axis=0))
    assert not [remark for remark in table.remarks if remark.code == "computed_series"]


def invoices() -> bytes:
    """Return rows of invoices, up to a week apart, of two items."""
    start = dt.date(2025, 1, 2)
    days = sorted({start + dt.timedelta(3 * n + n * n * 5 % 11) for n in range(120)})
    rows = [f"{day},{name},{10 + day.day}" for day in days for name in ("A", "B")]
    return "\n".join(["date,item,amount", *rows]).encode()


def test_for_invoices_it_is_asked_how_to_combine_them() -> None:
    table = table_to_forecast(invoices())
    assert [question.parameter for question in table.questions] == ["per"]
    assert {series.problem for series in table.series} == {"no step fits all dates: send per=…"}
    per = PeriodAggregation.MONTH_TOTAL
    table = table_to_forecast(invoices(), per=per)
    assert table.questions == []


def rates(ended: int) -> bytes:
    """Return 120 days of a currency that lacks three of them, beside one that ends on a day."""
    rows = [
        f"{dt.date(2024, 1, 1) + dt.timedelta(n)},{'' if n in (50, 51, 90) else 4 + n % 7},"
        f"{7 + n % 5 if n < ended else ''}"
        for n in range(120)
    ]
    return "\n".join(["date,USD,ATS", *rows]).encode()


@pytest.mark.parametrize(("ended", "asked"), [(30, ["fill"]), (90, ["fill"]), (118, []), (120, [])])
def test_a_series_that_ended_long_ago_is_not_forecast_in_place_of_those_with_gaps(
    ended: int, asked: list[str]
) -> None:
    table = table_to_forecast(rates(ended))
    assert [question.parameter for question in table.questions] == asked
