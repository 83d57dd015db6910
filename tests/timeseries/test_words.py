"""Counts in words, and truncated strings."""

import pytest

from app.timeseries.words import count_of, truncate


@pytest.mark.parametrize(
    ("count", "noun", "text"),
    [
        (1, "webhook", "1 webhook"),
        (0, "webhook", "0 webhooks"),
        (1_000, "query", "1,000 queries"),
        (1, "query", "1 query"),
        (2, "day", "2 days"),
        (1, "series", "1 series"),
        (2, "series", "2 series"),
    ],
)
def test_a_count_has_its_noun_in_the_singular_or_the_plural(
    count: int, noun: str, text: str
) -> None:
    assert count_of(count, noun) == text


def test_a_truncated_string_has_the_maximum_length() -> None:
    assert [truncate("x" * length, 4) for length in (4, 5, 9)] == ["xxxx", "xxx…", "xxx…"]
