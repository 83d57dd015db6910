"""Series out of pandas objects; whole columns are converted at once."""

import math
from collections.abc import Hashable, Iterator
from dataclasses import replace
from typing import Any

import pandas as pd

from forecast_client.cells import is_time, times_of, values_of
from forecast_client.columns import listed, time_column_of, value_column_of
from forecast_client.errors import DataError, ForecastError, as_forecast_error
from forecast_client.labels import is_fixed
from forecast_client.raw import Raw

_SECONDS = "datetime64[s]"


def read_pandas(data: Any, time_column: Any = None, value_column: Any = None) -> Raw:
    """Return the series that a Series or a DataFrame holds.

    Raises:
        DataError: There is no column of times or of values, or one holds something else.
    """
    if not len(data):
        raise DataError(f"the {type(data).__name__} is empty: send at least 10 points")
    if isinstance(data, pd.Series):
        name = None if data.name is None else str(data.name)
        return checked(replace(_times(data.index), values=_values(data), name=name))
    times, column = _columns(data, time_column, value_column)
    return checked(replace(_times(times), values=_values(column), name=str(column.name)))


def split_long(
    frame: pd.DataFrame, id_column: Hashable, time_column: Any, value_column: Any
) -> Iterator[tuple[Hashable, Raw | ForecastError]]:
    """Return each id of a long frame and its series, or what is wrong with it.

    Raises:
        DataError: There is no column of times or of values, or ids are missing.
    """
    ids = frame[id_column]
    nameless = int(ids.isna().sum())
    if nameless:
        raise DataError(
            f"column {str(id_column)!r} is empty in {nameless} rows: fill it, or leave them out"
        )
    times, column = _columns(frame.drop(columns=[id_column]), time_column, value_column)
    return _split_columns(ids, times, column)


def _split_columns(
    ids: pd.Series, times: Any, column: pd.Series
) -> Iterator[tuple[Hashable, Raw | ForecastError]]:
    whole = _whole_times(times)
    is_plain = pd.api.types.is_numeric_dtype(column.dtype)
    values = _values(column) if is_plain else None
    for name, entries in ids.groupby(ids, sort=False, observed=True).indices.items():
        places = entries.tolist()
        try:
            part = (
                _values(column.iloc[entries])
                if values is None
                else [values[place] for place in places]
            )
            raw = whole.taking(places, part) if whole else _times(times.take(entries))
            yield name, checked(replace(raw, values=part, name=str(name)))
        except Exception as error:  # one series does not lose the rest
            yield name, as_forecast_error(error)


def split_wide(frame: pd.DataFrame) -> Iterator[tuple[Hashable, Raw | ForecastError]]:
    """Return each column of a frame that has its times in the index, or what is wrong with it.

    Raises:
        DataError: Columns have the same name, or the index cannot be read.
    """
    _check_names(frame)
    return _split_wide(frame, _times(frame.index))


def _split_wide(frame: pd.DataFrame, times: Raw) -> Iterator[tuple[Hashable, Raw | ForecastError]]:
    for name, column in frame.items():
        try:
            yield name, checked(replace(times, values=_values(column), name=str(name)))
        except Exception as error:  # one series does not lose the rest
            yield name, as_forecast_error(error)


def has_times(index: pd.Index) -> bool:
    """Return whether an index holds times."""
    if isinstance(index, (pd.DatetimeIndex, pd.PeriodIndex)):
        return True
    return index.dtype == object and len(index) > 0 and is_time(index[0])


def checked(raw: Raw) -> Raw:
    """Return a series whose times and values are all of the kind that can be sent."""
    if None in raw.wall:
        entry = raw.wall.index(None)  # type: ignore[arg-type]
        raise DataError(
            f"entry {entry} has no timestamp (NaT): leave the point out, or give its time"
        )
    infinite = next((place for place, value in enumerate(raw.values) if math.isinf(value)), None)
    if infinite is not None:
        raise DataError(
            f"the value at {raw.wall[infinite]} (entry {infinite}) is infinite: replace it, or "
            'make it NaN and fill it, for example with fill="linear"'
        )
    return raw


