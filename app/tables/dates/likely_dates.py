"""Distinguish dates from numbers of parts that look like them."""

import datetime as dt
from functools import lru_cache

from app.tables.dates.cells import date_reader, is_written_date
from app.tables.dates.part_values import EPOCH_DAY
from app.tables.results import DateOrder
from app.timeseries.calendar.frequency import DAY_SECONDS

# From 1900 to 2100.
_MIN_LIKELY_SECONDS, _MAX_LIKELY_SECONDS = (
    (dt.date(year, 1, 1).toordinal() - EPOCH_DAY) * DAY_SECONDS for year in (1900, 2101)
)


@lru_cache(maxsize=16_384)
def is_likely_date(cell: str) -> bool:
    """Return whether a cell is a date of a likely year, and no number of a part such as 4711-01."""
    if not is_written_date(cell):
        return False
    readers = (date_reader(order) for order in DateOrder)
    dates = [date for date in (read(cell) for read in readers) if date]
    return any(_MIN_LIKELY_SECONDS <= date.seconds < _MAX_LIKELY_SECONDS for date in dates)
