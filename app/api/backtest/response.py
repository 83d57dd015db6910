"""Make the 200 body of POST /backtest: the engine's result with timestamps for indices."""

from collections.abc import Sequence
from dataclasses import asdict

from app.api.responses.json import Json
from app.forecasting.backtest.results import Backtest, BacktestWindow, RankedModel
from app.forecasting.types import Prediction

_SECONDS_DECIMALS = 4


def backtest_body(backtest: Backtest, timestamps: Sequence[str]) -> Json:
    return {
        "models": [_model(score) for score in backtest.ranking],
        "best_model": backtest.best_model,
        "windows": [_window(window, timestamps) for window in backtest.windows],
    }


def _model(ranked: RankedModel) -> Json:
    return {
        "model_id": ranked.model_id,
        "rank": ranked.rank,
        **asdict(ranked.scores),
        "seconds": round(ranked.seconds, _SECONDS_DECIMALS),
    }


def _window(window: BacktestWindow, timestamps: Sequence[str]) -> Json:
    cutoff = window.cutoff
    return {
        "cutoff": timestamps[cutoff - 1],
        "short_history": window.is_short,
        "timestamps": timestamps[cutoff : cutoff + len(window.actual)],
        "actual": window.actual + 0.0,  # so that no -0.0 is sent
        "forecasts": {name: _band(forecast) for name, forecast in window.forecasts.items()},
    }


def _band(prediction: Prediction) -> Json:
    return {
        "median": prediction.median + 0.0,
        "lower_bound": prediction.lower + 0.0,
        "upper_bound": prediction.upper + 0.0,
    }
