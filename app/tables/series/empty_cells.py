"""Decide what empty cells mean: zeros, gaps, or a series with a longer step than the rows."""

import numpy as np
import pandas as pd

from app.tables.answers import Fill, Layout, TableBounds
from app.tables.dated_values import UngriddedSeries
from app.tables.errors import too_many_points_error
from app.tables.reading import Reading
from app.timeseries.calendar.fit import find_spacing
from app.timeseries.calendar.spacing import Spacing

_MIN_OWN_STEPS = 8  # fewer values do not show that a series has a longer step than the rows
# Empty cells at the end of a column are zeros up to this fraction of the dates; else it has ended.
_MAX_ZERO_END_FRACTION = 0.1


def are_zeros(reading: Reading) -> bool:
    """Return whether empty cells below dates side by side are values of 0, as was answered."""
    return reading.answers.fill is Fill.ZERO and reading.chosen.layout is Layout.PIVOT


def resolve_empty_cells(series: list[UngriddedSeries], reading: Reading) -> list[UngriddedSeries]:
    """Return series with zeros for their empty cells, if that was answered.

    Zeros also fill their ends, as far as others of the table have values. Without that answer, a
    series with a longer step than the rows loses the dates between its values.
    """
    if not are_zeros(reading):
        if reading.answers.fill is Fill.ZERO and len(series) > 1:
            return _with_zero_ends(series, reading.bounds)
        return [_at_own_step(raw, reading) for raw in series]
    return [
        raw
        if raw.substitutes is not None
        else raw._replace(substitutes=raw.values[raw.values.isna()].fillna(0.0))
        for raw in series
    ]


def _with_zero_ends(series: list[UngriddedSeries], bounds: TableBounds) -> list[UngriddedSeries]:
    """Return series with zeros at their ends, as far as others have values.

    If a series lacks more consecutive dates at an end than elsewhere, it started later or has
    ended. Raise UnreadableTableError if the series are too long with their zeros.
    """
    ends = [times for raw in series if (times := raw.values.dropna().index).size]
    if not ends:
        return series
    first, last = min(times[0] for times in ends), max(times[-1] for times in ends)
    dates = pd.DatetimeIndex(np.unique(np.concatenate([raw.values.index for raw in series])))
    dates = dates[(dates >= first) & (dates <= last)]
    spacing = find_spacing(dates.to_numpy().astype("datetime64[s]"))
    extended = []
    count = 0
    for raw in series:
        extended.append(_extend_with_zeros(raw, dates) if _has_step(raw, dates, spacing) else raw)
        count += extended[-1].values.size
        if count > bounds.max_total_points:
            raise too_many_points_error(bounds)
    return extended


def _has_step(raw: UngriddedSeries, dates: pd.DatetimeIndex, spacing: Spacing | None) -> bool:
    apart = np.diff(dates.searchsorted(raw.values.index))
    if 2 * np.count_nonzero(apart <= 1) >= apart.size:
        return True
    own = find_spacing(raw.times)
    if own is None or spacing is None or not own.is_mostly_regular:
        return True
    return (own.frequency, own.step) == (spacing.frequency, spacing.step)


def _extend_with_zeros(raw: UngriddedSeries, dates: pd.DatetimeIndex) -> UngriddedSeries:
    """Return a series with zeros for the ``dates`` of the table that it lacks at its ends."""
    values = raw.values.dropna()
    positions = dates.searchsorted(values.index)
    if not positions.size or raw.substitutes is not None or raw.column.is_balance:
        return raw
    limit = max(int(np.diff(positions).max(initial=1)) - 1, _MAX_ZERO_END_FRACTION * dates.size)
    first, end = int(positions[0]), int(positions[-1]) + 1
    start = 0 if first <= limit else first
    end = dates.size if dates.size - end <= limit else end
    kept = np.full(end - start, np.nan)
    kept[positions - start] = values.to_numpy()
    index = dates[start:end]
    substitutes = pd.Series(0.0, index=index[np.isnan(kept)])
    return raw._replace(values=pd.Series(kept, index=index), substitutes=substitutes)


def _at_own_step(raw: UngriddedSeries, reading: Reading) -> UngriddedSeries:
    own_values = raw.values.dropna()
    is_asked = reading.answers.fill is not None or reading.answers.data_frequency is not None
    if is_asked or raw.substitutes is not None:
        return raw
    if not _MIN_OWN_STEPS <= own_values.size < raw.values.size:
        return raw
    own, of_rows = map(find_spacing, (raw._replace(values=own_values).times, raw.times))
    if own is None or of_rows is None or own.frequency == of_rows.frequency:
        return raw
    if own.defect_count or own.step != 1 or own.entry_count != own_values.size:
        return raw
    text = f"“{raw.name}” has a value every {own}: read with this step, not as gaps."
    reading.add_remark("own_step", text)
    return raw._replace(values=own_values)
