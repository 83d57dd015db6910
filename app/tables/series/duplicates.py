"""Choose what several values of one timestamp become, and combine them."""

import numpy as np
import pandas as pd

from app.tables.answers import Duplicates
from app.tables.dated_values import DatedValues
from app.tables.dates.time_zones import ask_time_zone, can_clock_change
from app.tables.errors import UnreadableTableError
from app.tables.messages import list_rows
from app.tables.reading import Choice, Reading
from app.tables.series.gaps import shorten_time
from app.tables.series.gridded_series import round_sum, round_sums
from app.tables.values.running_balances import are_balances, report_running_balances
from app.timeseries.types import BoolArray, FloatArray

# If more than this fraction of the dates have several values, these are likely parts of a sum.
_MIN_FRACTION_OF_PARTS = 0.25
_MAX_SHOWN_VALUES = 3
_MEANINGS = {
    Duplicates.SUM: "they are added up",
    Duplicates.MEAN: "their mean is taken",
    Duplicates.LAST: "the last counts",
}


def choose_duplicates(dated_values: DatedValues, reading: Reading) -> Duplicates:
    """Return how to combine several values of one timestamp; ask if there are any.

    If an hour comes twice, only the time zone is asked, which distinguishes the two hours. Raise
    UnreadableTableError if all rows have one date, as a list of stock has.
    """
    is_repeated = are_repeated(dated_values)
    # Several values of a day are combined first.
    if reading.asks("per", required=True) or not is_repeated.any():
        return Duplicates.LAST
    _reject_single_date(dated_values, reading)
    if are_balances(dated_values.columns) and reading.answers.duplicates is not Duplicates.MEAN:
        report_running_balances(dated_values.columns, reading)
        return Duplicates.LAST
    rows_text = list_rows(_rows_of(dated_values, is_repeated), reading)
    if _is_hour_repeated(dated_values, is_repeated):
        chosen = _choose_for_hour(dated_values, is_repeated, rows_text, reading)
        if chosen is not None:
            return chosen
    return _choose_for_date(dated_values, is_repeated, rows_text, reading)


def _choose_for_hour(
    dated_values: DatedValues, is_repeated: BoolArray, rows_text: str, reading: Reading
) -> Duplicates | None:
    """Return how to combine the values of an hour that comes twice; None if no zone repeats it."""
    time = dated_values.times[is_repeated][0]
    hour = str(time.astype("datetime64[h]")).replace("T", " ") + ":00"
    text = f"The clock goes back: it shows the hour from {hour} twice ({rows_text})."
    needs_zone = reading.answers.duplicates is None and reading.answers.timezone is None
    if not ask_time_zone(time, text, reading, is_required=needs_zone):
        return None
    if needs_zone:
        return Duplicates.MEAN
    return _ask_duplicates(dated_values, is_repeated, text, Duplicates.MEAN, reading)


def _choose_for_date(
    dated_values: DatedValues, is_repeated: BoolArray, rows_text: str, reading: Reading
) -> Duplicates:
    within = " in a series" if dated_values.adds_up else ""
    text = f"The same date again{within}: {rows_text}."
    are_parts = is_repeated.sum() > _MIN_FRACTION_OF_PARTS * np.unique(dated_values.times).size
    likely = Duplicates.SUM if are_parts else Duplicates.LAST
    return _ask_duplicates(dated_values, is_repeated, text, likely, reading)


def _ask_duplicates(
    dated_values: DatedValues,
    is_repeated: BoolArray,
    text: str,
    likely: Duplicates,
    reading: Reading,
) -> Duplicates:
    """Ask how to combine the values, and return the answer, ``likely`` without one."""
    answered, per = reading.answers.duplicates, reading.answers.per
    if likely is Duplicates.SUM and per and per.is_total:
        answered = answered or Duplicates.SUM
    choices = _duplicates_choices(dated_values, is_repeated, likely)
    reading.ask("duplicates", text, choices, required=answered is None)
    if answered:
        remark = f"{text.removesuffix('.')}: {_MEANINGS[answered]}."
        reading.add_remark("duplicates", remark, _rows_of(dated_values, is_repeated))
    reading.chosen.duplicates = answered
    return answered or likely


