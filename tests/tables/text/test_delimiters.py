"""The delimiter is that of the cells, however many titles and notes are around them."""

import pandas as pd
import pytest

from app.tables.errors import UnreadableTableError
from app.tables.text.decoration import strip_decoration
from app.tables.text.delimiters import split_text
from tests.tables.kinds.case import days, to_text
from tests.tables.tables import read_text

MONTHS = [f"2024-{month:02}" for month in range(1, 13)]
DAYS = days("2025-01-01", 40)


def test_titles_and_notes_do_not_make_spaces_the_delimiter() -> None:
    titles = ["Encuesta de Ocupación Hotelera", "Viajeros y pernoctaciones por región", "Unidad: 1"]
    notes = [f"{n}) Los datos de este año, provisionales, se revisan" for n in range(1, 8)]
    rows = [f"R{n};" + ";".join(f"{n}{m}" for m in range(100, 112)) for n in range(1, 5)]
    reading = read_text(to_text(titles, f";{';'.join(MONTHS)}", rows, notes))
    assert (reading.notation.delimiter, len(reading.series)) == (";", 4)
    assert reading.series[1].values[:2] == [2100, 2101]


def test_notes_with_the_delimiter_below_a_few_rows_take_no_period_away() -> None:
    rows = [f"R{n};" + ";".join(str(100 * n + m) for m in range(12)) for n in range(1, 4)]
    notes = [f"Note {n}, on the method; see the annex for more of it." for n in range(12)]
    reading = read_text(to_text("By region", f"Region;{';'.join(MONTHS)}", rows, notes))
    assert [len(series.values) for series in reading.series] == [12, 12, 12]


@pytest.mark.parametrize("delimiter", [",", ";", "\t"])
def test_numbers_of_rows_without_a_name_shift_no_names(delimiter: str) -> None:
    rows = [delimiter.join((f'"{n}"', str(day), str(9 * n), "7")) for n, day in enumerate(DAYS, 1)]
    reading = read_text(to_text(delimiter.join(("date", "sales", "cost")), rows))
    assert reading.chosen.dates == "date"
    assert {series.name: series.values[1] for series in reading.series} == {"sales": 18, "cost": 7}


def test_names_stay_above_their_columns_if_the_last_has_none() -> None:
    rows = [f"{n},{day},{9 * n},a note" for n, day in enumerate(DAYS, 1)]
    reading = read_text(to_text("no,date,sales", rows))
    assert (reading.chosen.dates, reading.chosen.columns) == ("date", ["sales"])


@pytest.mark.parametrize("header", ["date,shop,sales", '"date,shop,sales"'])
def test_lines_in_quotation_marks_are_split(header: str) -> None:
    rows = [f'"{day},""North, West"",{n}"' for n, day in enumerate(DAYS)]
    [series] = read_text(to_text(header, rows)).series
    assert (series.name, series.values[:3]) == ("sales", [0, 1, 2])


@pytest.mark.parametrize("letters", ["│─┌┬┐├┼┤└┴┘", "┆─┌┬┐╞╪╡└┴┘", "║═╔╦╗╠╬╣╚╩╝"])
def test_tables_in_boxes_are_read(letters: str) -> None:
    bar, line, *corners = letters
    rules = [line * 12 + corner + line * 7 for corner in corners[1::3]]
    top, middle, bottom = (
        f"{left}{rule}{right}"
        for left, rule, right in zip(corners[::3], rules, corners[2::3], strict=True)
    )
    rows = [f"{bar} {day} {bar} {n:>5} {bar}" for n, day in enumerate(DAYS)]
    header = f"{bar}    day     {bar} sales {bar}"
    [series] = read_text(to_text(top, header, middle, rows, bottom)).series
    assert (series.name, series.values[:3], len(series.values)) == ("sales", [0, 1, 2], len(DAYS))


@pytest.mark.parametrize("delimiter", [";", "\t", "|"])
@pytest.mark.parametrize("preface", ["a line of a preface", "kept, as said, for the record"])
def test_a_long_preface_does_not_decide_the_delimiter(delimiter: str, preface: str) -> None:
    rows = [delimiter.join((str(day), str(n), str(n % 7))) for n, day in enumerate(DAYS)]
    header = delimiter.join(("Date", "A", "B"))
    reading = read_text(to_text([preface] * 36, header, rows))
    assert reading.notation.delimiter == delimiter
    assert [len(series.values) for series in reading.series] == [40, 40]


@pytest.mark.parametrize(
    "form",
    ['"%a %b %d %Y %H:%M:%S around noon"', "%b %d %Y upto %b %d %Y"],
)
def test_spaces_of_dates_in_an_unknown_form_are_no_columns(form: str) -> None:
    """Or the days of the month are read as values."""
    rows = [f"{day:{form}},{n}" for n, day in enumerate(DAYS)]
    with pytest.raises(UnreadableTableError, match="no column of dates"):
        read_text(to_text("Week,Sales", rows))


def test_a_comma_between_names_and_in_decimals_leaves_spaces_the_delimiter() -> None:
    rows = [f"{day} {n},5" for n, day in enumerate(DAYS)]
    reading = read_text(to_text("Date, Sales", rows))
    assert reading.series[0].values[:2] == [0.5, 1.5]


def test_only_the_delimiters_in_the_text_are_tried(monkeypatch: pytest.MonkeyPatch) -> None:
    tried = []

    def strip(cells: pd.DataFrame, delimiter: str) -> pd.DataFrame:
        tried.append(delimiter)
        return strip_decoration(cells, delimiter)

    monkeypatch.setattr("app.tables.text.delimiters.strip_decoration", strip)
    split_text("\n".join(f"{day},{number}" for number, day in enumerate(DAYS)))
    assert tried == [",", ","]


def test_empty_cells_between_bars_stay_empty() -> None:
    rows = [f"2024-{month:02}||{month}|" for month in range(1, 7)]
    [series] = read_text(to_text("Month|Note|Sales|Text", rows)).series
    assert (series.name, series.values) == ("Sales", [1, 2, 3, 4, 5, 6])
