"""Dates of the Persian calendar are rejected; those of the Hijri one are not taken for them."""

import pytest

from tests.tables.tables import notes_of, read_text, rejection_of

PERSIAN_DIGITS = {48 + digit: chr(0x6F0 + digit) for digit in range(10)}
LENGTHS = {4: 31, 5: 31, 6: 31, 7: 30, 8: 30}
DAYS = [f"1405/{m:02}/{d:02}" for m, length in LENGTHS.items() for d in range(1, length + 1)]


def table(days: list[str]) -> str:
    return "\n".join(["Day,Sales", *(f"{day},{100 + i * 7 % 23}" for i, day in enumerate(days))])


@pytest.mark.parametrize(
    "days",
    [
        DAYS,
        [day.replace("/", "-") for day in DAYS],
        ["/".join(reversed(day.split("/"))) for day in DAYS],
        [day.translate(PERSIAN_DIGITS) for day in DAYS[:20]],
    ],
)
def test_persian_dates_are_rejected_with_the_remedy(days: list[str]) -> None:
    issue = rejection_of(table(days).encode()).issue
    assert "are of the Persian calendar" in issue
    assert issue.endswith("send Gregorian dates, such as 2024-01-31")


def test_hijri_dates_whose_months_have_up_to_30_days_are_read_with_a_remark() -> None:
    reading = read_text(table([day for day in DAYS[:90] if not day.endswith("31")]))
    assert "If they are of the Hijri calendar" in notes_of(reading)
    assert reading.series[0].timestamps[0].startswith("1405-04-01")
