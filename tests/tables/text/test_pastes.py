"""Real pastes and what is read from each: the files in ``pastes``.

A paste is a list of lines, read with ``answers``. ``asks`` are the questions that are open then,
``offers`` those that need no answer, ``says`` is among all that is said. Then what is asked is
answered by ``then``, the likeliest of the choices, and gives one of ``series``. What cannot be read
is ``refused``, ``at`` a row and column.
"""

import datetime as dt
import json
from pathlib import Path
from typing import Any

import pytest

from app.tables.answers import DateOrder, DecimalMark, Duplicates, Fill, Layout
from app.tables.results import Reading, UnreadableTableError
from app.timeseries.calendar.frequency import Frequency
from tests.tables.tables import BOUNDS, read_text, words

FOLDER = Path(__file__).with_name("pastes")
PASTES = {
    f"{file.stem}: {paste['name']}": paste
    for file in sorted(FOLDER.glob("*.json"))
    for paste in json.loads(file.read_text())
}
TYPES: dict[str, Any] = {
    "date_order": DateOrder,
    "decimal": DecimalMark,
    "duplicates": Duplicates,
    "fill": Fill,
    "layout": Layout,
    "columns": tuple,
    "start": dt.date.fromisoformat,
    "data_frequency": Frequency,
}
PLAIN = {"decimal": "point", "decimals": 0, "before": "", "after": ""}


def read_paste(paste: dict[str, Any], answers: dict[str, Any]) -> Reading:
    bounds = BOUNDS if "points" not in paste else BOUNDS.__class__(paste["points"], 0, 2026)
    typed = {name: TYPES.get(name, int)(value) for name, value in answers.items()}
    return read_text(paste["paste"], bounds, **typed)


@pytest.mark.parametrize("paste", PASTES.values(), ids=PASTES)
def test_a_paste_is_read_right_or_asked_about(paste: dict[str, Any]) -> None:
    answers = paste.get("answers", {})
    if "refused" in paste:
        with pytest.raises(UnreadableTableError) as refusal:
            read_paste(paste, answers)
        assert refusal.value.issue == paste["refused"]
        assert [refusal.value.row, refusal.value.column] == paste["at"]
        return
    expected = paste["expect"]
    reading = read_paste(paste, answers)
    asked = {question.parameter: question for question in reading.questions}
    needed = [name for name, question in asked.items() if question.required]
    assert needed == expected.get("asks", [])
    assert [name for name in asked if name not in needed] == expected.get("offers", [])
    assert [
        words_said for words_said in expected.get("says", []) if words_said not in words(reading)
    ] == []
    then = paste.get("then", {})
    for name in needed:
        if name in then:
            likeliest = asked[name].choices[0].value
            assert then[name] in (
                likeliest,
                [likeliest],
                int(likeliest) if likeliest.isdigit() else None,
            )
    if needed:
        assert reading.series == []
    if "values" in expected:
        assert_read(read_paste(paste, answers | then), expected)


def assert_read(reading: Reading, expected: dict[str, Any]) -> None:
    names = [series.name for series in reading.series]
    assert names == expected.get("series", [expected.get("name")])
    series = reading.series[names.index(expected.get("of", names[0]))]
    assert series.values == expected["values"]
    assert (series.timestamps[0], series.timestamps[-1]) == (expected["first"], expected["last"])
    assert (series.data_frequency, series.step) == (expected["frequency"], expected["step"])
    assert series.missing == expected.get("missing", [])
    form = reading.notation.number_forms[names.index(series.name)]
    assert form == form | expected.get("form", PLAIN)
