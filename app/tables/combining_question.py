"""Ask how values of irregular dates are combined: amounts add up, balances have a last value."""

import numpy as np

from app.tables.dated_values import DatedValues
from app.tables.heading import likely_column
from app.tables.results import Choice, PeriodAggregation, Reading, Summary
from app.tables.running_balances import are_balances, report_running_balances, with_balances
from app.tables.summary import summarize

_DAYS_PER_WEEK = 7
_MEANINGS = {
    PeriodAggregation.DAY_TOTAL: "the total of each day, 0 without one",
    PeriodAggregation.DAY_AVERAGE: "the average of each day",
    PeriodAggregation.WEEK_TOTAL: "the total of each week, 0 without one",
    PeriodAggregation.WEEK_AVERAGE: "the average of each week",
    PeriodAggregation.MONTH_TOTAL: "the total of each month, 0 without one",
    PeriodAggregation.MONTH_AVERAGE: "the average of each month",
    PeriodAggregation.NONE: "each value as it is",
}
_TOTALS = [per for per in _MEANINGS if per.endswith(f"-{Summary.TOTAL}")]


def meanings_for(points: DatedValues) -> dict[PeriodAggregation, str]:
    """Return what the values become; of running balances the last one instead of a total."""
    if are_balances(points.columns):
        return _MEANINGS | {per: f"the last value of each {per.period}" for per in _TOTALS}
    return _MEANINGS | {per: with_balances(_MEANINGS[per], points.columns) for per in _TOTALS}


def ask_per(
    points: DatedValues,
    problem: str,
    reading: Reading,
    *,
    likely: Summary | None = None,
    required: bool = True,
) -> None:
    """Ask whether to combine values by day, week or month; ``problem`` is why."""
    names = [column.name for column in points.columns]
    column = points.columns[likely_column(names, [0] * len(names))]
    values = column.values[np.isfinite(column.values)]
    # What is beside a balance adds up to it; the total of a balance is its last value.
    is_total = likely is None and any(column.closing_order for column in points.columns)
    likely = (
        Summary.TOTAL if is_total else likely or summarize(column.name, column.form.after, values)
    )
    steps = np.diff(np.unique(points.times.astype("datetime64[D]"))).astype(int)
    periods = ["day", "week", "month"]
    if steps.size and np.median(steps) > _DAYS_PER_WEEK:  # such as half months
        periods.reverse()
    orders = sorted(
        (per for per in PeriodAggregation if per is not PeriodAggregation.NONE),
        key=lambda per: (periods.index(per.period), per.summary is not likely),
    )
    meanings = meanings_for(points)
    report_running_balances(points.columns, reading)
    reading.ask(
        "per",
        f"{problem}: {_how(points, likely, periods[0])}?",
        [Choice(per, meanings[per], "") for per in (*orders, PeriodAggregation.NONE)],
        required=required,
    )


def _how(points: DatedValues, likely: Summary, period: str) -> str:
    """Return what is likely wanted: ``add them up by day; of “Balance” the last``."""
    if likely is Summary.AVERAGE:
        return f"take their average by {period}"
    if are_balances(points.columns):
        return f"take the last by {period}"
    return with_balances(f"add them up by {period}", points.columns)
