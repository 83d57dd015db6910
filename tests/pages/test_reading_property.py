"""Whatever is written in one of the usual ways is read back, and written alike."""

from datetime import datetime, timedelta

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.pages.reading import Read

pytestmark = pytest.mark.services

# What stands between thousands and before decimals, and around a number.
STYLES = {
    "English": (",", ".", "{}"),
    "German": (".", ",", "{} €"),
    "French": ("\u202f", ",", "{} %"),
    "Swiss": ("’", ".", "CHF {}"),
    "plain": ("", ".", "${}"),
}
DATES = {
    "%Y-%m-%d": "month",
    "%d.%m.%Y": "month",
    "%d/%m/%Y": "day",
    "%m/%d/%Y": "month",
    "%d %B %Y": "month",
    "%b %d, %Y": "month",
    "%Y%m%d": "month",
    "%d-%b-%y": "month",
    "%m/%d/%Y %I:%M %p": "month",
}
FEW = settings(max_examples=20, deadline=None)


@pytest.mark.parametrize("style", STYLES.values(), ids=STYLES)
@FEW
@given(cents=st.lists(st.integers(-(10**9), 10**9), min_size=2, max_size=8))
def test_numbers_are_read_as_they_were_meant(read: Read, style, cents: list[int]) -> None:
    group, mark, around = style
    numbers = [f"{abs(value) / 100:,.2f}".replace(".", "#") for value in cents]
    numbers = [number.replace(",", group).replace("#", mark) for number in numbers]
    signed = ["-" * (value < 0) + number for value, number in zip(cents, numbers, strict=True)]
    cells = [around.format(number) for number in signed]
    rows = (f"2024-01-{day + 1:02d}\t{cell}" for day, cell in enumerate(cells))
    found = read("\n".join(rows))
    assert found["values"] == [value / 100 for value in cents]
    assert (found["asks"], found["decimals"]) == ([], 2)


@pytest.mark.parametrize("form", DATES)
@FEW
@given(
    start=st.datetimes(datetime(1975, 1, 1), datetime(2060, 1, 1)).map(
        lambda time: time.replace(hour=0, minute=0, second=0, microsecond=0)
    ),
    step=st.sampled_from([1, 7]),
)
def test_dates_are_read_as_they_were_meant_and_written_alike(
    read: Read, form: str, start: datetime, step: int
) -> None:
    days = [start + timedelta(days=step * i) for i in range(40)]
    rows = [f"{day.strftime(form)};{i}" for i, day in enumerate(days[:-1])]
    found = read("\n".join(rows), [days[-1].isoformat()], order=DATES[form])
    assert found["dates"] == [day.isoformat() for day in days[:-1]]
    assert found["written"] == {days[-1].isoformat(): days[-1].strftime(form)}
