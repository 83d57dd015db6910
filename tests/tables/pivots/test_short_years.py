"""Months such as Jan 22 are read side by side as they are below each other."""

from collections.abc import Sequence

import pytest

from app.tables.errors import UnreadableTableError
from tests.tables.tables import notes_of, read_bytes, read_text, requirements, workbook

MONTHS = ["Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec"]
ACROSS = [f"{month} {year}" for year in (22, 23, 24) for month in MONTHS]
# All of them look like years.
VALUES = {
    name: [1600 + (37 * factor * i) % 1201 for i in range(36)]
    for name, factor in (("Bread", 1), ("Rolls", 3), ("Cakes", 7))
}
TOTALS = [sum(of_month) for of_month in zip(*VALUES.values(), strict=True)]

Cells = list[list[object]]
TITLES: Cells = [["Sales plan"], ["Period: 2022 to 2024"], []]
UNCLEAR = {
    "each month of three years": [f"{month} {year}" for month in MONTHS for year in (22, 23, 24)],
    "two days a month": [f"{month} {day}" for month in MONTHS for day in ("01", "15")],
    "two days a month, one of one digit": [f"{month} {day}" for month in MONTHS for day in (1, 15)],
}


def plan(periods: Sequence[str] = ACROSS) -> Cells:
    return [["Product", *periods], *([name, *values] for name, values in VALUES.items())]


def with_year_totals(cells: Cells) -> Cells:
    header, *rows = cells
    whole: Cells = [[header[0]]]
    for year in range(3):
        whole[0] += [*header[1 + 12 * year : 13 + 12 * year], f"Total {22 + year}"]
    for name, *values in rows:
        row: list[object] = [name]
        for year in range(3):
            months = [*map(int, map(str, values[12 * year : 12 * year + 12]))]
            row += [*months, sum(months)]
        whole.append(row)
    return whole


def text_of(cells: Cells, delimiter: str = ",") -> str:
    return "\n".join(delimiter.join(map(str, row)) for row in cells)


TABLES: dict[str, Cells] = {
    "plain": plan(),
    "titles": [*TITLES, *plan()],
    "a row of totals": [*plan(), ["Total", *TOTALS]],
    "a column of totals": [
        ["Product", *ACROSS, "Total"],
        *([name, *values, sum(values)] for name, values in VALUES.items()),
    ],
    "totals of years": with_year_totals(plan()),
    "slashes": plan([f"{month}/{year}" for year in (22, 23, 24) for month in range(1, 13)]),
    "capitals": plan([period.upper() for period in ACROSS]),
    "a flag": plan([*ACROSS[:-1], f"{ACROSS[-1]} (p)"]),
    "everything": [*TITLES, *with_year_totals([*plan(), ["Total", *TOTALS]])],
}


@pytest.mark.parametrize("is_workbook", [False, True])
@pytest.mark.parametrize("cells", TABLES.values(), ids=TABLES)
def test_months_with_short_years_are_side_by_side(cells: Cells, is_workbook: bool) -> None:
    content = workbook({"Plan": cells}) if is_workbook else text_of(cells).encode()
    reading = read_bytes(content)
    assert requirements(reading) == []
    assert {series.name: series.values for series in reading.series} == VALUES
    for series in reading.series:
        assert (series.timestamps[0], series.timestamps[-1]) == (
            "2022-01-01T00:00:00",
            "2024-12-01T00:00:00",
        )
        assert series.data_frequency == "Monthly"


def test_totals_are_left_out_and_named() -> None:
    message = notes_of(read_text(text_of(TABLES["everything"])))
    assert "Left out “Total”: a total of other rows." in message
    assert "Left out, beside the periods: Total 22, Total 23, Total 24." in message


def test_forecasts_are_dated_as_the_table_is() -> None:
    style = read_text(text_of(plan())).notation.date_form
    assert style is not None
    assert style.pattern == "{name:3} {short:2}"


def test_measures_below_each_month_are_columns_of_values() -> None:
    header = ["Product", *(cell for period in ACROSS[:12] for cell in (period, ""))]
    measures = ["", *["Pieces", "Sales"] * 12]
    rows: Cells = [[name, *values[:24]] for name, values in VALUES.items()]
    reading = read_text(text_of([[*header], [*measures], *rows]), columns=["Sales"])
    assert {series.name: series.values for series in reading.series} == {
        name: values[1:24:2] for name, values in VALUES.items()
    }


def test_quarters_may_be_named_by_their_last_month() -> None:
    ends = [period for period in ACROSS if period[:3] in ("Mar", "Jun", "Sep", "Dec")]
    cells: Cells = [["Product", *ends], *([name, *v[:12]] for name, v in VALUES.items())]
    first = read_text(text_of(cells)).series[0]
    assert (first.data_frequency, first.timestamps[0]) == ("Quarterly", "2022-03-01T00:00:00")


@pytest.mark.parametrize("periods", UNCLEAR.values(), ids=UNCLEAR)
def test_a_rejection_names_the_row_of_the_periods_not_one_of_values(periods: list[str]) -> None:
    rows: Cells = [[name, *v[: len(periods)]] for name, v in VALUES.items()]
    with pytest.raises(UnreadableTableError) as rejection:
        read_text(text_of([*TITLES, ["Product", *periods], *rows]))
    assert "side by side in line 4" in rejection.value.issue
    assert rejection.value.row == 4


def test_regular_years_side_by_side_are_named_as_dates() -> None:
    rows = ["Product;2020;2022;2024;2026", "a;x;y;z;w", "b;x;y;z;w"]
    with pytest.raises(UnreadableTableError, match="side by side in line 1"):
        read_text("\n".join(rows))


def test_years_below_each_other_stay_the_dates_of_columns_of_months() -> None:
    [series] = read_text("Year,Jan 22\n2019,5\n2020,6\n2021,8").series
    assert series.timestamps == [f"{year}-01-01T00:00:00" for year in (2019, 2020, 2021)]


@pytest.mark.parametrize(
    "labels", [ACROSS, [f"{month} {d}" for month in ("Jan", "Feb") for d in range(1, 29)]]
)
def test_rising_values_do_not_become_the_dates_of_months_and_days(labels: list[str]) -> None:
    rows = [f"{label},{1700 + 10 * i},{1600 + 7 * i}" for i, label in enumerate(labels)]
    series = read_text("\n".join(["When,Sales,Cost", *rows]), year=2024).series
    assert [s.values[:2] for s in series] == [[1700, 1710], [1600, 1607]]
