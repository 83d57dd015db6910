"""Years across, down or above the months of a table, in the forms of many countries."""

from collections.abc import Callable

import pytest

from tests.tables.kinds.case import draw, to_text
from tests.tables.tables import notes_of, read_text, requirements

ENGLISH = ["Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec"]
JAPANESE = [f"{month}月" for month in range(1, 13)]
RUSSIAN = ["янв", "фев", "мар", "апр", "май", "июн", "июл", "авг", "сен", "окт", "ноя", "дек"]
THAI = [
    *("ม.ค.", "ก.พ.", "มี.ค.", "เม.ย.", "พ.ค.", "มิ.ย."),
    *("ก.ค.", "ส.ค.", "ก.ย.", "ต.ค.", "พ.ย.", "ธ.ค."),
]
VALUES = draw(36, 900, 0)
FORMS: dict[str, tuple[list[str], Callable[[int], str]]] = {
    "2023 beside 1月": (JAPANESE, lambda year: f"{year}"),
    "2023年": (JAPANESE, lambda year: f"{year}年"),
    "令和5年": (JAPANESE, lambda year: f"令和{year - 2018}年"),
    "令和5年 beside Jan": (ENGLISH, lambda year: f"令和{year - 2018}年"),
    "R5": (JAPANESE, lambda year: f"R{year - 2018}"),
    "112": (JAPANESE, lambda year: f"{year - 1911}"),
    "112年": (JAPANESE, lambda year: f"{year - 1911}年"),
    "民國112年": (JAPANESE, lambda year: f"民國{year - 1911}年"),
    "FY2023": (ENGLISH, lambda year: f"FY{year}"),
    "Year 2023": (ENGLISH, lambda year: f"Year {year}"),
    "CY 2023": (ENGLISH, lambda year: f"CY {year}"),
    "2023 (actual)": (ENGLISH, lambda year: f"{year} (actual)"),
    "2023 г.": (RUSSIAN, lambda year: f"{year} г."),
    "2023 год": (RUSSIAN, lambda year: f"{year} год"),
    "2566": (THAI, lambda year: f"{year + 543}"),
    "ปี 2566": (THAI, lambda year: f"ปี {year + 543}"),
    "พ.ศ. 2566": (THAI, lambda year: f"พ.ศ. {year + 543}"),
}


def years_across(months: list[str], *years: str) -> str:
    rows = [
        ";".join([name, *(f"{VALUES[month + 12 * i]:.0f}" for i in range(len(years)))])
        for month, name in enumerate(months)
    ]
    return to_text(";".join(["X", *years]), rows)


def years_down(months: list[str], *years: str) -> str:
    rows = [
        ";".join([year, *(f"{value:.0f}" for value in VALUES[12 * i : 12 * i + 12])])
        for i, year in enumerate(years)
    ]
    return to_text(";".join(["X", *months]), rows)


def years_above(months: list[str], *years: str) -> str:
    return to_text(
        ";" + ";".join(year + ";" * 11 for year in years),
        ";".join(["Item", *(months * len(years))]),
        [f"{name};" + ";".join(f"{value:.0f}" for value in VALUES) for name in ("A", "B")],
    )


@pytest.mark.parametrize("form", FORMS)
@pytest.mark.parametrize("layout", [years_across, years_down, years_above])
def test_years_in_many_forms_belong_to_the_months_beside_them(
    layout: Callable[..., str], form: str
) -> None:
    months, write = FORMS[form]
    reading = read_text(layout(months, *map(write, (2023, 2024, 2025))))
    assert requirements(reading) == []
    for series in reading.series:
        assert (series.data_frequency, series.values) == ("Monthly", VALUES)
        assert series.timestamps[0] == "2023-01-01T00:00:00"


@pytest.mark.parametrize(
    ("form", "remark"),
    [("2566", "Buddhist ones"), ("112年", "Republic of China"), ("FY2023", "calendar year")],
)
def test_years_of_other_calendars_come_with_a_remark(form: str, remark: str) -> None:
    months, write = FORMS[form]
    assert remark in notes_of(read_text(years_across(months, *map(write, (2023, 2024, 2025)))))


def test_the_start_of_a_year_of_months_from_april_is_asked() -> None:
    months = [*ENGLISH[3:], *ENGLISH[:3]]
    for layout in (years_across, years_above):
        text = layout(months, "FY2023", "FY2024", "FY2025")
        assert requirements(read_text(text)) == ["start"]


def test_quarters_of_labelled_fiscal_years_ask_for_their_start() -> None:
    rows = [f"Q{quarter};{quarter};{quarter + 4};{quarter + 8}" for quarter in range(1, 5)]
    assert requirements(read_text(to_text("X;FY2023;FY2024;FY2025", rows))) == ["start"]


@pytest.mark.parametrize(
    "names",
    [("Actual 2024", "Budget 2024", "Plan 2025"), ("Sales 2024", "Sales 2025", "Cost 2024")],
)
def test_different_measures_with_years_are_not_joined(names: tuple[str, ...]) -> None:
    reading = read_text(years_across(ENGLISH, *names), year=2024)
    assert [series.name for series in reading.series] == [*names]


