"""Texts that several packages write alike."""

import pytest

from app.core.text import count_of
from app.identity.accounts.errors import TooManyError


@pytest.mark.parametrize(
    ("count", "noun", "text"),
    [
        (1, "webhook", "1 webhook"),
        (0, "webhook", "0 webhooks"),
        (1_000, "query", "1,000 queries"),
        (1, "query", "1 query"),
        (2, "day", "2 days"),
    ],
)
def test_a_count_has_its_noun_in_the_singular_or_the_plural(
    count: int, noun: str, text: str
) -> None:
    assert count_of(count, noun) == text


def test_a_quota_of_one_is_not_called_several() -> None:
    error = TooManyError("query", 1, "QUERIES_PER_SOURCE", owner="source")
    assert (str(error), error.plural) == ("the source has 1 query, the most allowed", "queries")