def _rows_of(dated_values: DatedValues, is_repeated: BoolArray) -> list[int]:
    return np.unique(dated_values.rows[is_repeated]).tolist()


def _reject_single_date(dated_values: DatedValues, reading: Reading) -> None:
    """Raise UnreadableTableError if no answer to a question can give a series of several dates."""
    is_single = np.unique(dated_values.times).size == 1
    if is_single and reading.answers.duplicates is None and not reading.asks("dates"):
        date = shorten_time(dated_values.times[0])
        count = dated_values.times.size
        issue = f"all {count:,} rows have one date, {date}: send rows of several dates"
        raise UnreadableTableError(issue, int(dated_values.rows[0]))


def combine_duplicates(values: pd.Series, duplicates: Duplicates) -> pd.Series:
    """Return one value for each time."""
    if values.index.is_unique:
        return values
    groups = values.groupby(level=0)
    if duplicates is Duplicates.SUM:
        return round_sums(groups.sum(min_count=1), values.to_numpy())
    combined = groups.agg(str(duplicates))
    return combined if duplicates is Duplicates.LAST else combined.map(round_sum)


def are_repeated(dated_values: DatedValues) -> BoolArray:
    """Return which values have the same series and time as the one before.

    The rows are in the order of names and times.
    """
    codes = pd.factorize(dated_values.names)[0]
    is_repeated = np.zeros(dated_values.times.size, dtype=bool)
    for column in dated_values.columns:
        positions = np.flatnonzero(~np.isnan(column.values))
        times, names = dated_values.times[positions], codes[positions]
        is_repeat = (times[1:] == times[:-1]) & (names[1:] == names[:-1])
        is_repeated[positions[1:][is_repeat]] = True
    return is_repeated


def _is_hour_repeated(dated_values: DatedValues, is_repeated: BoolArray) -> bool:
    """Return whether each repeated time occurs twice in a series, as when clocks are set back.

    The series have to be of hours or shorter steps without a time zone.
    """
    distinct = np.unique(dated_values.times)
    is_short = distinct.size > 1 and np.diff(distinct).min() <= np.timedelta64(1, "h")
    times = dated_values.times[is_repeated]
    is_third = pd.DataFrame({"time": times, "name": dated_values.names[is_repeated]}).duplicated()
    is_change = is_short and not is_third.any() and can_clock_change(times).all()
    return bool(dated_values.suffix == "" and is_change)


def _duplicates_choices(
    dated_values: DatedValues, is_repeated: BoolArray, likely: Duplicates
) -> list[Choice]:
    """Return the choices, the likely one first, each with what the first values become."""
    is_first = (dated_values.times == dated_values.times[is_repeated][0]) & (
        dated_values.names == dated_values.names[is_repeated][0]
    )
    column = next(c for c in dated_values.columns if np.isfinite(c.values[is_first]).sum() > 1)
    values = column.values[is_first][np.isfinite(column.values[is_first])]
    examples = [f"{value:g}" for value in values[:_MAX_SHOWN_VALUES].tolist()]
    if values.size > _MAX_SHOWN_VALUES:
        examples.append(f"{values.size - _MAX_SHOWN_VALUES:,} more")
    return [
        Choice(
            how, _MEANINGS[how], f"{' and '.join(examples)} become {_combine_values(values, how):g}"
        )
        for how in sorted(Duplicates, key=lambda how: how is not likely)
    ]


def _combine_values(values: FloatArray, duplicates: Duplicates) -> float:
    at_one_time = pd.Series(values, index=np.zeros(values.size))
    return float(combine_duplicates(at_one_time, duplicates).iloc[0])
