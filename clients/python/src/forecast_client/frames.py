"""Read series from a caller's data, with pandas."""

from collections.abc import Hashable, Iterator, Mapping
from typing import Any

import numpy as np
import pandas as pd

from forecast_client.errors import DataError
from forecast_client.results import count_text

_KINDS = (
    "a pandas Series with a DatetimeIndex or PeriodIndex, a DataFrame with a column of times and "
    "one of values (such as pd.DataFrame(rows)), or a pair of lists (timestamps, values)"
)
_MANY_KINDS = (
    "a DataFrame with a column of ids (id_column), a DataFrame with its times in the index and a "
    "column for each series, or a dictionary of series by id"
)


def to_pandas(data: Any) -> Any:
    """Return a DataFrame of polars as one of pandas, other data unchanged."""
    if type(data).__module__.partition(".")[0] == "polars" and hasattr(data, "columns"):
        return pd.DataFrame(data.to_dict(as_series=False))
    return data


def has_many_series(data: Any) -> bool:
    """Return whether a DataFrame has ids in its index, or a column for each of several series."""
    data = to_pandas(data)
    if isinstance(data.index, pd.MultiIndex):
        return True
    return _is_time(data.index) and sum(data[name].dtype.kind in "iuf" for name in data) > 1


def with_ids(data: Any, id_column: Any) -> tuple[Any, Any]:
    """Return a DataFrame with its ids in columns, and the column of ids; a tuple names several.

    Of a MultiIndex all levels but the one of times are ids, unless ``id_column`` names them.
    """
    data = to_pandas(data)
    is_frame = isinstance(data, (pd.DataFrame, pd.Series))
    if is_frame and isinstance(data.index, pd.MultiIndex) and id_column is None:
        levels = data.index.levels
        ids = [
            name
            for name, level in zip(data.index.names, levels, strict=True)
            if not _is_time(level)
        ]
        if len(ids) != len(levels) - 1 or None in ids:
            raise DataError(
                "name the levels of the index that are ids, one is of times", "id_column"
            )
        id_column = ids
    if not isinstance(id_column, (list, tuple)) or not is_frame:
        return data, id_column
    if len(id_column) == 1:
        return data, id_column[0]
    frame = data.to_frame() if isinstance(data, pd.Series) else data
    if {*id_column} & {*frame.index.names}:
        frame = frame.reset_index()
    for name in id_column:
        _check_column(list(frame.columns), name, "id_column")
    unnamed_count = int(frame[list(id_column)].isna().any(axis=1).sum())
    if unnamed_count:
        raise DataError(
            f"empty in {count_text(unnamed_count, 'row')}: fill it, or leave the rows out",
            "id_column",
        )
    together = tuple(id_column)
    ids = pd.Series(
        [*frame[list(id_column)].itertuples(index=False, name=None)], frame.index, object
    )
    frame = frame.drop(columns=list(id_column))
    frame.insert(0, " · ".join(map(str, together)), ids)
    return frame, frame.columns[0]


def split(
    data: Any, id_column: Hashable | None, time_column: Any, value_column: Any
) -> tuple[int, Iterator[tuple[Hashable, Any]]]:
    """Return the number of series, and each id with its data; raise DataError if there is none."""
    data = to_pandas(data)
    if isinstance(data, Mapping):
        if not data:
            raise DataError(f"there is no series: send {_MANY_KINDS}")
        return len(data), iter(data.items())
    if not isinstance(data, (pd.DataFrame, pd.Series)):
        raise DataError(f"a {type(data).__name__} does not hold many series: send {_MANY_KINDS}")
    frame = data.to_frame() if isinstance(data, pd.Series) else data
    if id_column is not None and id_column in frame.index.names:
        frame = frame.reset_index()
    if frame.empty:
        raise DataError(f"the DataFrame is empty: send {_MANY_KINDS}")
    if id_column is not None:
        return _split_long(frame, id_column, time_column, value_column)
    if time_column is None and value_column is None and _is_time(frame.index):
        _check_names(frame)
        return len(frame.columns), iter(frame.items())
    raise DataError(
        f"which rows belong together? Name the column of ids: {_MANY_KINDS}", "id_column"
    )


