"""Years of 13 periods of four weeks: none is left out, and corrections in a 13th are left out."""

import datetime as dt

import pytest

from tests.tables.kinds.case import draw, to_text
from tests.tables.tables import notes_of, read_text, requirements

VALUES = draw(39, 900, 0)


def rows(form: str, values: list[float]) -> list[str]:
    header = "Year,Period,Sales" if "," in form else "Period,Sales"
    periods = (form.format(y=2021 + i // 13, s=21 + i // 13, n=i % 13 + 1) for i in range(39))
    return [header, *(f"{p},{v:.0f}" for p, v in zip(periods, values, strict=True))]


@pytest.mark.parametrize(
    "form", ["{y}-P{n:02}", "FY{s} P{n}", "EJ{y} P{n:02}", "{y},P{n:02}", "{y},{n}"]
)
def test_thirteen_periods_a_year_are_four_weeks_each(form: str) -> None:
    text = to_text(rows(form, VALUES))
    assert requirements(read_text(text)) == ["start"]
    assert "Years have 13 periods" in notes_of(read_text(text))
    [series] = read_text(text, start=dt.date(2021, 1, 4)).series
    assert (series.values, series.timestamps[13]) == (VALUES, "2022-01-03T00:00:00")
    assert (series.data_frequency, series.step) == ("Weekly", 4)


def test_a_thirteenth_period_with_a_separated_thousand_is_as_large_as_the_others() -> None:
    values = (
        f"1.{value % 1000:06.2f}" if i % 13 == 12 else f"{value:.2f}"
        for i, value in enumerate(VALUES)
    )
    periods = (f"{2021 + i // 13}-P{i % 13 + 1:02}" for i in range(39))
    lines = [f"{p};{v[:-3]},{v[-2:]}" for p, v in zip(periods, values, strict=True)]
    text = to_text(["Period;Sales", *lines])
    [series] = read_text(text, start=dt.date(2021, 1, 4)).series
    assert len(series.values) == 39
    assert series.values[12] > 1000


def test_corrections_after_december_are_left_out_of_the_months() -> None:
    values = [value / 50 if i % 13 == 12 else value for i, value in enumerate(VALUES)]
    reading = read_text(to_text(rows("{y}-P{n:02}", values)))
    assert "“2021-P13” and the like are not dates" in notes_of(reading)
    assert len(reading.series[0].values) == 36


def test_thirteen_things_a_year_are_series() -> None:
    things = to_text("Year,Line,Sales", rows("{y},{n}", VALUES)[1:])
    assert len(read_text(things).series) == 13
