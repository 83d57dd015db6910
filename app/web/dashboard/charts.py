"""Bars and sparklines as numbers for SVG, drawn by the macros of `account/charts.html`."""

from collections.abc import Sequence
from dataclasses import dataclass

from app.identity.usage.queries import OutcomeCounts
from app.web.dashboard.texts import format_time

# The outcomes of calls, in the order in which bars are stacked.
OUTCOMES = {
    "succeeded": "Succeeded (2xx)",
    "invalid": "Invalid (4xx)",
    "limited": "Over the limit (429)",
    "failed": "Failed (5xx)",
}
CHART_HEIGHT = 100
_BAR_STEP = 10  # includes the gap: _BAR_WIDTH is drawn
_BAR_WIDTH = 8
MIN_BAR_HEIGHT = 1.5  # so that one call in a million is visible
_SPARK_HEIGHT = 20
_SPARK_STEP = 4


@dataclass(frozen=True)
class Segment:
    outcome: str
    y: float
    height: float


@dataclass(frozen=True)
class Bar:
    x: int
    summary: str
    segments: tuple[Segment, ...]


@dataclass(frozen=True)
class Chart:
    """Stacked bars; the highest one, of ``largest`` calls, reaches the top."""

    width: int
    largest: int
    bars: tuple[Bar, ...]


def stacked_bars(outcomes: Sequence[OutcomeCounts]) -> Chart:
    """Return the bars of ``outcomes``, oldest on the left."""
    largest = max((outcome.calls for outcome in outcomes), default=0)
    gap = (_BAR_STEP - _BAR_WIDTH) // 2
    bars = (
        Bar(number * _BAR_STEP + gap, _bar_summary(outcome), _stack_segments(outcome, largest))
        for number, outcome in enumerate(outcomes)
    )
    return Chart(len(outcomes) * _BAR_STEP, largest, tuple(bars))


def outcome_totals(outcomes: Sequence[OutcomeCounts]) -> dict[str, int]:
    return {name: sum(getattr(outcome, name) for outcome in outcomes) for name in OUTCOMES}


def _bar_summary(outcome: OutcomeCounts) -> str:
    counts = ((title, getattr(outcome, name)) for name, title in OUTCOMES.items())
    parts = [f"{title} {count:,}" for title, count in counts if count]
    return f"{format_time(outcome.start)}: {', '.join(parts) or 'no calls'}"


def _stack_segments(outcome: OutcomeCounts, largest: int) -> tuple[Segment, ...]:
    segments = []
    top = float(CHART_HEIGHT)
    for name in OUTCOMES:
        count = getattr(outcome, name)
        if count:
            height = min(top, max(MIN_BAR_HEIGHT, CHART_HEIGHT * count / largest))
            top -= height
            segments.append(Segment(name, round(top, 2), round(height, 2)))
    return tuple(segments)


def sparkline(counts: Sequence[int]) -> str:
    """Return ``counts`` as an SVG path: a stroke for each day with calls."""
    largest = max(counts, default=0)
    return "".join(
        f"M{number * _SPARK_STEP + _SPARK_STEP // 2} {_SPARK_HEIGHT}"
        f"v-{max(MIN_BAR_HEIGHT, _SPARK_HEIGHT * count / largest):.1f}"
        for number, count in enumerate(counts)
        if count
    )
