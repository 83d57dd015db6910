"""Forecast the last windows of a series by several models, and rank the models.

Each window is forecast from the points before it (rolling origins, Tashman 2000). The seasonal
naive is ranked with the models.
"""

import time
from collections.abc import Mapping, Sequence
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
class _Origin:
    """The history before a window, and the values in it."""

    is_short: bool
    history: History
    actual: FloatArray

    @classmethod
    def at(cls, history: History, cutoff: int, horizon: int, is_short: bool) -> "_Origin":
        before = replace(history, values=history.values[:cutoff])
        return cls(is_short, before, history.values[cutoff : cutoff + horizon])


@dataclass(frozen=True)
class _ModelResult:
    """What one model forecast from each origin, its scores, and the CPU time."""

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

    Raise UnknownModelError if no model has one of the ids.
    """
    cutoffs, notices = choose_cutoffs(len(history.values), horizon, windows, len(model_ids))
    short, short_notices = find_short_windows(cutoffs, history.periods)
    holidays = holidays_of(country, history, horizon) if country else None
    origins = [
        _Origin.at(history, cutoff, horizon, is_short)
        for cutoff, is_short in zip(cutoffs, short, strict=True)
    ]
    results = {
        model_id: _run_model(model_id, origins, confidence, holidays)
        for model_id in (*model_ids, SEASONAL_NAIVE)
    }
    ranking = _rank_models(results)
    best = next(ranked.model_id for ranked in ranking if ranked.model_id != SEASONAL_NAIVE)
    newest = results[best].predictions[-1].provenance
    notices += short_notices
    notices += length_notices(cutoffs[0], history.frequency, " before the first window")
    return Backtest(
        ranking=ranking,
        best_model=best,
        windows=_result_windows(origins, results),
        notices=(*notices, *_result_notices(ranking[0], results), *newest.holiday_notices),
        newest=newest,
    )


def _run_model(
    model_id: str, origins: Sequence[_Origin], confidence: float, holidays: Holidays | None
) -> _ModelResult:
    """Forecast from each origin; score the windows that are not short, unless all are."""
    started = time.process_time()
    predictions = [
        predict(origin.history, len(origin.actual), confidence, model_id, holidays)
        for origin in origins
    ]
    seconds = time.process_time() - started
    pairs = list(zip(origins, predictions, strict=True))
    outcomes = []
    for origin, prediction in [pair for pair in pairs if not pair[0].is_short] or pairs:
        scale = naive_scale(origin.history.values, naive_period(origin.history))
        outcomes.append(WindowOutcome(prediction, origin.actual, scale))
    return _ModelResult(predictions, score(outcomes, confidence), seconds)


def _rank_models(results: Mapping[str, _ModelResult]) -> tuple[RankedModel, ...]:
    """Rank by error; at equal errors in the order of the request, the seasonal naive last."""
    order = sorted(results.items(), key=lambda item: item[1].scores.mae)
    return tuple(
        RankedModel(model_id, rank, result.scores, result.seconds)
        for rank, (model_id, result) in enumerate(order, 1)
    )


def _result_windows(
    origins: Sequence[_Origin], results: Mapping[str, _ModelResult]
) -> tuple[BacktestWindow, ...]:
    return tuple(
        BacktestWindow(
            len(origin.history.values),
            origin.is_short,
            origin.actual,
            {model_id: result.predictions[number] for model_id, result in results.items()},
        )
        for number, origin in enumerate(origins)
    )


def _result_notices(best: RankedModel, results: dict[str, _ModelResult]) -> tuple[str, ...]:
    notices: tuple[str, ...] = ()
    for model_id, result in results.items():
        if replaced := sum(prediction.provenance.is_fallback for prediction in result.predictions):
            notices += (
                f"{model_id} could not be fitted, a simpler model was used: "
                f"{replaced} of {len(result.predictions)} windows",
            )
    if best.model_id == SEASONAL_NAIVE:
        notices += (f"{SEASONAL_NAIVE} has a smaller error than every requested model",)
    return notices
