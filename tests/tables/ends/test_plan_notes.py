"""A note that says where actual values end is asked about, or at least reported."""

import datetime as dt

import pytest

from tests.tables.kinds.case import draw, months, to_text
from tests.tables.tables import notes_of, read_text, requirements

SINCE = months(2023, 1, 24)
SALES = draw(24, 900, 0)
ROWS = [f"{day:%Y-%m},{value:.0f}" for day, value in zip(SINCE, SALES, strict=True)]


@pytest.mark.parametrize(
    "note",
    [
        "Actuals through Sep 2024; forecast thereafter",
        "Actual data through 2024-09",
        "Ist bis 30.09.2024",
        "Istwerte bis einschl. September 2024",
        "Réalisé jusqu'à septembre 2024",
        "Real hasta septiembre 2024",
        "Forecast from Oct 2024",
        "Plan ab 10/2024",
        "Budget from 2024-10-01",
        "Actuals through Q3 2024",
    ],
)
def test_rows_after_the_actual_values_open_a_question(note: str) -> None:
    text = to_text(note, "month,sales", ROWS)
    reading = read_text(text)
    [question] = [question for question in reading.questions if question.required]
    assert question.parameter == "until"
    assert "the last 3 dates" in question.question
    assert [choice.value for choice in question.choices] == ["2024-09-01", "2024-12-01"]
    [series] = read_text(text, until=dt.date(2024, 9, 1)).series
    assert [*series.values] == SALES[:21]


def test_months_side_by_side_below_such_a_note_open_a_question() -> None:
    dates = ",".join(f"{day:%b %Y}" for day in SINCE)
    values = ",".join(f"{value:.0f}" for value in SALES)
    rows = [f"{name},{values}" for name in ("New", "Churn", "MRR")]
    text = to_text("MRR bridge", "Actuals through Sep-24", "", f"line,{dates}", rows)
    assert requirements(read_text(text)) == ["until"]


def test_a_note_below_the_table_counts() -> None:
    text = to_text("month,sales", ROWS, "", "Forecast from Oct 2024")
    assert requirements(read_text(text)) == ["until"]


@pytest.mark.parametrize("note", ["Actuals through September", "Actuals through 09/10/2024"])
def test_a_note_whose_date_is_unclear_is_reported(note: str) -> None:
    reading = read_text(to_text(note, "month,sales", ROWS))
    assert requirements(reading) == []
    assert f"A note says “{note}”" in notes_of(reading)
    [suggestion] = [remark.suggestion for remark in reading.remarks if remark.suggestion]
    assert (suggestion.parameter, suggestion.value) == ("until", None)


@pytest.mark.parametrize(
    "note",
    ["Actuals through Dec 2024", "Actual cost", "Plan for 2024", "Sales plan from the team"],
)
def test_other_notes_ask_nothing(note: str) -> None:
    reading = read_text(to_text(note, "month,sales", ROWS))
    assert requirements(reading) == []
    assert reading.series[0].values == SALES


def test_the_notes_of_rows_are_none_of_the_table() -> None:
    text = to_text("month,sales,note,a,b", [f"{row},Plan from 2024-10,x,y" for row in ROWS])
    assert requirements(read_text(text)) == []


@pytest.mark.parametrize(
    ("planned", "asked"),
    [
        (1, "The last date is marked “Forecast”: leave it out?"),
        (2, "The last 2 dates are marked “Forecast”: leave them out?"),
    ],
)
def test_rows_of_a_plan_open_a_question_by_their_number(planned: int, asked: str) -> None:
    kinds = ["Actual"] * (24 - planned) + ["Forecast"] * planned
    rows = [f"{row},{kind}" for row, kind in zip(ROWS, kinds, strict=True)]
    questions = read_text(to_text("month,sales,kind", rows)).questions
    assert asked in [question.question for question in questions]


@pytest.mark.parametrize(
    "title",
    ["Forecast", "FORECAST:", "--- Plan ---", "Budget 2024", "Prognose", "Prévisions", "予測"],
)
@pytest.mark.parametrize("above", [[], ["Actual"], ["History", ""]])
def test_dates_below_the_title_of_a_plan_open_a_question(above: list[str], title: str) -> None:
    rows = [*above, *ROWS[:21], "Total,18000", title, *ROWS[21:]]
    reading = read_text(to_text("month,sales", [row if "," in row else f"{row}," for row in rows]))
    assert requirements(reading) == ["until"]
    assert f"The last 3 dates are below “{title}” in line " in notes_of(reading)
    [question] = [question for question in reading.questions if question.required]
    assert [choice.value for choice in question.choices] == ["2024-09-01", "2024-12-01"]


def test_a_plan_above_the_actual_values_opens_a_question() -> None:
    newest_first = ["Forecast,", *ROWS[:20:-1], "Actual,", *ROWS[20::-1]]
    assert requirements(read_text(to_text("month,sales", newest_first))) == ["until"]


def test_a_table_of_one_plan_and_titles_of_other_parts_ask_nothing() -> None:
    for rows in (["Forecast,", *ROWS], [*ROWS[:12], "Year two,", *ROWS[12:]]):
        assert requirements(read_text(to_text("month,sales", rows))) == []


def test_a_plan_beside_actual_values_of_the_same_dates_is_reported() -> None:
    rows = [f"North,{row}" for row in ROWS] + ["Plan,,"] + [f"South,{row}" for row in ROWS]
    reading = read_text(to_text("shop,month,sales", rows))
    assert "24 rows are below “Plan” in line 26: they count like the others." in notes_of(reading)
