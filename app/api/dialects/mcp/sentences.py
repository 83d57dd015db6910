"""Sum up the result of a tool in one sentence.

The playground has the same sentences for forecasts (`sentence.js`), backtests (`verdict.js`) and
detections (`anomalies-tab.js`); a test compares them.
"""

import datetime as dt
import re
from collections.abc import Sequence

import numpy as np

from app.api.dialects.mcp.number_format import NEGLIGIBLE_FRACTION, NumberFormat, percent_text
from app.api.responses.json import Json
from app.core.text import short_timestamp
from app.forecasting.model_ids import MODEL_ROLES, SEASONAL_NAIVE
from app.timeseries.calendar.frequency import UNITS, Frequency
from app.timeseries.words import count_of

_NAIVE_NAME = "seasonal naive"
_MAX_TIE_FRACTION = (
    0.02  # errors that differ by less than this fraction of the smaller are equally good
)

_FIRST_OF_MONTH = re.compile(r"(\d{4})-(\d\d)-01T00:00:00")


def forecast_sentence(
    body: Json, model_id: str, step: str, number_format: NumberFormat, confidence: float
) -> str:
    """Sum up a response of ``POST /forecast``; ``step`` is in words: ``1 month``."""
    columns = [body[name] for name in ("lower_bound", "median", "upper_bound")]

    def period_range(index: int) -> str:
        low, middle, high = (number_format.format(column[index]) for column in columns)
        return f"{middle} ({percent_text(confidence)} between {low} and {high})"

    times = body["forecast_timestamps"]
    title = f"{model_name(model_id)}: next {periods_text(len(times), step)}"
    if len(times) == 1:
        return f"{title} {period_range(0)}."
    ranges = "; ".join(f"{period_name(times[i], step)}: {period_range(i)}" for i in (0, -1))
    return f"{title}. {re.sub(r'^week', 'Week', ranges)}."


def backtest_sentence(body: Json, step: str, number_format: NumberFormat) -> str:
    """Return which model is the best by a response of ``POST /backtest``."""
    windows = body["windows"]
    actual = np.concatenate([np.abs(window["actual"]) for window in windows])
    ranked_windows = [window for window in windows if not window["short_history"]] or windows
    length = periods_text(len(windows[0]["actual"]), step)
    count = len(ranked_windows)
    basis = f"{count} past forecasts of {length} each"
    if count == 1:
        basis = f"1 past forecast of {length}: another could turn it round"
    verdict = best_model_text(body["models"], number_format, float(actual.mean()), count)
    return f"{verdict} Judged by {basis}."


def best_model_text(
    scores: Sequence[Json], number_format: NumberFormat, mean_value: float, count: int
) -> str:
    """Return which model is the best of ``count`` past forecasts; a single one has a closest model.

    ``mean_value`` is the mean size of the values.
    """
    format_error = number_format.format_error
    naive = next(score for score in scores if score["model_id"] == SEASONAL_NAIVE)
    models = sorted(
        (score for score in scores if score is not naive), key=lambda score: score["mae"]
    )
    best = models[0]["mae"]

    def is_tied(mae: float) -> bool:
        is_near = abs(mae - best) < _MAX_TIE_FRACTION * min(mae, best)
        return mae == best or is_near or format_error(mae) == format_error(best)

    tied = [model_name(score["model_id"]) for score in models if is_tied(score["mae"])]
    names = " and ".join(filter(None, [", ".join(tied[:-1]), tied[-1]]))
    of_mean = f", {_rough_percent(best / mean_value)} of the mean value" if mean_value > 0 else ""
    best_error = f"off by {format_error(best)} on average{of_mean}"
    naive_error = format_error(naive["mae"])
    if is_tied(naive["mae"]):
        verb = "are" if len(tied) > 1 else "is"
        return (
            f"No model is clearly better here than {_NAIVE_NAME}: {names} {verb} {best_error}, "
            f"{_NAIVE_NAME} by {naive_error}."
        )
    if naive["mae"] < best:
        better = "is better here" if count > 1 else "came closer"
        return (
            f"{_NAIVE_NAME.capitalize()} {better} than every model: it is off by "
            f"{naive_error} on average, {names} by {format_error(best)}."
        )
    single, several = "is the best here", "are equally good here"
    if count == 1:
        single, several = "came closest", "came equally close"
    verdict = several if len(tied) > 1 else single
    return f"{names} {verdict}: {best_error}. {_NAIVE_NAME.capitalize()} is off by {naive_error}."


def detection_sentence(body: Json) -> str:
    """Sum up a response of ``POST /anomalies``."""
    flagged = count_of(sum(body["is_anomaly"]), "point")
    events = count_of(len(body["events"]), "event")
    changes = count_of(len(body["change_points"]), "change point")
    return f"{flagged} flagged, {events}, {changes}."


def periods_text(count: int, step: str) -> str:
    """Return ``24 months``, ``month`` for one, ``8 periods of 5 minutes``."""
    number, _, noun = step.partition(" ")
    if number != "1":
        return step if count == 1 else f"{count} periods of {step}"
    return noun if count == 1 else f"{count} {noun}s"


def step_text(step: int, frequency: Frequency) -> str:
    """Return a step in words: ``1 month``, ``15 minutes``."""
    noun = UNITS[frequency].noun
    return f"{step} {noun}" + "s" * (step > 1)


def period_name(timestamp: str, step: str) -> str:
    """Return the period of a timestamp: ``June 2026``, ``week of 2026-06-01``, ``2026-06-01``."""
    first = _FIRST_OF_MONTH.match(timestamp) if "month" in step else None
    if first is None:
        return (
            f"{'week of ' if step == '1 week' else ''}{short_timestamp(timestamp, has_days=True)}"
        )
    return f"{dt.date(2000, int(first[2]), 1):%B} {first[1]}"


def model_name(model_id: str) -> str:
    return MODEL_ROLES[model_id].name if model_id in MODEL_ROLES else _NAIVE_NAME.capitalize()


def _rough_percent(fraction: float) -> str:
    return f"{0 if fraction < NEGLIGIBLE_FRACTION else float(f'{100 * fraction:.2g}'):g} %"
