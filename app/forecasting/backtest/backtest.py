"""Forecast the last windows of a series by several models, and rank the models.

Each window is forecast from the points before it (rolling origins, Tashman 2000). The seasonal
naive is ranked with the models.
"""

import time
from collections.abc import Sequence
from dataclasses import dataclass, replace

from app.forecasting.backtest.measures import WindowOutcome, naive_scale, score
from app.forecasting.backtest.results import Backtest, BacktestWindow, RankedModel, Scores
from app.forecasting.backtest.windows import choose_cutoffs, find_short_windows
from app.forecasting.calendar_effects.events import Holidays
from app.forecasting.calendar_effects.holiday_effects import holidays_of
from app.forecasting.forecast import predict
from app.forecasting.members.naive import naive_period
from app.forecasting.model_ids import SEASONAL_NAIVE
from app.forecasting.notices import length_notices
from app.forecasting.types import Prediction
from app.timeseries.history import History
from app.timeseries.types import FloatArray


@dataclass(frozen=True)
class _ModelResult:
    """What one model forecast after each cutoff, its scores, and the CPU time."""

    predictions: list[Prediction]
    scores: Scores
    seconds: float


def backtest(
    history: History,
    horizon: int,
    confidence: float,
    model_ids: Sequence[str],
    windows: int,
    country: str | None = None,
) -> Backtest:
    """Backtest models on the last windows of a history.

    Args:
        history: ``MIN_POINTS + horizon`` points or more.
        horizon: Length of a window, 1 to 100.
        confidence: The intervals' confidence level, 0.1 to 0.99.
        model_ids: Some of ``MODEL_IDS``, each once.
        windows: How many windows to forecast, 1 to ``MAX_WINDOWS``.
        country: As in ``forecast.forecast``.

    Returns:
        Forecasts and scores; the same arguments give the same numbers, except ``seconds``.

    Raises:
        UnknownModelError: No model has one of the ids.
    """
    cutoffs, notices = choose_cutoffs(len(history.values), horizon, windows, len(model_ids))
    short, short_notice = find_short_windows(cutoffs, history.periods)
    if short_notice:
        notices += (short_notice,)
    actual = [history.values[cutoff : cutoff + horizon] for cutoff in cutoffs]
    known = [replace(history, values=history.values[:cutoff]) for cutoff in cutoffs]
    holidays = holidays_of(country, history, horizon) if country else None
    scored = [number for number, is_short in enumerate(short) if all(short) or not is_short]
    results = {
        model_id: _run_model(model_id, known, actual, scored, confidence, holidays)
        for model_id in (*model_ids, SEASONAL_NAIVE)
    }
    # At equal errors in the order of the request; the seasonal naive comes last.
    order = sorted(results, key=lambda model_id: results[model_id].scores.mae)
    best = next(model_id for model_id in order if model_id != SEASONAL_NAIVE)
    newest = results[best].predictions[-1].provenance
    notices += length_notices(cutoffs[0], history.frequency, " before the first window")
    return Backtest(
        ranking=tuple(
            RankedModel(model_id, rank, results[model_id].scores, results[model_id].seconds)
            for rank, model_id in enumerate(order, 1)
        ),
        best_model=best,
        windows=tuple(
            BacktestWindow(
                cutoff,
                short[number],
                actual[number],
                {model_id: result.predictions[number] for model_id, result in results.items()},
            )
            for number, cutoff in enumerate(cutoffs)
        ),
        notices=(*notices, *_result_notices(order[0], results), *newest.holiday_notices),
        level_change=newest.level_change,
        season_shift=newest.season_shift,
    )


def _run_model(
    model_id: str,
    known: Sequence[History],
    actual: Sequence[FloatArray],
    scored: Sequence[int],
    confidence: float,
    holidays: Holidays | None,
) -> _ModelResult:
    """Forecast after each known history; score the windows whose numbers are ``scored``."""
    started = time.process_time()
    predictions = [
        predict(history, len(values), confidence, model_id, holidays)
        for history, values in zip(known, actual, strict=True)
    ]
    seconds = time.process_time() - started
    outcomes = []
    for number in scored:
        scale = naive_scale(known[number].values, naive_period(known[number]))
        outcomes.append(WindowOutcome(predictions[number], actual[number], scale))
    return _ModelResult(predictions, score(outcomes, confidence), seconds)


def _result_notices(first: str, results: dict[str, _ModelResult]) -> tuple[str, ...]:
    notices: tuple[str, ...] = ()
    for model_id, result in results.items():
        if replaced := sum(prediction.provenance.is_fallback for prediction in result.predictions):
            notices += (
                f"{model_id} could not be fitted, a simpler model was used: "
                f"{replaced} of {len(result.predictions)} windows",
            )
    if first == SEASONAL_NAIVE:
        notices += (f"{SEASONAL_NAIVE} has a smaller error than every requested model",)
    return notices