def _columns(frame: pd.DataFrame, time_column: Any, value_column: Any) -> tuple[Any, pd.Series]:
    """Return the index or column of times, and the column of values."""
    if frame.columns.empty:
        raise DataError("the DataFrame is empty: it has no column of values")
    _check_names(frame)
    names = list(frame.columns)
    if time_column is None and has_times(frame.index):
        times: Any = frame.index
    else:
        found = [name for name in names if _holds_times(frame[name])]
        time = time_column_of(names, time_column, found)
        times, names = pd.Index(frame[time]), [name for name in names if name != time]
    numeric = [name for name in names if _is_numeric(frame[name].dtype)]
    return times, frame[value_column_of(names, value_column, numeric)]


def _check_names(frame: pd.DataFrame) -> None:
    repeated = frame.columns[frame.columns.duplicated()].unique().tolist()
    if repeated:
        raise DataError(f"several columns are named {listed(repeated)}: rename them")


def _holds_times(column: pd.Series) -> bool:
    if isinstance(column.dtype, (pd.DatetimeTZDtype, pd.PeriodDtype)):
        return True
    if pd.api.types.is_datetime64_dtype(column.dtype):
        return True
    is_numeric = pd.api.types.is_numeric_dtype(column.dtype)
    return not is_numeric and len(column) > 0 and is_time(column.iloc[0])


def _is_numeric(dtype: Any) -> bool:
    return pd.api.types.is_numeric_dtype(dtype) and not pd.api.types.is_bool_dtype(dtype)


def _values(column: pd.Series) -> list[float]:
    """Return values as floats, NaN where one is missing."""
    if _is_numeric(column.dtype) and not pd.api.types.is_complex_dtype(column.dtype):
        values: list[float] = column.to_numpy(dtype="float64", na_value=math.nan).tolist()
        return values
    return values_of(column.tolist(), _where("values", column.name))


def _where(kind: str, name: Any) -> str:
    """Name a column in messages."""
    return f"{kind}:" if name is None else f"column {str(name)!r}:"


def _whole_times(times: Any) -> Raw | None:
    """Return the times of all rows, or None where those of one series may spoil the rest."""
    is_typed = isinstance(times, (pd.DatetimeIndex, pd.PeriodIndex))
    return _times(times) if is_typed else None


def _times(index: pd.Index) -> Raw:
    """Return an index as times without values."""
    if isinstance(index, pd.DatetimeIndex):
        return _of_datetimes(index)
    if isinstance(index, pd.PeriodIndex):
        return _of_periods(index)
    if isinstance(index, pd.MultiIndex):
        raise DataError(
            "the index has several levels: reset_index(), and name the columns by "
            'time_column="…"; many series go to client.many with id_column="…"'
        )
    if pd.api.types.is_numeric_dtype(index.dtype):
        raise DataError(
            f"the index holds {index.dtype} numbers, not times: set a DatetimeIndex, such as "
            'data.index = pd.date_range("2024-01-01", periods=len(data), freq="MS")'
        )
    wall, zone, utc = times_of(index.tolist(), _where("timestamps", index.name))
    return Raw(wall, [], zone, utc, index_name=index.name)


def _of_datetimes(index: pd.DatetimeIndex) -> Raw:
    naive = index if index.tz is None else index.tz_localize(None)
    wall = naive.to_numpy()
    seconds = wall.astype(_SECONDS)
    broken = (seconds != wall) & ~naive.isna()
    if broken.any():
        raise DataError(
            f"{index[int(broken.argmax())]} has a fraction of a second: the service takes whole "
            'seconds; round the times first, for example with index.round("s")'
        )
    utc = None
    if index.tz is not None and not is_fixed(index.tz):
        utc = _listed(index.tz_convert(None).to_numpy().astype(_SECONDS))
    return Raw(_listed(seconds), [], index.tz, utc, index.unit, index_name=index.name)


def _of_periods(index: pd.PeriodIndex) -> Raw:
    ordinals = index.asfreq("s", how="start").astype("int64").to_numpy()
    starts = _listed(ordinals.view(_SECONDS))
    if index.hasnans:
        starts = [None if gone else start for gone, start in zip(index.isna(), starts, strict=True)]
    return Raw(starts, [], period=index.freqstr, index_name=index.name)


def _listed(seconds: Any) -> list[Any]:
    """Return an array of seconds as datetimes, None for NaT."""
    moments: list[Any] = seconds.tolist()
    beyond = next((place for place, moment in enumerate(moments) if isinstance(moment, int)), None)
    if beyond is not None:
        raise DataError(f"{seconds[beyond]} is not in the years 1 to 9999: correct the timestamp")
    return moments
