"""A date that is the same in all rows says when a table was exported, not when its values were."""

import pytest

from tests.tables.kinds.case import months, to_text
from tests.tables.tables import read_text, requirements

MONTHS = months(2023, 1, 24)
ROWS = [(f"{day:%Y-%m}", 100 + i * 7 % 23) for i, day in enumerate(MONTHS)]


@pytest.mark.parametrize(
    "text",
    [
        to_text("Month,Value,BASE_PER", [f"{month},{value},2015-01" for month, value in ROWS]),
        to_text("Extracted,Month,Value", [f"2026-11-27,{month},{value}" for month, value in ROWS]),
        to_text(
            "_start,Month,Value",
            [f"2026-11-27,{month},{value}" for month, value in ROWS[:12]],
            "_start,Month,Value",
            [f"2026-11-27,{month},{value}" for month, value in ROWS[12:]],
        ),
    ],
)
def test_dates_that_never_change_are_not_asked_about(text: str) -> None:
    reading = read_text(text)
    assert requirements(reading) == []
    assert reading.chosen.dates == "Month"
    assert reading.series[0].values == [value for _, value in ROWS]


def test_a_date_in_all_rows_can_be_chosen() -> None:
    text = to_text(
        "Extracted,Month,Value", [f"2026-11-27,{month},{value}" for month, value in ROWS]
    )
    assert read_text(text, dates="Extracted").chosen.dates == "Extracted"


def test_what_depends_on_the_dates_is_asked_after_them() -> None:
    twice = [f"{ROWS[i // 2][0]},{month},{value}" for i, (month, value) in enumerate(ROWS)]
    reading = read_text(to_text("Booked on,Due on,Value", twice))
    assert requirements(reading) == ["dates"]
