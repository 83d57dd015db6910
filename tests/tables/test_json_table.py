"""JSON as a table: its forms, and its bounds."""

import json

import pytest

from app.tables.json_table import MAX_JSON_VALUES, read_json
from app.tables.read import read_table
from app.tables.results import Answers, NotATableError
from tests.tables.tables import BOUNDS

DAYS = [f"2024-01-{day:02}" for day in range(1, 13)]
RECORDS = [{"day": day, "n": n} for n, day in enumerate(DAYS)]


@pytest.mark.parametrize(
    "content",
    [
        RECORDS,
        {"meta": {"pages": 1}, "data": RECORDS},
        {"day": DAYS, "n": [*range(12)]},
        [["day", "n"], *([day, n] for n, day in enumerate(DAYS))],
        {"columns": ["day", "n"], "index": [0], "data": [[day, n] for n, day in enumerate(DAYS)]},
        [{"day": day, "n": n, "tags": ["a"], "note": None} for n, day in enumerate(DAYS)],
    ],
)
def test_each_form_of_json_is_read(content: object) -> None:
    [series] = read_table(json.dumps(content).encode(), Answers(), BOUNDS).series
    assert (series.name, series.values) == ("n", [*range(12)])
    assert series.timestamps[0] == "2024-01-01T00:00:00"


def test_numbers_of_json_leave_no_mark_open() -> None:
    records = [{"day": day, "n": 1.48 + n} for n, day in enumerate(DAYS)]
    reading = read_table(json.dumps(records).encode(), Answers(), BOUNDS)
    assert reading.questions == []


@pytest.mark.parametrize(
    ("text", "why"),
    [
        ("[" + "1," * MAX_JSON_VALUES + "1]", "the JSON has 1,200,00"),
        ('[{"a": 1}' + ', {"a": 1}' * 600_000 + "]", "send at most 1,200,000"),
        (json.dumps([{str(i): 1} for i in range(5_001)]), "have 5,001 fields"),
        (json.dumps([[*range(5_001)]]), "has 5,001 fields"),
        ('{"a": ' * 500 + "1" + "}" * 500, "has no table"),
    ],
)
def test_json_beyond_the_bounds_is_refused(text: str, why: str) -> None:
    with pytest.raises(NotATableError, match=why):
        read_json(text)


def test_what_only_begins_like_json_is_not_taken_for_it() -> None:
    assert read_json('[{"a": 1') is None
