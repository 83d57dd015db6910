"""What the command prints: tables, sentences, and errors in the words of its options."""

import math
import re
from collections.abc import Sequence

from forecast_client.errors import ForecastError, InvalidRequestError
from forecast_client.grid import LONG
from forecast_client.models import NAIVE, name_of
from forecast_client.results import Backtest, Forecast, ModelScore
from forecast_client.series import Prepared

TIE = 0.03
"""Errors that differ by less, relative to the larger, say nothing of which model is better."""

_OPTIONS = {
    "fill": "--fill",
    "duplicates": "--duplicates",
    "frequency": "--frequency",
    "time_column": "--timestamp-column",
    "value_column": "--value-column",
    "id_column": "--id-column",
}
_FIELDS = {
    "forecast_horizon": "--horizon",
    "confidence": "--confidence",
    "data_frequency": "--frequency",
    "forecast_frequency": "--frequency",
    "models": "--model",
    "X-Model-Id": "--model",
    "windows": "--windows",
}
_SETTINGS = {"pass url=": "give --url", "pass key=": "give --key-file", "as key=": "by --key-file"}
_PANDAS = re.compile(r",? such as (?:by )?pd\..*$")
_ARGUMENT = re.compile(rf'\b({"|".join(_OPTIONS)})="([^"]*)"')
_FIELD = re.compile(rf"\b({'|'.join(_FIELDS)})\b")


def message_of(error: ForecastError) -> str:
    """Return an error in the words of the command: options, not arguments or fields."""
    text = str(error)
    if isinstance(error, InvalidRequestError) and error.issue:
        option = _FIELDS.get(error.field or "")
        text = f"{option}: {error.issue}" if option else f"{error.field}: {error.issue}"
    text = _ARGUMENT.sub(lambda match: f"{_OPTIONS[match[1]]} {match[2]}", text)
    for argument, option in _SETTINGS.items():
        text = text.replace(argument, option)
    text = _PANDAS.sub("", text)
    return _FIELD.sub(lambda match: _FIELDS[match[1]], text)


def labels_of(series: Prepared, timestamps: Sequence[str]) -> list[str]:
    """Return timestamps of a response as local times; dates alone where the data are dates."""
    moments = series.datetimes(timestamps)
    is_dates = series.frequency in LONG and all(
        stamp[11:19] == "00:00:00" for stamp in series.timestamps[-1:]
    )
    return [str(moment.date()) if is_dates else moment.isoformat() for moment in moments]


def digits_of(series: Prepared, decimals: int) -> int:
    """Return how many decimals a forecast is printed with: the data's, three digits at least."""
    largest = max(map(abs, series.values), default=0.0)
    whole = math.floor(math.log10(largest)) + 1 if largest > 0 else 1
    return max(decimals, 3 - whole)


def rows_of(forecast: Forecast, decimals: int) -> list[list[str]]:
    """Return the rows of a forecast: timestamp, median, lower and upper bound."""
    digits = max(digits_of(forecast.series, decimals), 0)
    labels = labels_of(forecast.series, forecast.timestamps)
    numbers = zip(forecast.median, forecast.lower_bound, forecast.upper_bound, strict=True)
    return [
        [label, *(f"{number:.{digits}f}" for number in three)]
        for label, three in zip(labels, numbers, strict=True)
    ]


def table_of(header: Sequence[str], rows: Sequence[Sequence[str]], left: int = 1) -> str:
    """Return a table in lines of text; the first ``left`` columns are aligned to the left."""
    widths = [max(map(len, column)) for column in zip(header, *rows, strict=True)]
    lines = []
    for row in (header, *rows):
        cells = [
            cell.ljust(width) if place < left else cell.rjust(width)
            for place, (cell, width) in enumerate(zip(row, widths, strict=True))
        ]
        lines.append("  ".join(cells).rstrip())
    return "\n".join(lines)


def backtest_table(backtest: Backtest, decimals: int) -> str:
    """Return the errors of all models as a table, the best first."""
    digits = max(digits_of(backtest.series, decimals), 0)
    header = ["", "model", "id", "MAE", "RMSE", "sMAPE", "MASE", "coverage"]
    rows = []
    for score in backtest.models:
        numbers = [
            _number(score.mae, digits),
            _number(score.rmse, digits),
            _number(score.smape, 1),
            _number(score.mase, 2),
            "" if score.coverage is None else f"{100 * score.coverage:.0f} %",
        ]
        mark = "*" if score.model_id == backtest.best_model else ""
        rows.append([mark, name_of(score.model_id), score.model_id, *numbers])
    return table_of(header, rows, left=3)


def advice_of(backtest: Backtest) -> str:
    """Return in a sentence or two which model to take, and how."""
    best, *others = backtest.models
    chosen = backtest.best_model
    use = f"Use it by --model {chosen[-1]}."
    if best.model_id == NAIVE:
        return (
            "No model is better than repeating the last season here. The best of them is "
            f"{name_of(chosen)} ({chosen}). {use}"
        )
    close = [name_of(other.model_id) for other in others if _is_tie(best, other)]
    named = f"{name_of(chosen)} ({chosen})"
    if close:
        share = f"{100 * TIE:.0f} %"
        return (
            f"{named} is first, but {' and '.join(close)} within {share} of it: that is a tie, "
            f"take the one you like. {use}"
        )
    return f"{named} is the best here. {use}"


def _is_tie(best: ModelScore, other: ModelScore) -> bool:
    if best.mae is None or other.mae is None:
        return False
    return abs(other.mae - best.mae) <= TIE * max(other.mae, best.mae)


def _number(number: float | None, digits: int) -> str:
    return "" if number is None else f"{number:.{digits}f}"
