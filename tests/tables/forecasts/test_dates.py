"""Times are written as the dates of a table are: every form that is read."""

from typing import Any

import numpy as np
import pytest

from app.tables.forecasts.dates import DateWriter
from app.tables.notation import DateStyle
from tests.tables.text.paste_files import PASTES, read_paste

FORMS = {
    name: (paste, paste["expect"]["written"])
    for name, paste in PASTES.items()
    if "written" in paste.get("expect", {})
}


def style_of(paste: dict[str, Any]) -> DateStyle | None:
    answers = paste.get("answers", {}) | paste.get("then", {})
    return read_paste(paste, answers).notation.date_form


def write(style: DateStyle | None, *stamps: str) -> list[str]:
    suffix = stamps[0][19:]
    times = np.array([stamp[:19] for stamp in stamps], dtype="datetime64[s]")
    return [cell.text for cell in DateWriter(style, suffix, None).cells(times)]


@pytest.mark.parametrize("name", FORMS)
def test_times_are_written_in_the_form_of_every_paste(name: str) -> None:
    paste, wanted = FORMS[name]
    assert dict(zip(wanted, write(style_of(paste), *wanted), strict=True)) == wanted


def test_a_time_that_the_form_cannot_express_is_written_as_a_timestamp() -> None:
    day = style_of({"paste": ["05.03.2024;1", "06.03.2024;2"]})
    month = style_of({"paste": ["2024-01;1", "2024-02;2"]})
    week = style_of({"paste": ["2024-W01;1", "2024-W02;2"]})
    assert write(day, "2024-03-05T06:00:00") == ["2024-03-05T06:00:00"]
    assert write(day, "2024-03-05T00:00:00Z") == ["2024-03-05T00:00:00Z"]
    assert write(month, "2024-03-02T00:00:00") == ["2024-03-02T00:00:00"]
    stamps = "2024-01-16T00:00:00", "2024-01-15T00:00:00"
    assert write(week, *stamps) == ["2024-01-16T00:00:00", "2024-W03"]
    assert write(None, *stamps) == [*stamps]


@pytest.mark.parametrize(
    ("month", "longer"),
    [
        ("{}-2024", ["Q1-2024", "2024"]),
        ("2024-{}", ["2024"]),
        ("2024M{}", ["2024Q1"]),
        ("2024年{}月", ["2024"]),
    ],
)
def test_forecast_dates_are_months_despite_a_quarter_or_year_below(
    month: str, longer: list[str]
) -> None:
    months = [month.format(f"{number:02}") for number in range(1, 13)]
    style = style_of({"paste": [f"{date};{i}" for i, date in enumerate([*months, *longer])]})
    assert write(style, "2024-11-01T00:00:00", "2024-12-01T00:00:00") == months[-2:]


@pytest.mark.parametrize(
    ("lines", "expected"),
    [
        (["05.03.2024;1", "06.03.2024;2"], "dd.mm.yyyy"),
        (["5.3.2024;1", "6.3.2024;2"], "d.m.yyyy"),
        (["2024-01;1", "2024-02;2"], "yyyy-mm"),
        (["2024-01-01 10:00;1", "2024-01-01 11:00;2"], "yyyy-mm-dd hh:mm"),
        (["Jan 2024;1", "Feb 2024;2"], "[$-409]mmm yyyy"),
        (["1 January 2024;1", "2 January 2024;2"], "[$-409]d mmmm yyyy"),
        (["janv. 2024;1", "févr. 2024;2"], None),
        (["01/31/2024 9:30 PM;1", "01/31/2024 10:00 PM;2"], "mm/dd/yyyy h:mm AM/PM"),
        (["31.01.2024 9:30 p.m.;1", "31.01.2024 10:00 p.m.;2"], None),
        (["2024-W01;1", "2024-W02;2"], None),
    ],
)
def test_a_workbook_displays_dates_as_the_table_or_has_their_texts(
    lines: list[str], expected: str | None
) -> None:
    assert DateWriter(style_of({"paste": lines}), "", None).excel_format == expected


def test_times_of_an_answered_time_zone_are_written_by_its_clock() -> None:
    times = np.array(["2024-10-26T23:00", "2024-10-27T00:00", "2024-10-27T01:00"], "M8[s]")
    style = style_of({"paste": ["27.10.2024 00:00;1", "27.10.2024 01:00;2"]})
    cells = DateWriter(style, "Z", "Europe/Zurich").cells(times)
    assert [cell.text for cell in cells] == ["27.10.2024 01:00", *["27.10.2024 02:00"] * 2]
    assert [cell.time for cell in cells] == times.tolist()
    with_offset = style_of({"paste": ["2024-10-27T00:00Z;1", "2024-10-27T01:00Z;2"]})
    assert DateWriter(with_offset, "Z", "Europe/Zurich").cells(times)[0].text == "2024-10-26T23:00Z"


@pytest.mark.parametrize("mark", ["/", "-", "."])
@pytest.mark.parametrize("last", [6, 12])
def test_months_before_their_year_keep_two_digits(mark: str, last: int) -> None:
    lines = [f"{month:02}{mark}{year};1" for year in (2022, 2023) for month in range(1, 13)]
    style = style_of({"paste": lines[: 12 + last]})
    assert write(style, "2024-02-01T00:00:00", "2024-10-01T00:00:00") == [
        f"02{mark}2024",
        f"10{mark}2024",
    ]


def test_a_new_weekday_is_written_in_the_language_of_the_table() -> None:
    mondays = [f"Mo 0{day}.06.2026;{day}" for day in (1, 8)] + [
        "Mo 15.06.2026;1",
        "Mi 17.06.2026;1",
    ]
    assert write(style_of({"paste": mondays}), "2026-06-23T00:00:00") == ["Di 23.06.2026"]


def test_weekdays_that_do_not_fit_their_dates_are_not_written() -> None:
    style = style_of({"paste": [f"Mon {day}.06.2026;{day}" for day in range(10, 20)]})
    assert write(style, "2026-06-23T00:00:00") == ["2026-06-23"]


@pytest.mark.parametrize(
    ("label", "start", "next_day", "expected"),
    [
        ("FY{0} Q{2}", "2020-10-01", "2023-10-01", "FY24 Q1"),
        ("Q{2} FY20{0}", "2020-10-01", "2024-07-01", "Q4 FY2024"),
        ("2{0:03}-{1} Q{2}", "2021-07-01", "2025-07-01", "2025-26 Q1"),
        ("FY{0} Q{2}", "2020-10-06", "2023-10-06", "2023-10-06"),
    ],
)
def test_quarters_of_a_fiscal_year_are_written_by_its_start(
    label: str, start: str, next_day: str, expected: str
) -> None:
    labels = [label.format(21 + i // 4, 22 + i // 4, i % 4 + 1) for i in range(12)]
    paste = {"paste": [f"{date};{i}" for i, date in enumerate(labels)], "then": {"start": start}}
    [written] = write(style_of(paste), f"{next_day}T00:00:00")
    assert written.removesuffix("T00:00:00") == expected
