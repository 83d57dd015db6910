"""Half-years are read in the notations of many countries, and are not taken for weeks or hours."""

import pytest

from tests.tables.kinds.case import days, draw, to_text
from tests.tables.tables import read_text

VALUES = draw(12, 900, 0)
HALVES = [(2018 + i // 2, 1 + i % 2) for i in range(12)]


@pytest.mark.parametrize(
    "form",
    [
        *("{year}-S{n}", "{year}S{n}", "S{n} {year}", "H{n} {year}", "{year} H{n}", "{year}-HY{n}"),
        *("{n}H{short}", "{n}H {year}", "{n}H'{short}", "H{n} {short}", "HJ{n} {year}"),
        *("{n}.º Semestre de {year}", "{n}º semestre {year}", "{n}. Halbjahr {year}"),
        *("{n}. Hj. {year}", "{year}, {n}. Halbjahr".replace(",", ""), "Semester {n}, {year}"),
        *("{roman} semestre {year}", "{roman} полугодие {year}", "{n}-е полугодие {year} г."),
        *("{nth} half {year}", "{ordinal} half of {year}", "{french} semestre {year}"),
        *(
            "{n}. pololetí {year}",
            "{n}. półrocze {year}",
            "{year}年{side}半年",
            "{year}년 {korean}반기",
        ),
    ],
)
def test_half_years_are_read(form: str) -> None:
    rows = [
        (
            form.format(
                year=year,
                short=year % 100,
                n=n,
                roman="I" * n,
                nth=("1st", "2nd")[n - 1],
                ordinal=("First", "Second")[n - 1],
                french=("1er", "2ème")[n - 1],
                side="上下"[n - 1],
                korean="상하"[n - 1],
            ),
            value,
        )
        for (year, n), value in zip(HALVES, VALUES, strict=True)
    ]
    for ordered in (rows, rows[::-1]):
        text = to_text("period;value", [f"{period};{value:.0f}" for period, value in ordered])
        [series] = read_text(text).series
        assert series.values == VALUES
        assert series.timestamps[:2] == ["2018-01-01T00:00:00", "2018-07-01T00:00:00"]
        assert (series.data_frequency, series.step) == ("Quarterly", 2)


@pytest.mark.parametrize("form", ["{n}H{short}", "{year}-S{n}", "H{n} {year}"])
def test_half_years_side_by_side_are_read(form: str) -> None:
    header = [form.format(year=year, short=year % 100, n=n) for year, n in HALVES]
    rows = [",".join([name, *map(str, VALUES)]) for name in ("a", "b", "c")]
    reading = read_text(to_text(",".join(["name", *header]), rows))
    assert [series.name for series in reading.series] == ["a", "b", "c"]
    assert reading.series[0].timestamps[1] == "2018-07-01T00:00:00"


@pytest.mark.parametrize("form", ["%G-S%V", "%GS%V", "%G-S{week}"])
def test_weeks_with_an_s_stay_weeks(form: str) -> None:
    weeks = days("2023-10-02", 30, 7)
    rows = [
        f"{day.strftime(form).format(week=day.isocalendar().week)};{i + 1}"
        for i, day in enumerate(weeks)
    ]
    [series] = read_text(to_text("semaine;ventes", rows)).series
    assert series.timestamps[0].startswith("2023-10-02")
    assert series.data_frequency == "Weekly"
    assert len(series.values) == 30


def test_hours_with_minutes_are_not_half_years() -> None:
    rows = [
        f"{1 + i % 2}h{(i * 7) % 60:02},{day},{i}" for i, day in enumerate(days("2024-01-01", 30))
    ]
    worked, units = read_text(to_text("worked,date,units", rows)).series
    assert worked.values[1] == pytest.approx(2 + 7 / 60)
    assert units.timestamps[0].startswith("2024-01-01")


def test_totals_of_half_years_among_quarters_are_left_out() -> None:
    rows = []
    for year in range(2020, 2024):
        rows += [f"Q{quarter} {year},{quarter}" for quarter in (1, 2)] + [f"H1 {year},3"]
        rows += [f"Q{quarter} {year},{quarter}" for quarter in (3, 4)] + [f"H2 {year},7"]
    [series] = read_text(to_text("period,value", rows)).series
    assert series.values == [1.0, 2.0, 3.0, 4.0] * 4
