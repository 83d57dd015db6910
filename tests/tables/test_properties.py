"""Whatever bytes are read, with whatever answers: series, a question or the rejection."""

import datetime as dt
import json
import math

from hypothesis import given, settings
from hypothesis import strategies as st

from app.tables.answers import (
    Answers,
    DateOrder,
    DecimalMark,
    Duplicates,
    Fill,
    Layout,
    TableBounds,
)
from app.tables.errors import UnreadableTableError, WrongAnswerError
from app.tables.read_table import read_file
from app.tables.reading import Reading
from app.timeseries.calendar.frequency import Frequency
from tests.tables.tables import workbook
from tests.tables.text.paste_files import PASTES

BOUNDS = TableBounds(max_points=50, max_unpacked_bytes=1_000_000, today=dt.date(2026, 12, 31))
TEXTS = ["\n".join(paste["paste"]) for paste in PASTES.values()]
BITS = [
    "\n", ",", ";", "\t", "|", " ", '"', "2024-01-01", "01/02/24", "Jan", "Q1", "2024", "1.234",
    "1,5", "45292", "Total", "\r\n", "-", "1e999", "24:00", "+01:00", "Z", "9999-12-31", "KW 1",
    "0001-01-01", "31.12.", "1704067200", "9" * 20, "%", "12k", "#", "sep=;", "12/31/9999 11 PM",
    "\u00a0", "é", "١٢", "\x00", "\ufeff", "{", "<table>",
]  # fmt: skip
answers = st.builds(
    Answers,
    sheet=st.sampled_from([None, None, "a"]),
    header=st.sampled_from([None, None, None, 0, 1, 2]),
    dates=st.sampled_from([None, None, None, "date", "Column 1", "Column 2"]),
    columns=st.sampled_from([(), (), (), ("Column 2",), ("Column 2 and 3",), ("sales",)]),
    layout=st.sampled_from([None, None, None, *Layout]),
    date_order=st.none() | st.sampled_from(DateOrder),
    decimal=st.none() | st.sampled_from(DecimalMark),
    timezone=st.sampled_from([None, None, "Europe/Berlin", "America/St_Johns", "Asia/Kolkata"]),
    fill=st.none() | st.sampled_from(Fill),
    duplicates=st.none() | st.sampled_from(Duplicates),
    year=st.sampled_from([None, 1, 2024, 9999]),
    start=st.none() | st.dates(),
    data_frequency=st.none() | st.sampled_from(Frequency),
)
cells = st.none() | st.floats() | st.integers() | st.booleans() | st.sampled_from(BITS[:-6])
workbooks = st.lists(st.lists(cells, max_size=4), max_size=8).map(
    lambda rows: workbook({"a": [[_known_cell(cell) for cell in row] for row in rows], "b": []})
)


@st.composite
def spoiled_paste(draw: st.DrawFn) -> bytes:
    """Return a paste with some of it replaced."""
    text = draw(st.sampled_from(TEXTS))
    for _ in range(draw(st.integers(0, 4))):
        start = draw(st.integers(0, len(text)))
        end = min(start + draw(st.integers(0, 12)), len(text))
        text = text[:start] + draw(st.sampled_from(BITS)) + text[end:]
    return text.encode(draw(st.sampled_from(["utf-8", "utf-16", "cp1252"])), "replace")


def _known_cell(cell: object) -> object:
    if isinstance(cell, bool):
        return f'<c r="@" t="b"><v>{int(cell)}</v></c>'.encode()
    return None if isinstance(cell, float) and not math.isfinite(cell) else cell


@settings(max_examples=3 * settings.default.max_examples)
@given(
    content=spoiled_paste() | st.binary(max_size=300) | st.text().map(str.encode) | workbooks,
    given_answers=st.just(Answers()) | answers,
)
def test_any_bytes_give_series_a_question_or_the_rejection(
    content: bytes, given_answers: Answers
) -> None:
    result = read_file(content, given_answers, BOUNDS)
    if isinstance(result, UnreadableTableError):
        assert result.issue
    elif isinstance(result, WrongAnswerError):
        assert result.parameter in vars(given_answers)
    else:
        assert_sound(result)


def assert_sound(reading: Reading) -> None:
    assert bool(reading.series) != reading.is_open
    for series in reading.series:
        assert len(series.timestamps) == len(series.values) > 0
        assert [*series.timestamps] == sorted({*series.timestamps})
        assert all(abs(value) <= 1e102 for value in series.values)
        assert (series.data_frequency is None) == (series.step is None)
    for question in reading.questions:
        assert question.question
        assert question.parameter in Answers.__dataclass_fields__
        assert len({choice.value for choice in question.choices}) == len(question.choices)
    assert len(reading.notation.number_forms) >= len(reading.series)
    json.dumps(vars(reading.chosen), default=str)
    for remark in reading.remarks:
        assert all(isinstance(row, int) and row > 0 for row in remark.rows)
        json.dumps(remark.rows)
    assert isinstance(reading.chosen.start, (dt.date, type(None)))


def test_a_single_null_character_is_rejected() -> None:
    # pandas reads a row without a cell.
    assert isinstance(read_file("\0".encode("utf-16"), Answers(), BOUNDS), UnreadableTableError)
