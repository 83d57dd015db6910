"""Single times and values, of whatever type they are."""

import math
import numbers
from collections.abc import Iterable, Sequence
from datetime import UTC, date, datetime, tzinfo
from decimal import Decimal
from typing import Any

from forecast_client.errors import DataError
from forecast_client.labels import common_zone, is_fixed

_MONTH = len("2024-01")


def times_of(
    cells: Sequence[Any], where: str
) -> tuple[list[datetime], tzinfo | None, list[datetime] | None]:
    """Return local times, their zone, and the same in UTC where the zone's offset changes.

    ``where`` names the column in messages.
    """
    moments = [_time_of(cell, entry, where) for entry, cell in enumerate(cells)]
    zones = [moment.tzinfo for moment in moments]
    if not any(zones):
        return moments, None, None
    zone = common_zone(zones)
    wall = [moment.replace(tzinfo=None) for moment in moments]
    if zone is None or is_fixed(zone):
        return wall, zone, None
    return wall, zone, [moment.astimezone(UTC).replace(tzinfo=None) for moment in moments]


def values_of(cells: Iterable[Any], where: str) -> list[float]:
    """Return values as floats, NaN where one is missing."""
    cells = list(cells)
    if set(map(type, cells)) <= {float, int}:
        values = list(map(float, cells))
    else:
        values = [_value_of(cell, entry, where) for entry, cell in enumerate(cells)]
    infinite = next((i for i, value in enumerate(values) if math.isinf(value)), None)
    if infinite is not None:
        raise DataError(
            f"{where} entry {infinite} is {values[infinite]}: the service takes finite numbers; "
            'replace it, or make it NaN and fill it, for example with fill="linear"'
        )
    return values


def _time_of(cell: Any, entry: int, where: str) -> datetime:
    moment = _as_datetime(cell)
    if moment is None:
        raise DataError(_no_time(cell, f"{where} entry {entry}"))
    if moment.microsecond:
        raise DataError(
            f"{where} entry {entry}, {cell}, has a fraction of a second: the service takes whole "
            "seconds; round the times first"
        )
    return moment


def _as_datetime(cell: Any) -> datetime | None:
    if hasattr(cell, "to_timestamp"):  # pandas' Period
        cell = cell.to_timestamp()
    if hasattr(cell, "to_pydatetime"):  # pandas' Timestamp; NaT too
        cell = cell.to_pydatetime(warn=False) if cell == cell else None  # noqa: PLR0124
    elif hasattr(cell, "astype"):  # numpy's datetime64
        cell = cell.astype("datetime64[us]").item() if cell.dtype.kind == "M" else None
    if isinstance(cell, datetime):
        return cell
    if isinstance(cell, date):
        return datetime(cell.year, cell.month, cell.day)
    return _parsed(cell) if isinstance(cell, str) else None


def _parsed(string: str) -> datetime | None:
    string = string.strip()
    if string.isdigit():  # 20240131 might as well be a number
        return None
    try:
        return datetime.fromisoformat(f"{string}-01" if len(string) == _MONTH else string)
    except ValueError:
        return None


def _no_time(cell: Any, where: str) -> str:
    if cell is None or cell != cell:  # noqa: PLR0124 - NaN and NaT
        return f"{where} has no timestamp: leave the point out, or give its time"
    if isinstance(cell, str):
        return (
            f"{where}, {cell!r}, is not an ISO 8601 timestamp such as 2024-01-31 or "
            "2024-01-31T09:00:00: convert the times first, for example with "
            'pd.to_datetime(times, format="%m/%d/%Y")'
        )
    return (
        f"{where}, {cell!r}, is of type {type(cell).__name__}, not a timestamp: convert the times "
        'first, for example with pd.to_datetime(times, unit="s") for seconds since 1970'
    )


def _value_of(cell: Any, entry: int, where: str) -> float:
    if isinstance(cell, (bool, str)) or type(cell).__name__ == "bool":  # numpy's bool
        raise DataError(_no_number(cell, f"{where} entry {entry}"))
    if cell is None or type(cell).__name__ in {"NAType", "NaTType"}:
        return math.nan
    if isinstance(cell, (numbers.Real, Decimal)):
        try:
            return float(cell)
        except OverflowError:
            return math.inf
    raise DataError(_no_number(cell, f"{where} entry {entry}"))


def _no_number(cell: Any, where: str) -> str:
    remedy = "convert the values to numbers first"
    if isinstance(cell, str):
        remedy += ", for example with pd.to_numeric(values)"
    if type(cell).__name__ == "bool":
        remedy += ", for example with values.astype(int)"
    return f"{where}, {cell!r}, is of type {type(cell).__name__}, not a number: {remedy}"


def is_time(cell: Any) -> bool:
    """Return whether a cell can be read as a time."""
    return _as_datetime(cell) is not None
