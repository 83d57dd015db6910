"""What is read from each of the real pastes in ``paste_files.py``."""

from typing import Any

import pytest

from app.tables.errors import UnreadableTableError
from app.tables.reading import Reading
from tests.tables.tables import notes_of
from tests.tables.text.paste_files import PASTES, read_paste

PLAIN = {"decimal": "point", "decimals": 0, "before": "", "after": ""}


@pytest.mark.parametrize("paste", PASTES.values(), ids=PASTES)
def test_a_paste_is_read_right_or_asked_about(paste: dict[str, Any]) -> None:
    answers = paste.get("answers", {})
    if "rejected" in paste:
        with pytest.raises(UnreadableTableError) as rejection:
            read_paste(paste, answers)
        assert rejection.value.issue == paste["rejected"]
        assert [rejection.value.row, rejection.value.column] == paste["at"]
        return
    expected = paste["expect"]
    reading = read_paste(paste, answers)
    asked = {question.parameter: question for question in reading.questions}
    needed = [name for name, question in asked.items() if question.required]
    assert needed == expected.get("asks", [])
    assert [name for name in asked if name not in needed] == expected.get("offers", [])
    assert [
        words_said for words_said in expected.get("says", []) if words_said not in notes_of(reading)
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