def _split_long(
    frame: pd.DataFrame, id_column: Hashable, time_column: Any, value_column: Any
) -> tuple[int, Iterator[tuple[Hashable, Any]]]:
    _check_column(list(frame.columns), id_column, "id_column")
    ids = frame[id_column]
    unnamed_count = int(ids.isna().sum())
    if unnamed_count:
        raise DataError(
            f"column {str(id_column)!r} is empty in {count_text(unnamed_count, 'row')}: "
            "fill it, or leave them out"
        )
    times, values = _time_and_values(frame.drop(columns=id_column), time_column, value_column)
    if pd.api.types.is_datetime64_any_dtype(times.dtype):
        times = pd.DatetimeIndex(times)
    groups = ids.groupby(ids, sort=False, observed=True).indices
    series = (
        (name, pd.Series(values.array[rows], index=times[rows], name=str(name)))
        for name, rows in groups.items()
    )
    return len(groups), series


def read(
    data: Any,
    time_column: Any = None,
    value_column: Any = None,
    empty: str = "the series is empty: send at least 10 points",
) -> pd.Series:
    """Return data as a series of numbers with a DatetimeIndex or PeriodIndex."""
    data = to_pandas(data)
    if isinstance(data, (tuple, list)) and len(data) == 2:
        data = _paired_series(*data)
    if not isinstance(data, (pd.Series, pd.DataFrame)):
        raise DataError(f"a {type(data).__name__} is not a series: send {_KINDS}")
    if not len(data):
        raise DataError(empty)
    if isinstance(data, pd.Series):
        times, values = data.index, data
    else:
        times, values = _time_and_values(data, time_column, value_column)
    return pd.Series(_numbers(values), index=_times(times), name=values.name)


def _paired_series(times: Any, values: Any) -> pd.Series:
    if not all(hasattr(cells, "__len__") for cells in (times, values)):
        raise DataError(f"two values are not a series: send {_KINDS}")
    if len(times) != len(values):
        raise DataError(
            f"{len(times)} timestamps and {len(values)} values: send one value for each timestamp"
        )
    index = times if isinstance(times, pd.Index) else pd.Index(pd.Series(list(times)))
    return pd.Series(list(values), index=index)


def _time_and_values(
    frame: pd.DataFrame, time_column: Any, value_column: Any
) -> tuple[Any, pd.Series]:
    """Return the index or column of times, and the column of values."""
    _check_names(frame)
    names = list(frame.columns)
    if time_column is None and _is_time(frame.index):
        times: Any = frame.index
    else:
        candidates = [name for name in names if _is_time(frame[name])]
        time = _choose_column(names, time_column, candidates, "time")
        times = pd.Index(frame[time])
        names = [name for name in names if name != time]
    numeric = [name for name in names if frame[name].dtype.kind in "iuf"]
    return times, frame[_choose_column(names, value_column, numeric, "value")]


def _choose_column(names: list[Any], chosen: Any, fitting: list[Any], kind: str) -> Any:
    option = f"{kind}_column"
    if chosen is not None:
        _check_column(names, chosen, option)
        return chosen
    candidates = fitting or names
    if len(candidates) == 1:
        return candidates[0]
    problem = f"several columns could hold the {kind}s" if fitting else f"no column has {kind}s"
    raise DataError(f"{problem}: name one of {_name_list(candidates)}", option)


def _check_column(names: list[Any], chosen: Any, option: str) -> None:
    if chosen not in names:
        raise DataError(f"there is no column {str(chosen)!r}, only {_name_list(names)}", option)


def _check_names(frame: pd.DataFrame) -> None:
    repeated = frame.columns[frame.columns.duplicated()].unique().tolist()
    if repeated:
        raise DataError(f"several columns are named {_name_list(repeated)}: rename them")


