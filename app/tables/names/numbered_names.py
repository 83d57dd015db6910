"""Report series whose names may be parts of their dates, in words that are not known."""

import re
from collections.abc import Sequence

from app.tables.reading import Reading, TableSeries
from app.timeseries.calendar.frequency import Frequency

_NUMBER = re.compile(r"\d{1,2}", re.ASCII)
# How many parts a date has, what they are, and how to write the first one.
_NUMBERED_PARTS = {
    Frequency.YEARLY: {
        4: ("quarters", "2024-Q1"),
        12: ("months", "2024-01"),
        52: ("weeks", "2024-W01"),
        53: ("weeks", "2024-W01"),
    },
    Frequency.DAILY: {24: ("hours", "2024-01-31 00:00")},
}


def report_numbered_names(series: Sequence[TableSeries], reading: Reading) -> None:
    """Report yearly series numbered like quarters, months or weeks, and daily ones like hours."""
    frequencies = {one_series.data_frequency for one_series in series}
    if not reading.notation.has_names or len(frequencies) != 1:
        return
    matches = [_NUMBER.search(one_series.name) for one_series in series]
    numbers = sorted({int(match[0]) for match in matches if match})
    count = len(numbers)
    parts = _NUMBERED_PARTS.get(frequencies.pop() or Frequency.MONTHLY, {}).get(count)
    if parts and all(matches) and numbers in ([*range(count)], [*range(1, count + 1)]):
        noun, example = parts
        text = f"{count} names are numbered: if they are {noun}, send dates such as {example}."
        reading.add_remark("numbered_names", text)
