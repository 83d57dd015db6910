"""Numbers, probabilities and times in words: the scripts write them as the service does."""

from collections.abc import Callable
from typing import Any

import pytest
from playwright.sync_api import Page

from app.core.text import short_number, short_timestamp
from app.timeseries.words import count_of, duration_text
from app.web.dashboard.texts import chance_text, rate_text

pytestmark = pytest.mark.services

Arguments = tuple[Any, ...]
# The function of the service, that of the scripts, and what each writes of these arguments.
WORDS: list[tuple[Callable[..., str], str, dict[Arguments, str]]] = [
    (
        short_number,
        "formatNumber",
        {
            (0.0,): "0",
            (92.61641,): "92.6164",
            (1_234_567.8,): "1,234,570",
            (1_234_567.8, 3): "1,230,000",
            (-0.00012345678,): "-0.000123457",
            (-0.00012345678, 3): "-0.000123",
            (0.00009999, 3): "0.0001",
            (-1e-320, 2): "-1e-320",
            (1_234_565.0,): "1,234,570",
            (1e-5,): "1e-05",
            (-1.23456789e-120,): "-1.23457e-120",
            (1e9,): "1,000,000,000",
            (1e10,): "10,000,000,000",
            (999_999_999_999_999.0,): "1e+15",
            (2.5e15,): "2.5e+15",
        },
    ),
    (
        chance_text,
        "chanceText",
        {
            (1.0,): "100 %",
            (0.9999,): "100 %",
            (0.996,): "100 %",
            (0.125,): "13 %",
            (0.123,): "12 %",
            (0.01,): "1 %",
            (0.00999,): "1 in 100",
            (0.00083,): "1 in 1,200",
            (1e-6,): "1 in 1,000,000",
            (1.1e-30,): "< 1 in 1,000,000",
            (0.0,): "< 1 in 1,000,000",
        },
    ),
    (
        rate_text,
        "describeRate",
        {
            (0.1,): "1 in 10 points",
            (0.003,): "1 in 333.333 points",
            (1 / 12_345,): "1 in 12,345 points",
            (0.0001,): "1 in 10,000 points",
        },
    ),
    (
        duration_text,
        "shortDuration",
        {
            (0,): "0 s",
            (1,): "1 s",
            (90,): "1 min 30 s",
            (3_600,): "1 h",
            (147_599,): "1 d 16 h",
            (86_400 + 59,): "1 d",
        },
    ),
    (
        count_of,
        "countOf",
        {
            (1, "event"): "1 event",
            (0, "event"): "0 events",
            (2_000, "point"): "2,000 points",
        },
    ),
    (
        lambda timestamp: short_timestamp(timestamp, has_days=True),
        "shortenTimestamp",
        {
            ("2026-11-22T00:00:00",): "2026-11-22",
            ("2026-11-22T00:00:30",): "2026-11-22 00:00:30",
            ("2026-11-22T23:30:00Z",): "2026-11-22 23:30Z",
        },
    ),
]
CASES = [
    pytest.param(ours, theirs, arguments, text, id=f"{theirs}{arguments}")
    for ours, theirs, texts in WORDS
    for arguments, text in texts.items()
]


@pytest.mark.parametrize(("ours", "theirs", "arguments", "text"), CASES)
def test_the_service_and_the_scripts_write_the_same_words(
    script_page: Page, ours: Callable[..., str], theirs: str, arguments: Arguments, text: str
) -> None:
    run = """async ([name, args]) => (await import(at("../words.js")))[name](...args)"""
    assert ours(*arguments) == text
    assert script_page.evaluate(run, [theirs, [*arguments]]) == text
