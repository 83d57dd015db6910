"""Sentences of results: what they count, how they write times and numbers."""

import pytest

from app.api.dialects.mcp.results import ToolCall, result_of
from app.api.dialects.mcp.tools import ResultOptions
from app.api.responses.json import Json


def backtest_sentence(error: float, naive_error: float, are_short: list[bool]) -> str:
    scores = [
        {"model_id": "forecast-model-2", "mae": error},
        {"model_id": "seasonal_naive", "mae": naive_error},
    ]
    windows = [{"short_history": is_short} for is_short in are_short]
    body = {"models": scores, "best_model": "forecast-model-2", "windows": windows}
    return result_of("backtest", tool_call_of(body, {})).sentence


def tool_call_of(body: Json, sent: Json) -> ToolCall:
    return ToolCall(sent, body, "", "", ResultOptions(0, False))


def test_a_backtest_says_that_the_baseline_is_better() -> None:
    assert backtest_sentence(5.0, 1.0, [False] * 3) == (
        "Best of the models by mae: Fast 5; seasonal naive 1 is better; 3 windows."
    )
    assert "; seasonal naive 5 is as good; " in backtest_sentence(5.0, 5.0, [False] * 3)


@pytest.mark.parametrize(
    ("are_short", "words"),
    [
        ([False] * 3, "3 windows."),
        ([True, False, False], "2 windows."),
        ([True, True], "2 windows."),
        ([True, True, False], "1 window, too few to choose by."),
        ([False], "1 window, too few to choose by."),
    ],
)
def test_a_backtest_counts_the_windows_that_count_in_the_scores(
    are_short: list[bool], words: str
) -> None:
    assert backtest_sentence(1.2, 1.9, are_short) == (
        f"Best of the models by mae: Fast 1.2; seasonal naive 1.9; {words}"
    )


@pytest.mark.parametrize(
    ("frequency", "timestamp", "text"),
    [
        ("Daily", "2026-01-01T00:00:00", "2026-01-01"),
        ("Daily", "2026-01-01T00:00:00Z", "2026-01-01"),
        ("Daily", "2026-01-01T00:00:00+02:00", "2026-01-01T00:00:00+02:00"),
        ("Seconds", "2026-01-01T00:00:00.500Z", "2026-01-01T00:00:00.500Z"),
        ("Hours", "2026-01-01T00:00:00Z", "2026-01-01 00:00Z"),
    ],
)
def test_a_sentence_has_midnight_as_date_only_for_days_and_loses_no_offset(
    frequency: str, timestamp: str, text: str
) -> None:
    body = {"forecast_timestamps": [timestamp], "median": [1.0]}
    sentence = result_of("forecast", tool_call_of(body, {"data_frequency": frequency})).sentence
    assert f"1 forecast, {text} to {text}, with" in sentence


def test_the_last_point_has_the_digits_that_distinguish_its_numbers() -> None:
    body = {
        "timestamps": ["2026-01-01T00:00:00"], "lower_bound": [100000.123],
        "expected": [100000.234], "upper_bound": [100000.346], "is_anomaly": [True],
        "p_value": [0.0001], "severity": [60.0], "events": [], "change_points": [],
    }  # fmt: skip
    sent = {"series": [{"values": [100000.456]}], "data_frequency": "Daily"}
    assert result_of("detect_anomalies", tool_call_of(body, sent)).notes[0] == (
        "Last point 2026-01-01: 100000.46, expected 100000.23, "
        "band 100000.12 to 100000.35: flagged."
    )
