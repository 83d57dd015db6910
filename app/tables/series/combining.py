"""Combine values of irregular dates to totals or averages of days, weeks or months; ask how."""

from collections.abc import Iterator, Sequence
from dataclasses import replace
from typing import NamedTuple

import numpy as np
import pandas as pd

from app.tables.answers import PeriodAggregation, Summary
from app.tables.dated_values import DatedValues, ValueColumn
from app.tables.errors import too_many_points_error
from app.tables.header.number_columns import likely_column
from app.tables.reading import Choice, Reading
from app.tables.series.gridded_series import round_sum, round_sums
from app.tables.values.running_balances import are_balances, report_running_balances, with_balances
from app.tables.values.summary import are_counts, choose_summary
from app.timeseries.calendar.axes import SecondAxis
from app.timeseries.calendar.timestamps import TimeArray
from app.timeseries.seconds import DAY_SECONDS, DAYS_PER_WEEK
from app.timeseries.types import FloatArray

# A week or month is incomplete if it lacks more days at an end than this many usual steps.
_MAX_STEPS_LACKING = 2
_MIN_VALUES_PER_STEP = 24  # the first and the last step of a file both have this many values
_MIN_STEP_FRACTION = 0.95  # of the values before and after the change; longer steps are gaps


def combine_periods(
    dated_values: DatedValues, aggregation: PeriodAggregation, reading: Reading
) -> DatedValues:
    """Return a value for each period of each series; a period without values has a total of 0.

    A running balance has its last value instead of a total. Weeks and months at either end that the
    dates do not cover are left out, and so is the one of today.
    """
    periods = pd.DatetimeIndex(dated_values.times).to_period(aggregation.pandas_period)
    codes, names = pd.factorize(dated_values.names)
    count = (periods.max() - periods.min()).n + 1  # two dates may be far apart
    if count * len(names) > reading.bounds.max_total_points:
        raise too_many_points_error(reading.bounds)
    frame = pd.DataFrame({"name": codes, "period": periods, "row": dated_values.rows})
    fields = dated_values.fields
    for field, column in zip(fields, dated_values.columns, strict=True):
        frame[field] = column.values
    frame = frame[_are_covered(dated_values.times, periods, aggregation, reading)]
    groups = frame.groupby(["name", "period"])
    is_total = aggregation.is_total
    combined = groups[fields].sum(min_count=1) if is_total else groups[fields].mean()
    combined["row"] = groups["row"].last()
    if is_total:
        combined = _with_all_periods(combined, frame)
        for field, closing in _closing_balances(frame, dated_values, reading):
            combined[field] = closing.reindex(combined.index).groupby(level="name").ffill()
        for field, column in zip(fields, dated_values.columns, strict=True):
            _report_cut(column, combined[field], aggregation, reading)
    starts = pd.PeriodIndex(combined.index.get_level_values("period")).to_timestamp(how="start")
    return replace(
        dated_values,
        times=starts.to_numpy().astype("datetime64[s]"),
        rows=combined["row"].to_numpy().astype(np.int64),
        names=names[combined.index.get_level_values("name")],
        columns=[
            replace(column, values=_round_all(combined[field], column.values, is_total).to_numpy())
            for column, field in zip(dated_values.columns, fields, strict=True)
        ],
    )


def _with_all_periods(totals: pd.DataFrame, frame: pd.DataFrame) -> pd.DataFrame:
    """Return totals with 0 for the periods without values, from the first of each name on."""
    last = frame["period"].max()
    firsts = frame.groupby("name")["period"].min()
    wanted = [(c, period) for c, first in firsts.items() for period in pd.period_range(first, last)]
    filled = totals.reindex(pd.MultiIndex.from_tuples(wanted, names=["name", "period"]))
    filled["row"] = filled["row"].ffill()
    return filled.fillna(0.0)


def _report_cut(
    column: ValueColumn, totals: pd.Series, aggregation: PeriodAggregation, reading: Reading
) -> None:
    """Report that forecasts of totals are cut at 0, though what was added up is not."""
    amounts = column.values[np.isfinite(column.values)]
    if not column.is_balance and (amounts < 0).any() and (totals >= 0).all():
        cut = f"“{column.name}” has amounts below 0, but no {aggregation.period}'s total is"
        reading.add_remark("cut_at_zero", f"{cut}: forecasts are cut at 0 all the same.")


def _round_all(combined: pd.Series, values: FloatArray, is_total: bool) -> pd.Series:
    return round_sums(combined, values) if is_total else combined.map(round_sum)


def _closing_balances(
    frame: pd.DataFrame, dated_values: DatedValues, reading: Reading
) -> Iterator[tuple[str, pd.Series]]:
    """Yield the field of each running balance, and its last values by name and period."""
    for field, column in zip(dated_values.fields, dated_values.columns, strict=True):
        if column.is_balance:
            report_running_balances([column], reading, is_carried=True)
            order = np.lexsort(
                (column.closing_order * frame["row"], dated_values.times[frame.index])
            )
            yield field, frame.iloc[order].groupby(["name", "period"])[field].last()


