"""Bars and sparklines are drawn in the proportions of the counts."""

import datetime as dt

import pytest

from app.identity.usage.queries import OutcomeCounts
from app.web.dashboard.charts import (
    CHART_HEIGHT,
    MIN_BAR_HEIGHT,
    outcome_totals,
    sparkline,
    stacked_bars,
)

START = dt.datetime(2026, 11, 22, tzinfo=dt.UTC)


def test_the_highest_bar_reaches_the_top_and_parts_stand_on_one_another() -> None:
    chart = stacked_bars(
        [OutcomeCounts(START, succeeded=6, failed=2), OutcomeCounts(START, succeeded=4)]
    )
    succeeded, failed = chart.bars[0].segments
    assert (chart.largest, succeeded.height, failed.height) == (8, 75.0, 25.0)
    assert (succeeded.y, failed.y) == (25.0, 0.0)
    assert chart.bars[1].segments[0].height == 50.0


def test_one_call_among_a_million_is_seen() -> None:
    parts = stacked_bars([OutcomeCounts(START, succeeded=999_999, failed=1)]).bars[0].segments
    assert sum(part.height for part in parts) <= CHART_HEIGHT
    rare = stacked_bars(
        [OutcomeCounts(START, succeeded=10**6), OutcomeCounts(START, failed=1)]
    ).bars[1]
    assert rare.segments[0].height == MIN_BAR_HEIGHT


def test_a_bar_says_its_numbers() -> None:
    chart = stacked_bars([OutcomeCounts(START, succeeded=1200, limited=3), OutcomeCounts(START)])
    assert chart.bars[0].summary == (
        "22 Nov 2026, 00:00 UTC: Succeeded (2xx) 1,200, Over the limit (429) 3"
    )
    assert chart.bars[1].summary.endswith("no calls")


@pytest.mark.parametrize("outcomes", [[], [OutcomeCounts(START)]])
def test_an_hour_without_calls_has_no_bar(outcomes: list[OutcomeCounts]) -> None:
    chart = stacked_bars(outcomes)
    assert chart.largest == 0
    assert not any(bar.segments for bar in chart.bars)
    assert set(outcome_totals(outcomes).values()) == {0}


def test_a_sparkline_has_a_stroke_for_each_day_with_calls() -> None:
    assert sparkline([0, 5, 0, 10]) == "M6 20v-10.0M14 20v-20.0"
    assert sparkline([]) == sparkline([0, 0]) == ""
