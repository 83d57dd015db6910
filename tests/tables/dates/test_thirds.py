"""T1 to T3 are thirds of a year where no year has a T4, and quarters elsewhere."""

from app.tables.notation import DateStyle
from tests.tables.kinds.case import to_text
from tests.tables.tables import read_text

YEARS = range(2018, 2024)


def test_thirds_of_years_are_four_months_apart() -> None:
    rows = [f"T{n} {year},{10 * n + year % 10}" for year in YEARS for n in (1, 2, 3)]
    reading = read_text(to_text("period,value", rows))
    [series] = reading.series
    assert series.timestamps[:3] == [f"2018-{month:02}-01T00:00:00" for month in (1, 5, 9)]
    assert (series.data_frequency, series.step) == ("Monthly", 4)
    assert series.missing == []
    assert reading.notation.date_form == DateStyle("{year:4}-{month:2}-{day:2}", "day", "")


def test_thirds_below_merged_years_are_read() -> None:
    header = "," + ",,,,".join(map(str, YEARS)) + ",,,"
    names = "line" + ",T1,T2,T3,Helår" * len(YEARS)
    rows = [f"{name}" + f",{n},{n},{n},{3 * n}" * len(YEARS) for n, name in enumerate("abc", 1)]
    series = read_text(to_text(header, names, rows)).series[0]
    assert series.values == [1.0] * 18
    assert series.step == 4


def test_quarters_with_a_t_stay_quarters() -> None:
    rows = [f"T{n} {year},{10 * n + year % 10}" for year in YEARS for n in (1, 2, 3, 4)]
    [series] = read_text(to_text("trimestre,valeur", rows[:-2])).series
    assert series.data_frequency == "Quarterly"
    assert series.missing == []
