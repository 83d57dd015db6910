"""Many series out of one thing that holds them: a long or wide DataFrame, or a dictionary."""

import sys
from collections.abc import Hashable, Iterator, Mapping
from typing import Any

from forecast_client.columns import check_column
from forecast_client.errors import DataError, ForecastError, as_forecast_error
from forecast_client.raw import Raw
from forecast_client.reading import read
from forecast_client.series import Prepared

Group = tuple[Hashable, Raw | Prepared | ForecastError]
_KINDS = (
    "a DataFrame with a column of ids (id_column), a DataFrame with its times in the index and a "
    "column for each series, or a dictionary of series by id"
)


def split(
    data: Any, id_column: Hashable | None, time_column: Any, value_column: Any
) -> tuple[int, Iterator[Group]]:
    """Return how many series there are, and each id with its series or what is wrong with it.

    Raises:
        DataError: The data hold no series at all.
    """
    pandas = sys.modules.get("pandas")
    if pandas is not None and isinstance(data, (pandas.DataFrame, pandas.Series)):
        return _split_pandas(data, id_column, time_column, value_column)
    if not isinstance(data, Mapping):
        raise DataError(f"a {type(data).__name__} does not hold many series: send {_KINDS}")
    if not data:
        raise DataError(f"there is no series: send {_KINDS}")
    return len(data), _split_mapping(data, time_column, value_column)


def _split_mapping(
    data: Mapping[Hashable, Any], time_column: Any, value_column: Any
) -> Iterator[Group]:
    for name, series in data.items():
        if isinstance(series, Prepared):
            yield name, series
            continue
        try:
            yield name, read(series, time_column, value_column)
        except Exception as error:  # one series does not lose the rest
            yield name, as_forecast_error(error)


def _split_pandas(
    data: Any, id_column: Hashable | None, time_column: Any, value_column: Any
) -> tuple[int, Iterator[Group]]:
    from forecast_client import frames

    frame = data.to_frame() if not hasattr(data, "columns") else data
    if id_column is not None and id_column in frame.index.names:
        frame = frame.reset_index()
    if frame.empty:
        raise DataError(f"the DataFrame is empty: send {_KINDS}")
    if id_column is not None:
        check_column(list(frame.columns), id_column, "id_column")
        groups = frames.split_long(frame, id_column, time_column, value_column)
        return frame[id_column].nunique(), groups
    if time_column is None and value_column is None and frames.has_times(frame.index):
        return len(frame.columns), frames.split_wide(frame)
    raise DataError(
        f'which rows belong together? Name the column of ids by id_column="…": {_KINDS}'
    )
