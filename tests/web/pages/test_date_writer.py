"""Timestamps are written in the date form of the table: all forms, run in Node."""

import json
from typing import Any

from app.api.read.response_schemas import DateFormSchema
from app.web.pages.assets import FOLDER
from tests.support.programs import find_node, output_of
from tests.tables.forecasts.test_dates import FORMS, style_of

SCRIPT = f"""
import {{dateWriter}} from {json.dumps((FOLDER / "static/playground/date-writer.js").as_uri())};
let input = "";
for await (const part of process.stdin) input += part;
const all = JSON.parse(input);
console.log(JSON.stringify(all.map(([form, timestamps]) => timestamps.map(dateWriter(form)))));
"""


def form_of(paste: dict[str, Any]) -> Any:
    """Return the form of a table's dates as the service sends it."""
    style = style_of(paste)
    return style and DateFormSchema().dump(style)


def write(forms: list[object]) -> list[list[str]]:
    command = [find_node(), "--input-type=module", "--eval", SCRIPT]
    return json.loads(output_of(command, input=json.dumps(forms), timeout=60))


def test_timestamps_are_written_in_the_form_of_every_paste() -> None:
    assert len(FORMS) > 30
    written = write([[form_of(paste), [*wanted]] for paste, wanted in FORMS.values()])
    results = {
        name: dict(zip(wanted, texts, strict=True))
        for (name, (_paste, wanted)), texts in zip(FORMS.items(), written, strict=True)
    }
    assert results == {name: wanted for name, (_paste, wanted) in FORMS.items()}


def test_a_time_that_the_form_cannot_express_is_written_as_it_came() -> None:
    day = form_of({"paste": ["05.03.2024;1", "06.03.2024;2"]})
    month = form_of({"paste": ["2024-01;1", "2024-02;2"]})
    week = form_of({"paste": ["2024-W01;1", "2024-W02;2"]})
    texts = ["2024-03-05T06:00:00", "2024-03-05T00:00:00Z", "not a timestamp"]
    assert write([[day, texts]]) == [texts]
    assert write([[month, ["2024-03-02T00:00:00"]]]) == [["2024-03-02T00:00:00"]]
    assert write([[week, ["2024-01-16T00:00:00", "2024-01-15T00:00:00"]]]) == [
        ["2024-01-16T00:00:00", "2024-W03"]
    ]
    assert write([[None, texts]]) == [texts]
