"""Ask how values of irregular dates are combined: amounts add up, balances have a last value."""

from collections.abc import Sequence

import numpy as np

from app.tables.dated_values import DatedValues, ValueColumn
from app.tables.results import Choice, PeriodAggregation, Reading, Summary
from app.tables.running_balances import are_balances, report_running_balances, with_balances
from app.tables.summary import summarize

_DAYS_PER_WEEK = 7


def meaning_of(
    aggregation: PeriodAggregation, columns: Sequence[ValueColumn], of: str, empty: str = ""
) -> str:
    """Return what values become; of running balances the last one instead of a total.

    ``of`` says of which periods, ``empty`` what the total of one without values is.
    """
    if aggregation.summary is Summary.AVERAGE:
        return f"the average {of}"
    if are_balances(columns):
        return f"the last value {of}"
    return with_balances(f"the total {of}{empty}", columns)


def meaning_of_irregular(aggregation: PeriodAggregation, columns: Sequence[ValueColumn]) -> str:
    """Return what values by irregular dates become."""
    if aggregation is PeriodAggregation.NONE:
        return "each value as it is"
    return meaning_of(aggregation, columns, f"of each {aggregation.period}", ", 0 without one")


def ask_per(
    points: DatedValues,
    problem: str,
    reading: Reading,
    *,
    likely: Summary | None = None,
    required: bool = True,
) -> None:
    """Ask whether to combine values by day, week or month; ``problem`` is why."""
    column = points.columns[0]
    values = column.values[np.isfinite(column.values)]
    # What is beside a balance adds up to it; the total of a balance is its last value.
    is_total = likely is None and any(column.closing_order for column in points.columns)
    if is_total:
        likely = Summary.TOTAL
    likely = likely or summarize(column.name, column.form.after, values)
    steps = np.diff(np.unique(points.times.astype("datetime64[D]"))).astype(int)
    periods = ["day", "week", "month"]
    if steps.size and np.median(steps) > _DAYS_PER_WEEK:  # such as half months
        periods.reverse()
    offered = sorted(
        {*PeriodAggregation} - {PeriodAggregation.NONE},
        key=lambda one: (periods.index(one.period), one.summary is not likely),
    )
    report_running_balances(points.columns, reading)
    reading.ask(
        "per",
        f"{problem}: {_how(points, likely, periods[0])}?",
        [
            Choice(one, meaning_of_irregular(one, points.columns), "")
            for one in (*offered, PeriodAggregation.NONE)
        ],
        required=required,
    )


def _how(points: DatedValues, likely: Summary, period: str) -> str:
    """Return what is likely wanted: ``add them up by day; of “Balance” the last``."""
    if likely is Summary.AVERAGE:
        return f"take their average by {period}"
    if are_balances(points.columns):
        return f"take the last by {period}"
    return with_balances(f"add them up by {period}", points.columns)