def test_shops_with_the_numbers_of_roc_years_far_away_are_not_years() -> None:
    reading = read_text(years_across(JAPANESE, "101", "102", "103"), year=2024)
    assert [series.name for series in reading.series] == ["101", "102", "103"]


def test_a_first_year_that_begins_in_october_needs_no_question() -> None:
    months = [*JAPANESE[9:], *JAPANESE[:9]]
    text = to_text(
        ";2023;;;2024" + ";" * 8,
        "Item;" + ";".join(months),
        [f"{name};" + ";".join(f"{value:.0f}" for value in VALUES[:12]) for name in ("A", "B")],
    )
    reading = read_text(text)
    assert requirements(reading) == []
    assert reading.series[0].timestamps[::11] == ["2023-10-01T00:00:00", "2024-09-01T00:00:00"]


def test_months_of_a_year_in_the_title_are_read_in_japanese_too() -> None:
    rows = [f"{name};" + ";".join(f"{value:.0f}" for value in VALUES[:12]) for name in ("A", "B")]
    reading = read_text(to_text("2024年 売上", "品目;" + ";".join(JAPANESE), rows))
    assert reading.series[0].timestamps[::11] == ["2024-01-01T00:00:00", "2024-12-01T00:00:00"]


@pytest.mark.parametrize("is_sparse", [True, False])
@pytest.mark.parametrize("form", ["2023 beside 1月", "2023年", "令和5年", "112年", "民國112年"])
def test_a_column_of_years_beside_months_is_read_where_it_is_filled_in_once(
    form: str, is_sparse: bool
) -> None:
    months, write = FORMS[form]
    rows = [
        f"{write(2023 + i // 12) if not is_sparse or i % 12 == 0 else ''};{months[i % 12]};{v:.0f}"
        for i, v in enumerate(VALUES)
    ]
    [series] = read_text(to_text("年;月;数量", rows)).series
    assert (series.timestamps[0], series.values) == ("2023-01-01T00:00:00", VALUES)


@pytest.mark.parametrize("form", ["2023年", "令和5年", "112年"])
def test_years_in_rows_above_their_months_are_read(form: str) -> None:
    months, write = FORMS[form]
    rows = [
        row
        for year in range(3)
        for row in (
            write(2023 + year) + ("1-12月;5" if year == 2 else ";5"),
            *(f"\u3000{months[i]};{VALUES[12 * year + i]:.0f}" for i in range(12)),
        )
    ]
    [series] = read_text(to_text("年月;数量", rows)).series
    assert (series.timestamps[0], series.values) == ("2023-01-01T00:00:00", VALUES)


def roc_months(write: Callable[[int, int], str]) -> list[str]:
    rows = (f"{write(112 + i // 12, i % 12 + 1)},{v:.0f}" for i, v in enumerate(VALUES))
    return ["年月,人數", *rows]


@pytest.mark.parametrize(
    "write",
    [
        lambda year, month: f"{year}年{month}月",
        lambda year, month: f"民國{year}年{month}月",
        lambda year, month: f"{year}{month:02}",
        lambda year, month: f"{year}/{month:02}",
        lambda year, month: f"{year}.{month}",
        lambda year, month: f"{year}/{month:02}/01",
    ],
)
def test_dates_of_taiwan_are_those_of_our_calendar(write: Callable[[int, int], str]) -> None:
    reading = read_text(roc_months(write))
    assert "The years are those of the Republic of China" in notes_of(reading)
    [series] = reading.series
    assert (series.timestamps[0], series.values) == ("2023-01-01T00:00:00", VALUES)
    assert series.data_frequency == "Monthly"


def test_a_year_and_a_month_of_taiwan_in_two_columns_are_months() -> None:
    rows = [f"{112 + i // 12},{i % 12 + 1},{v:.0f}" for i, v in enumerate(VALUES)]
    [series] = read_text(["年,月,人數", *rows]).series
    assert (series.timestamps[0], series.values) == ("2023-01-01T00:00:00", VALUES)


def test_serial_numbers_of_days_are_not_months_of_taiwan() -> None:
    reading = read_text(["day,visits", *(f"{11201 + i},{i}" for i in range(12))])
    assert "Excel's serial numbers" in notes_of(reading)


@pytest.mark.parametrize(
    ("corner", "names"),
    [
        ("Orders", ("date", "Orders")),
        ("Umsatz (T€)", ("date", "Umsatz (T€)")),
        *((word, (word, "value")) for word in ("Year", "Jahr/Monat", "Vuosi", "Tgl", "年")),
        ("", ("date", "value")),
    ],
)
def test_the_word_in_the_corner_names_the_values_unless_it_is_one_of_dates(
    corner: str, names: tuple[str, str]
) -> None:
    months = ["Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec"]
    rows = [
        ",".join([str(year), *(str(7 * n + year % 10) for n in range(12))]) for year in (2023, 2024)
    ]
    reading = read_text([",".join([corner, *months]), *rows])
    assert (reading.chosen.dates, *(series.name for series in reading.series)) == names
