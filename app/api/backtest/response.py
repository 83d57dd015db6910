"""Make the 200 body of POST /backtest: the engine's result with timestamps for indices."""

from collections.abc import Sequence
from dataclasses import asdict

from app.api.responses.json import Json
from app.forecasting.backtest.results import Backtest, BacktestWindow, RankedModel
from app.forecasting.types import Prediction
from app.timeseries.numbers import without_negative_zero

_SECONDS_DECIMALS = 4


def backtest_body(backtest: Backtest, timestamps: Sequence[str]) -> Json:
    return {
        "models": [_model_body(ranked) for ranked in backtest.ranking],
        "best_model": backtest.best_model,
        "windows": [_window_body(window, timestamps) for window in backtest.windows],
    }


def _model_body(ranked: RankedModel) -> Json:
    return {
        "model_id": ranked.model_id,
        "rank": ranked.rank,
        **asdict(ranked.scores),
        "seconds": round(ranked.seconds, _SECONDS_DECIMALS),
    }


def _window_body(window: BacktestWindow, timestamps: Sequence[str]) -> Json:
    cutoff = window.cutoff
    return {
        "cutoff": timestamps[cutoff - 1],
        "short_history": window.is_short,
        "timestamps": timestamps[cutoff : cutoff + len(window.actual)],
        "actual": without_negative_zero(window.actual),
        "forecasts": {name: _band_body(forecast) for name, forecast in window.forecasts.items()},
    }


def _band_body(prediction: Prediction) -> Json:
    return {
        "median": without_negative_zero(prediction.median),
        "lower_bound": without_negative_zero(prediction.lower),
        "upper_bound": without_negative_zero(prediction.upper),
    }
