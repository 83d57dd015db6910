"""Which column of a table holds the times, and which the values."""

from collections.abc import Sequence
from typing import Any

from forecast_client.errors import DataError

_TIMES = (
    "timestamp", "timestamps", "datetime", "date", "time", "ds", "day", "week", "month", "quarter",
    "year", "period", "datum", "zeit", "zeitpunkt", "tag", "woche", "monat", "jahr", "fecha", "mes",
    "año", "date_time", "jour", "mois", "année",
)  # fmt: skip
_VALUES = (
    "value", "values", "y", "target", "sales", "amount", "count", "quantity", "wert", "umsatz",
    "menge", "valor", "ventas", "valeur", "ventes",
)  # fmt: skip


def time_column_of(names: Sequence[Any], chosen: Any, times: Sequence[Any]) -> Any:
    """Return the column of the times: the one ``chosen``, or recognised.

    ``times`` are the columns that hold nothing but times.
    """
    return _column(names, chosen, times, _TIMES, "time")


def value_column_of(names: Sequence[Any], chosen: Any, numbers: Sequence[Any]) -> Any:
    """Return the column of the values: the one ``chosen``, or recognised.

    ``numbers`` are the columns that hold nothing but numbers.
    """
    return _column(names, chosen, numbers, _VALUES, "value")


def check_column(names: Sequence[Any], chosen: Any, option: str) -> None:
    """Raise DataError if a column does not exist."""
    if chosen not in names:
        raise DataError(f'{option}="{chosen}": there is no such column, only {listed(names)}')


def listed(names: Sequence[Any]) -> str:
    """Return names of columns for a message."""
    shown = ", ".join(repr(str(name)) for name in names[:10])
    return f"{shown} and {len(names) - 10} more" if len(names) > 10 else shown or "none"


def _column(
    names: Sequence[Any], chosen: Any, fitting: Sequence[Any], known: Sequence[str], kind: str
) -> Any:
    if chosen is not None:
        check_column(names, chosen, f"{kind}_column")
        return chosen
    if len(fitting) == 1 or (not fitting and len(names) == 1):
        return (fitting or names)[0]
    for candidates in (fitting, names):
        named = [name for name in candidates if str(name).strip().lower() in known]
        if len(named) == 1:
            return named[0]
    what = f"no column looks like the {kind}s" if not fitting else f"several might be the {kind}s"
    raise DataError(
        f'{what}, of {listed(fitting or names)}: name the one that is, by {kind}_column="…"'
    )
