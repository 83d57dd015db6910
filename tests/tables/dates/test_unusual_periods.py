"""Periods as statistics offices, exchanges and accounts write them: none is rejected or misread."""

import datetime as dt

import pytest

from tests.tables.kinds.case import days, month_ends, months, rows_of, to_text
from tests.tables.tables import notes_of, read_text, rejection_of, requirements

SINCE = months(2022, 4, 24)
ENDS = month_ends(2022, 4, 24)
VALUES = [float(100 + 7 * i % 31) for i in range(24)]
GERMAN = ["Jan", "Feb", "Mär", "Apr", "Mai", "Jun", "Jul", "Aug", "Sep", "Okt", "Nov", "Dez"]
PORTUGUESE = [
    *("Janeiro", "Fevereiro", "Março", "Abril", "Maio", "Junho", "Julho", "Agosto", "Setembro"),
    *("Outubro", "Novembro", "Dezembro"),
]
POLISH = [
    *("styczeń", "luty", "marzec", "kwiecień", "maj", "czerwiec", "lipiec", "sierpień"),
    *("wrzesień", "październik", "listopad", "grudzień"),
]
IRISH = [
    *("Eanáir", "Feabhra", "Márta", "Aibreán", "Bealtaine", "Meitheamh", "Iúil", "Lúnasa"),
    *("Meán Fómhair", "Deireadh Fómhair", "Samhain", "Nollaig"),
]
YEARS = range(2005, 2025)
ROMAN = ["I", "II", "III", "IV"]


@pytest.mark.parametrize(
    "labels",
    [
        [f"du {d:%d/%m/%Y} au {e:%d/%m/%Y}" for d, e in zip(SINCE, ENDS, strict=True)],
        [f"dal {d:%d/%m/%Y} al {e:%d/%m/%Y}" for d, e in zip(SINCE, ENDS, strict=True)],
        [f"{GERMAN[d.month - 1]}.{d:%y}" for d in SINCE],
        [f"..{PORTUGUESE[d.month - 1]}/{d.year}" for d in SINCE],
        [f"{d.year} {IRISH[d.month - 1]}" for d in SINCE],
        [f"{d.year} оны {d.month} сар" for d in SINCE],
        [f"{d.year}-{d:%m} сар" for d in SINCE],
        [f"{f'{d.year} ' if i == 0 or d.month == 1 else ''}{d:%b}" for i, d in enumerate(SINCE)],
    ],
    ids=lambda labels: labels[0],
)
def test_months_in_the_notation_of_a_maker_are_months(labels: list[str]) -> None:
    reading = read_text(to_text("P;V", rows_of(labels, VALUES, "{};{}".format)))
    assert requirements(reading) == []
    [series] = reading.series
    assert (series.data_frequency, series.values) == ("Monthly", VALUES)
    assert series.timestamps[0] == "2022-04-01T00:00:00"


@pytest.mark.parametrize(
    "form", ["{roman} kwartał {year}", "{once}Q{n}", "Q{n}{behind}", "{only},Q{n}"]
)
def test_quarters_with_a_year_at_the_first_or_in_polish_are_quarters(form: str) -> None:
    rows = []
    for i, value in enumerate(VALUES):
        year, n = 2018 + i // 4, i % 4 + 1
        once = {"once": f"{year} ", "behind": f" {year}", "only": year}
        given = once if n == 1 else dict.fromkeys(once, "")
        label = form.format(roman=ROMAN[n - 1], year=year, n=n, **given)
        rows.append(f"{label},{value}")
    header = "Year,Quarter,Value" if "," in form else "Period,Value"
    reading = read_text(to_text(header, rows))
    assert requirements(reading) == []
    [series] = reading.series
    assert (series.data_frequency, series.values) == ("Quarterly", VALUES)
    assert series.timestamps[0] == "2018-01-01T00:00:00"


def test_years_below_each_month_are_one_series_of_months() -> None:
    years = range(2019, 2024)
    above = ",".join(month if y == 2019 else "" for month in POLISH for y in years)
    below = ",".join(str(y) for _ in POLISH for y in years)
    values = ",".join(str(100 * (y - 2018) + m) for m in range(1, 13) for y in years)
    reading = read_text(to_text(f"region,{above}", f",{below}", f"A,{values}", f"B,{values}"))
    assert requirements(reading) == []
    assert len(reading.series) == 2
    assert reading.series[0].timestamps[0] == "2019-01-01T00:00:00"
    assert reading.series[0].values == [100 * (y - 2018) + m for y in years for m in range(1, 13)]


