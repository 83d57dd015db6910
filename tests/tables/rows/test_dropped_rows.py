"""Remarks about rows that are left out: one for those that are alike."""

import pytest

from tests.tables.kinds.case import days, to_text
from tests.tables.tables import read_text

DAYS = days("2026-01-05", 28)


def remarks(text: str) -> list[tuple[str, int]]:
    return [(remark.remark, len(remark.rows)) for remark in read_text(text).remarks]


def test_sums_of_weeks_are_one_remark() -> None:
    rows = []
    for n, day in enumerate(DAYS):
        rows += [f"{day},{n + 5}"] + [f"vko {n // 7 + 8} yht.,99"] * (n % 7 == 6)
    message = "Left out line 9, line 17, line 25, line 33: “vko 8 yht.” and the like are not dates."
    assert remarks(to_text("Päivä,Oppilaat", rows)) == [(message, 4)]


def test_a_word_in_many_cells_is_one_remark() -> None:
    rows = [f"{day},{'closed' if n % 7 == 6 else n}" for n, day in enumerate(DAYS)]
    message = "Left out line 8, line 15, line 22, line 29: “closed” is not a number."
    assert remarks(to_text("day,visits", rows))[0] == (message, 4)


@pytest.mark.parametrize("name", ["Total", "Razem", "Итого", "合計", "Średnia"])
def test_a_row_without_a_date_is_named_as_a_total_in_any_language(name: str) -> None:
    rows = [f"{day},{n * n}" for n, day in enumerate(DAYS)]
    message = "Left out line 30: a total."
    assert remarks(to_text("day,visits", [*rows, f"{name},6930"]))[0] == (message, 1)