def _is_time(cells: Any) -> bool:
    """Return whether a column or an index holds times; for strings, the first one decides."""
    if pd.api.types.is_datetime64_any_dtype(cells.dtype) or isinstance(cells.dtype, pd.PeriodDtype):
        return True
    if isinstance(cells, pd.MultiIndex) or _has_numbers(cells):
        return False
    first = pd.to_datetime(pd.Index(cells[:1]), format="ISO8601", errors="coerce")
    return len(first) > 0 and not first.hasnans


def _numbers(column: pd.Series) -> Any:
    """Return values as floats, shape (n,), NaN for missing ones."""
    place = "values" if column.name is None else f"column {str(column.name)!r}"
    if column.dtype.kind in "bcmM":
        remedy = "; for example with values.astype(int)" if column.dtype.kind == "b" else ""
        raise DataError(f"{place}: {column.dtype} is not a number: convert the values{remedy}")
    try:
        numbers = pd.to_numeric(column).to_numpy(dtype="float64", na_value=np.nan)
    except (TypeError, ValueError, OverflowError) as error:
        raise DataError(f"{place}: {error}: convert the values to numbers first") from error
    infinite = np.flatnonzero(np.isinf(numbers))
    if infinite.size:
        raise DataError(
            f"{place}: the value at position {infinite[0]} is infinite: replace it, or make it NaN "
            'and fill it, for example with fill="linear"'
        )
    return numbers


def _times(index: Any) -> pd.DatetimeIndex | pd.PeriodIndex:
    """Return an index of times, none of them missing or with a fraction of a second."""
    index = index if isinstance(index, pd.Index) else pd.Index(index)
    place = "timestamps" if index.name is None else f"column {str(index.name)!r}"
    if isinstance(index, pd.MultiIndex):
        raise DataError(
            "the index has several levels: reset_index(), and name the columns by "
            'time_column="…"; many series go to client.many with id_column="…"'
        )
    if _has_numbers(index):
        raise DataError(
            f"{place}: numbers are not times: convert them first, for example with "
            'pd.to_datetime(times, unit="s") for seconds since 1970'
        )
    if not isinstance(index, (pd.DatetimeIndex, pd.PeriodIndex)):
        index = _parse_times(index, place)
    if index.hasnans:
        entry = int(index.isna().argmax())
        raise DataError(
            f"{place}: position {entry} has no timestamp (NaT): leave the point out, or give its "
            "time"
        )
    if isinstance(index, pd.DatetimeIndex) and (fractions := index != index.as_unit("s")).any():
        raise DataError(
            f"{index[fractions][0]} has a fraction of a second: the service takes whole seconds; "
            'round the times first, for example with index.round("s")'
        )
    return index


def _has_numbers(cells: Any) -> bool:
    """Return whether a column or an index holds numbers, which might be times since some epoch."""
    kind = pd.api.types.infer_dtype(cells, skipna=True)
    return kind in {"boolean", "complex", "decimal", "floating"} or "integer" in kind


def _parse_times(index: pd.Index, place: str) -> pd.DatetimeIndex:
    """Convert strings in ISO 8601, dates or datetimes to an index of times."""
    try:
        parsed = pd.to_datetime(index, format="ISO8601")
    except (TypeError, ValueError):
        parsed = None
    if isinstance(parsed, pd.DatetimeIndex):
        return parsed
    times = pd.to_datetime(index, format="ISO8601", errors="coerce", utc=True)
    wrong = np.flatnonzero(times.isna() & ~index.isna())
    if wrong.size:
        raise DataError(
            f"{place}: position {wrong[0]}, {index[wrong[0]]!r}, is not a time in ISO 8601, such "
            "as 2024-01-31T09:00:00: convert the times first, for example with "
            'pd.to_datetime(times, format="%m/%d/%Y")'
        )
    raise DataError(
        f"{place}: the time zones are mixed: convert all to one first, such as "
        'pd.to_datetime(times, utc=True).tz_convert("Europe/Berlin")'
    )


def _name_list(names: list[Any]) -> str:
    shown = ", ".join(repr(str(name)) for name in names[:10])
    return f"{shown} and {len(names) - 10} more" if len(names) > 10 else shown or "none"