def _are_covered(
    times: TimeArray, periods: pd.PeriodIndex, aggregation: PeriodAggregation, reading: Reading
) -> np.ndarray:
    """Return which rows are in periods that the dates cover from end to end, and that are over."""
    is_kept = np.ones(times.size, dtype=bool)
    if aggregation.period == "day":
        return is_kept
    days = np.unique(times.astype("datetime64[D]"))
    gap = _MAX_STEPS_LACKING * max(
        float(np.median(np.diff(days).astype(int))) if days.size > 1 else 1, 1
    )
    first, last = periods.min(), periods.max()
    is_start_missing = (pd.Timestamp(days[0]) - first.start_time).days > gap
    is_end_missing = (last.end_time.normalize() - pd.Timestamp(days[-1])).days > gap
    is_open = last.start_time.date() <= reading.bounds.today < last.end_time.date()
    for is_cut, period in ((is_start_missing, first), (is_end_missing or is_open, last)):
        if is_cut and first != last:
            is_kept &= np.asarray(periods != period)
            left_out = f"the week from {period.start_time.date()}"
            if aggregation.period == "month":
                left_out = f"{period.start_time:%B %Y}"
            reading.add_remark("per", f"Left out {left_out}: it is incomplete.")
    return is_kept if is_kept.any() else np.ones(times.size, dtype=bool)


def meaning_of(
    aggregation: PeriodAggregation, columns: Sequence[ValueColumn], span: str, empty: str = ""
) -> str:
    """Return what values become; of running balances the last one instead of a total.

    ``span`` names the periods, ``empty`` says what the total of a period without values is.
    """
    if aggregation.summary is Summary.AVERAGE:
        return f"the average {span}"
    if are_balances(columns):
        return f"the last value {span}"
    return with_balances(f"the total {span}{empty}", columns)


def meaning_of_irregular(aggregation: PeriodAggregation, columns: Sequence[ValueColumn]) -> str:
    """Return what values by irregular dates become."""
    if aggregation is PeriodAggregation.NONE:
        return "each value as it is"
    return meaning_of(aggregation, columns, f"of each {aggregation.period}", " (0 if it has none)")


class Irregularity(NamedTuple):
    """Why values should be combined, and how, if that is known."""

    problem: str
    likely: Summary | None = None
    required: bool = True


def ask_aggregation(
    dated_values: DatedValues, irregularity: Irregularity, reading: Reading
) -> None:
    """Ask whether to combine values by day, week or month."""
    problem, likely, required = irregularity
    names = [column.name for column in dated_values.columns]
    column = dated_values.columns[likely_column(names, [0] * len(names))]
    values = column.values[np.isfinite(column.values)]
    # The amounts next to a balance add up to it; the total of a balance is its last value.
    is_total = likely is None and any(column.is_balance for column in dated_values.columns)
    summary = likely or choose_summary(column.name, column.unit, are_counts(values))
    wanted = Summary.TOTAL if is_total else summary
    steps = np.diff(np.unique(dated_values.times.astype("datetime64[D]"))).astype(int)
    periods = ["day", "week", "month"]
    if steps.size and np.median(steps) > DAYS_PER_WEEK:  # such as half months
        periods.reverse()
    offered = sorted(
        {*PeriodAggregation} - {PeriodAggregation.NONE},
        key=lambda other: (periods.index(other.period), other.summary is not wanted),
    )
    report_running_balances(dated_values.columns, reading)
    reading.ask(
        "per",
        problem,
        [
            Choice(choice, meaning_of_irregular(choice, dated_values.columns), "")
            for choice in (*offered, PeriodAggregation.NONE)
        ],
        proposal=_combining_proposal(dated_values, wanted, periods[0]),
        required=required,
    )


def _combining_proposal(dated_values: DatedValues, likely: Summary, period: str) -> str:
    """Return what a question proposes: ``add them up by day; of “Balance” the last``."""
    if likely is Summary.AVERAGE:
        return f"take their average by {period}"
    if are_balances(dated_values.columns):
        return f"take the last by {period}"
    return with_balances(f"add them up by {period}", dated_values.columns)


def find_step_change(dated_values: DatedValues) -> Irregularity | None:
    """Find a change of the step within a file, such as from hours to quarters of an hour.

    The values are amounts if they shrink as their step does.
    """
    times = np.unique(dated_values.times)
    steps = np.diff(times).astype(np.int64)
    if steps.size < 2 * _MIN_VALUES_PER_STEP or pd.unique(dated_values.names).size > 1:
        return None
    step_before, step_after = (
        int(np.median(part))
        for part in (steps[:_MIN_VALUES_PER_STEP], steps[-_MIN_VALUES_PER_STEP:])
    )
    shorter, longer = sorted((step_before, step_after))
    if shorter == longer or longer > DAY_SECONDS or longer % shorter:
        return None
    is_before, is_after = steps == step_before, steps == step_after
    change = int(np.argmax(np.cumsum(is_before) - np.cumsum(is_after))) + 1  # of the best cut
    fractions = is_before[:change].mean(), is_after[change:].mean()
    if (
        min(change, steps.size - change) < _MIN_VALUES_PER_STEP
        or min(fractions) < _MIN_STEP_FRACTION
    ):
        return None
    before, after = (SecondAxis().describe(step) for step in (step_before, step_after))
    day = np.datetime_as_string(times[change], "m").replace("T", " ")
    problem = f"The values are {before} apart until {day}, and {after} from then on"
    values, is_later = dated_values.columns[0].values, dated_values.times >= times[change]
    levels = [np.nanmean(np.abs(values[part])) for part in (~is_later, is_later)]
    are_amounts = _shrink_with_step(levels, (step_before, step_after))
    return Irregularity(problem, Summary.TOTAL if are_amounts else Summary.AVERAGE)


def _shrink_with_step(levels: Sequence[float], steps: Sequence[int]) -> bool:
    """Return whether values before and after a change differ in size about as their steps do."""
    if min(levels) > 0:
        ratio = levels[0] / levels[1]
        return bool(abs(np.log(ratio * steps[1] / steps[0])) < abs(np.log(ratio)))
    return False
