"""The output of the command: tables, advice, and errors in terms of its options."""

import math
from collections.abc import Mapping, Sequence
from datetime import datetime, tzinfo

from forecast_client.cli_tables import OPTIONS
from forecast_client.errors import ArgumentError, ForecastError, InvalidRequestError
from forecast_client.models import NAIVE, name_of
from forecast_client.records import ModelScore
from forecast_client.results import Backtest, Forecast
from forecast_client.series import LONG_FREQUENCIES, PreparedSeries

TIE_TOLERANCE = 0.02  # models whose errors differ by at most this fraction are equally good
DIGITS = 3  # minimum significant digits of the largest value
MAX_SHOWN_NAMES = 5

# The options of the command, by arguments of the client and fields of requests.
_NAMES = {
    **OPTIONS,
    "body": "the file",
    "forecast_horizon": "--horizon",
    "horizon": "--horizon",
    "model": "--model",
    "confidence": "--confidence",
    "forecast_frequency": "--frequency",
    "models": "--model",
    "X-Model-Id": "--model",
    "holidays": "--holidays",
    "X-Holidays": "--holidays",
    "windows": "--windows",
    "url": "--url",
    "key": "--key-file",
}


def message_of(error: ForecastError) -> str:
    """Return the message of an error, with the name of the option that caused it."""
    if isinstance(error, ArgumentError):
        name, issue = error.argument, error.issue
    elif isinstance(error, InvalidRequestError) and error.issue:
        name, issue = error.field or "the request", error.issue
    else:
        name, issue = None, str(error)
    if name is None:
        return issue
    return f"{_NAMES.get(name, name.removeprefix('series[0].'))}: {issue}"


def messages_of(errors: Mapping[str, ForecastError]) -> list[str]:
    """Return the distinct messages about failed series, each with the names of its series."""
    groups: dict[str, list[str]] = {}
    for name, error in errors.items():
        groups.setdefault(message_of(error), []).append(name)
    return [f"{_shown_names(names)}: {message}" for message, names in groups.items()]


def _shown_names(names: Sequence[str]) -> str:
    more = len(names) - MAX_SHOWN_NAMES
    return ", ".join(names[:MAX_SHOWN_NAMES]) + (f" and {more} more" if more > 0 else "")


def rows_of(forecast: Forecast, decimals: int) -> list[list[str]]:
    """Return the rows of a forecast: timestamp, median, lower and upper bound.

    Timestamps are local times; only dates if the data are dates.
    """
    series = forecast.series
    digits = _digits_of(series, decimals)
    zone = series.labels.zone
    moments = [_local_time(timestamp, zone) for timestamp in forecast.timestamps]
    is_dates = series.frequency in LONG_FREQUENCIES and "T00:00:00" in series.timestamps[-1]
    labels = [str(moment.date()) if is_dates else moment.isoformat() for moment in moments]
    numbers = zip(forecast.median, forecast.lower_bound, forecast.upper_bound, strict=True)
    return [
        [label, *(f"{number:.{digits}f}" for number in three)]
        for label, three in zip(labels, numbers, strict=True)
    ]


def _local_time(timestamp: str, zone: tzinfo | None) -> datetime:
    moment = datetime.fromisoformat(timestamp)
    return moment if zone is None else moment.astimezone(zone)


def table_of(header: Sequence[str], rows: Sequence[Sequence[str]], left: int = 1) -> str:
    """Format a table; the first ``left`` columns are left-aligned."""
    widths = [max(map(len, column)) for column in zip(header, *rows, strict=True)]
    lines = [
        [
            cell.ljust(width) if index < left else cell.rjust(width)
            for index, (cell, width) in enumerate(zip(row, widths, strict=True))
        ]
        for row in (header, *rows)
    ]
    return "\n".join("  ".join(cells).rstrip() for cells in lines)


def backtest_table(backtest: Backtest, decimals: int) -> str:
    """Return the errors of all models as a table, the best first."""
    digits = _digits_of(backtest.series, decimals)
    header = ["", "model", "id", "MAE", "RMSE", "sMAPE", "MASE", "coverage"]
    rows = [
        [
            "*" if score.model_id == backtest.best_model else "",
            name_of(score.model_id),
            score.model_id,
            _number(score.mae, digits),
            _number(score.rmse, digits),
            _number(score.smape, 1),
            _number(score.mase, 2),
            "" if score.coverage is None else f"{100 * score.coverage:.0f} %",
        ]
        for score in backtest.models
    ]
    return table_of(header, rows, left=3)


def _digits_of(series: PreparedSeries, decimals: int) -> int:
    """Return the number of decimals in the data, or more for ``DIGITS`` digits."""
    largest = max(map(abs, series.values), default=0.0)
    whole = math.floor(math.log10(largest)) + 1 if largest > 0 else 1
    return max(decimals, DIGITS - whole, 0)


def advice_of(backtest: Backtest) -> str:
    """Recommend a model, and the option that selects it."""
    naive = next(score for score in backtest.models if score.model_id == NAIVE)
    best, *others = [score for score in backtest.models if score is not naive]
    best_name = f"{name_of(best.model_id)} ({best.model_id})"
    option = f"--model {best.model_id[-1]}"
    if naive.rank < best.rank or _is_tie(naive, best):
        return (
            "No model is clearly better than repeating the last season here. The best of them is "
            f"{best_name}. Use it with {option}."
        )
    tied = [name_of(other.model_id) for other in others if _is_tie(best, other)]
    if tied:
        names = f"{', '.join([name_of(best.model_id), *tied[:-1]])} and {tied[-1]}"
        share = f"{100 * TIE_TOLERANCE:.0f} %"
        return f"{names} are equally good here, within {share}. Use the first with {option}."
    return f"{best_name} is the best here. Use it with {option}."


def _is_tie(first: ModelScore, second: ModelScore) -> bool:
    return abs(first.mae - second.mae) <= TIE_TOLERANCE * min(first.mae, second.mae)


def _number(number: float | None, digits: int) -> str:
    return "" if number is None else f"{number:.{digits}f}"