@pytest.mark.parametrize("form", ["{year}年1-{n}月", "Jan-{name} {year}"])
def test_totals_of_the_year_so_far_are_not_taken_for_months(form: str) -> None:
    rows = [
        f"{form.format(year=year, n=n, name=dt.date(year, n, 1).strftime('%b'))},{90 * n}"
        for year in (2021, 2022, 2023)
        for n in range(2, 13)
    ]
    assert "totals of the year so far" in rejection_of(to_text("period,value", rows).encode()).issue


@pytest.mark.parametrize("form", ["{d}: {v}", "{d:%B %Y}: {v}"])
def test_dates_before_a_colon_are_dates(form: str) -> None:
    reading = read_text(
        to_text("Sales", rows_of(SINCE, VALUES, lambda d, v: form.format(d=d, v=v)))
    )
    assert [series.values for series in reading.series] == [VALUES]


def test_hours_below_a_date_that_is_written_once_are_of_its_day() -> None:
    rows = [
        f"{day if hour == 1 else ''},{hour},{100 + hour}"
        for day in days("2024-01-10", 5)
        for hour in range(1, 25)
    ]
    [series] = read_text(to_text("Date,Hour Ending,MWh", rows)).series
    assert (series.data_frequency, len(series.values)) == ("Hours", 120)
    assert series.timestamps[24] == "2024-01-11T00:00:00"


def test_both_names_of_a_zone_separate_the_hours_of_a_clock_change() -> None:
    start = dt.datetime(2023, 10, 27, 22, tzinfo=dt.UTC)
    change = dt.datetime(2023, 10, 29, 1, tzinfo=dt.UTC)

    def local(hour: int) -> str:
        moment = start + dt.timedelta(hours=hour)
        shift, name = (2, "CEST") if moment < change else (1, "CET")
        return f"{moment + dt.timedelta(hours=shift):%d.%m.%Y %H:%M} ({name})"

    rows = [f"{local(hour)} - {local(hour + 1)},{hour}" for hour in range(72)]
    reading = read_text(to_text("MTU,Price", rows))
    assert requirements(reading) == []
    assert reading.series[0].timestamps[0] == "2023-10-27T22:00:00Z"
    assert reading.series[0].values == [*range(72)]


@pytest.mark.parametrize("form", ["{d:%A},{d:%m/%d/%Y}", "{d:%a},{d:%d/%m/%Y}"])
def test_days_of_the_week_show_the_order_of_day_and_month(form: str) -> None:
    rows = [f"{form.format(d=day)},{day.day}" for day in days("2024-01-01", 5)]
    reading = read_text(to_text("Day,Date,Sales", rows))
    assert requirements(reading) == []
    assert reading.series[0].timestamps[-1] == "2024-01-05T00:00:00"


@pytest.mark.parametrize("form", ["{d:%A} {d:%d %B}", "{d:%a},{d:%d.%m.}"])
def test_days_of_the_week_show_the_year(form: str) -> None:
    rows = [f"{form.format(d=day)},{day.day}" for day in days("2023-03-01", 40)]
    reading = read_text(to_text("Day,Date,Sales" if "," in form else "Date,Sales", rows))
    assert requirements(reading) == []
    assert "2023 is the last that fits their days of the week" in notes_of(reading)
    assert reading.series[0].timestamps[0] == "2023-03-01T00:00:00"


def test_the_year_of_a_title_is_that_of_the_rows_below_it() -> None:
    rows = [f"{day:%b},{day.month}" for day in months(2023, 1, 12)]
    reading = read_text(to_text("Sales 2023", "Month,Sales", rows))
    assert requirements(reading) == []
    assert reading.series[0].timestamps[0] == "2023-01-01T00:00:00"


def test_columns_with_t_below_years_in_english_are_asked_about() -> None:
    rows = [f"{year},{year % 7},{year % 9},{year % 5},{year % 8}" for year in range(2005, 2025)]
    text = to_text("Year,T1,T2,T3,T4", rows)
    assert requirements(read_text(text)) == ["layout"]
    assert [len(s.values) for s in read_text(text, layout="columns").series] == [20] * 4
    assert len(read_text(text, layout="pivot").series[0].values) == 80
    assert len(read_text(text.replace("Year", "Année")).series[0].values) == 80


def test_columns_of_five_questions_are_not_quarters() -> None:
    rows = [",".join(map(str, (year, *(year % n for n in range(5, 10))))) for year in YEARS]
    assert len(read_text(to_text("Year,Q1,Q2,Q3,Q4,Q5", rows)).series) == 5
