"""A series out of whatever holds it: pandas, or lists, dictionaries and rows."""

import sys
from collections.abc import Mapping, Sequence
from typing import Any

from forecast_client.cells import is_time, times_of, values_of
from forecast_client.columns import time_column_of, value_column_of
from forecast_client.errors import DataError
from forecast_client.raw import Raw

# A pandas Series, a DataFrame of one series, a pair of timestamps and values, a dictionary of
# values by timestamp or of two columns, or rows: dictionaries, or pairs.
SeriesLike = Any
_KINDS = (
    "a pandas Series with a DatetimeIndex or PeriodIndex, a DataFrame with a column of times and "
    "one of values, a pair of lists (timestamps, values), or a list of rows"
)


def read(data: SeriesLike, time_column: str | None = None, value_column: str | None = None) -> Raw:
    """Return the series that ``data`` hold, as they are.

    Raises:
        DataError: They do not hold a series.
    """
    pandas = sys.modules.get("pandas")  # who has a Series has imported it
    if pandas is not None and isinstance(data, (pandas.Series, pandas.DataFrame)):
        from forecast_client import frames

        return frames.read_pandas(data, time_column, value_column)
    if isinstance(data, Mapping):
        return _of_mapping(data, time_column, value_column)
    if isinstance(data, (str, bytes)) or not hasattr(data, "__len__"):
        raise DataError(f"a {type(data).__name__} is not a series: send {_KINDS}")
    rows = list(data)
    if not rows:
        raise DataError(f"the series is empty: send {_KINDS}")
    if isinstance(rows[0], Mapping):
        return _of_mapping(_columns_of(rows), time_column, value_column)
    if len(rows) == 2 and _is_column(rows[0]) and _is_column(rows[1]):
        return _of_columns(*rows)
    if all(_is_column(row) and len(row) == 2 for row in rows):
        return _of_columns([row[0] for row in rows], [row[1] for row in rows])
    raise DataError(
        "values without timestamps are not a series: send a pair of lists (timestamps, values)"
        if not _is_column(rows[0])
        else f"these rows are not a series: send {_KINDS}"
    )


def _is_column(cells: Any) -> bool:
    return hasattr(cells, "__len__") and not isinstance(cells, (str, bytes, Mapping))


def _of_mapping(data: Mapping[Any, Any], time_column: Any, value_column: Any) -> Raw:
    """Of two columns by name, or of values by timestamp."""
    if not data or not all(map(_is_column, data.values())):
        return _of_columns(list(data), list(data.values()))
    names = list(data)
    times = [name for name in names if len(data[name]) and is_time(data[name][0])]
    time = time_column_of(names, time_column, times)
    others = [name for name in names if name != time]
    numbers = [name for name in others if len(data[name]) and _is_number(data[name][0])]
    value = value_column_of(others, value_column, numbers)
    return _of_columns(data[time], data[value], str(time), str(value))


def _is_number(cell: Any) -> bool:
    return cell is None or (hasattr(cell, "__float__") and not isinstance(cell, bool))


def _columns_of(rows: Sequence[Any]) -> dict[Any, list[Any]]:
    """Return the columns of rows that are dictionaries."""
    if not all(isinstance(row, Mapping) for row in rows):
        raise DataError("some rows are dictionaries and some are not: send one kind")
    names = {name: None for row in rows for name in row}
    return {name: [row.get(name) for row in rows] for name in names}


def _of_columns(times: Any, values: Any, time: str = "timestamps", value: str = "values") -> Raw:
    pandas = sys.modules.get("pandas")
    if pandas is not None and isinstance(times, pandas.Index):
        from forecast_client import frames

        return frames.read_pandas(pandas.Series(list(values), index=times))
    times, values = list(times), list(values)
    if len(times) != len(values):
        raise DataError(
            f"{len(times)} timestamps and {len(values)} values: send one value for each timestamp"
        )
    wall, zone, utc = times_of(times, f"{time}:")
    name = None if value == "values" else value
    return Raw(wall, values_of(values, f"{value}:"), zone, utc, name=name)
