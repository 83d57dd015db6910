"""Ask about ends of series that may not be data: zeros they never had, dates after today."""

import datetime as dt
from collections.abc import Sequence

import numpy as np
import pandas as pd

from app.tables.dated_values import Entry
from app.tables.results import Choice, Reading, WrongAnswerError
from app.timeseries.calendar.frequency import DAY_SECONDS
from app.timeseries.calendar.timestamps import TimeArray

_MIN_BEFORE = 6  # values without a zero, before zeros at the end
_DAY = np.timedelta64(1, "D")
_MONTH_SECONDS = 28 * DAY_SECONDS


def trim_end(entries: list[Entry], today: dt.date | None, reading: Reading) -> list[Entry]:
    """Return series until the answered day; ask about it if their last values may not be data."""
    until = reading.answers.until
    reading.chosen.until = until
    if until is None:
        _ask(entries, today, reading)
        return entries
    end = np.datetime64(until, "s") + _DAY
    cut = [_cut_after(entry, end) for entry in entries]
    kept = [
        e for e in cut if e.values.notna().any() or (e.values.size and e.substitutes is not None)
    ]
    if not any(entry.values.notna().any() for entry in kept):
        raise WrongAnswerError("until", f"no value is as early as {until}; send a later day")
    return kept


def _cut_after(entry: Entry, end: np.datetime64) -> Entry:
    values, substitutes = entry.values, entry.substitutes
    return entry._replace(
        values=values[values.index < end],
        substitutes=None if substitutes is None else substitutes[substitutes.index < end],
    )


def _ask(entries: Sequence[Entry], today: dt.date | None, reading: Reading) -> None:
    filled = [values for values in (entry.values.dropna() for entry in entries) if values.size]
    if not filled:
        return
    times = np.unique(np.concatenate([values.index.to_numpy() for values in filled]))
    last = times[-1]
    zeros = [_zeros_at_end(values) for values in filled]
    if all(zeros) and len({values.index[-1] for values in filled}) == 1:
        count = min(zeros)
        last_real = times[-1 - count] if times.size > count else last
        words = "The last value is 0: leave it out?"
        if count > 1:
            words = f"The last {count} values are 0: leave them out?"
        offer_until(words, last_real, last, reading)
        return
    for entry, count in zip((e for e in entries if e.values.notna().any()), zeros, strict=True):
        if count:
            text = f"“{entry.name}” ends with {count} zeros, and had none before."
            reading.add_remark("zeros_at_end", text)
            break
    is_dated = not reading.asks("year", required=True)
    ahead = times[_is_ahead(times, today)] if today and is_dated else times[:0]
    if 0 < ahead.size < times.size:
        single = "The last date is after today: leave it out?"
        several = f"The last {ahead.size} dates are after today: leave them out?"
        offer_until(single if ahead.size == 1 else several, times[-1 - ahead.size], last, reading)


def offer_until(question: str, real: np.datetime64, last: np.datetime64, reading: Reading) -> None:
    """Ask whether to leave out what is after ``real``; ``last`` is the last time of all."""
    first_kept, all_kept = (np.datetime_as_string(time, "D") for time in (real, last))
    if first_kept == all_kept:
        return  # within a day
    choices = [
        Choice(str(first_kept), "left out", f"{first_kept} is the last"),
        Choice(str(all_kept), "kept as they are", f"{all_kept} is the last"),
    ]
    reading.ask("until", question, choices, required=reading.answers.until is None)


def _zeros_at_end(values: pd.Series) -> int:
    """Return the number of zeros at the end of a series that had none before."""
    nonzero = np.flatnonzero(values.to_numpy() != 0)
    count = len(values) - 1 - int(nonzero[-1]) if nonzero.size else 0
    is_new = nonzero.size == len(values) - count and nonzero.size >= _MIN_BEFORE
    return count if is_new else 0


def _is_ahead(times: TimeArray, today: dt.date | None) -> np.ndarray:
    """Return which times are after the period of today: a month is named by any of its days."""
    now = np.datetime64(today, "D")
    steps = np.diff(times).astype("timedelta64[s]").astype(np.int64)
    if steps.size and np.median(steps) >= _MONTH_SECONDS:
        return np.asarray(times.astype("datetime64[M]") > now.astype("datetime64[M]"))
    week = max(_DAY, np.timedelta64(int(np.median(steps)) if steps.size else 0, "s"))
    return np.asarray(times >= (now + _DAY).astype("datetime64[s]") + week)
