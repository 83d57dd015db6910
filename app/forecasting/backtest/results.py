"""The result of a backtest; light to import."""

from collections.abc import Mapping
from dataclasses import dataclass

from app.forecasting.types import Prediction, Provenance
from app.timeseries.types import FloatArray


@dataclass(frozen=True)
class Scores:
    """How good forecasts were, by the measures of `measures.py`.

    ``mase`` and ``msis`` are None where a history repeats itself exactly.
    """

    mae: float
    rmse: float
    smape: float
    mase: float | None
    coverage: float
    mean_width: float
    msis: float | None


@dataclass(frozen=True)
class RankedModel:
    """A model's rank, 1 for the best, its scores, and the CPU seconds of all its forecasts."""

    model_id: str
    rank: int
    scores: Scores
    seconds: float


@dataclass(frozen=True)
class BacktestWindow:
    """The values after the first ``cutoff`` points, shape (h,), and their forecasts by model.

    ``is_short``: too few points to rank models by, unless all windows are short.
    """

    cutoff: int
    is_short: bool
    actual: FloatArray
    forecasts: Mapping[str, Prediction]


@dataclass(frozen=True)
class Backtest:
    """``ranking``: best first, including the seasonal naive; ``windows``: oldest first.

    ``best_model`` is the best of the requested models, and ``newest`` how its last forecast was
    made.
    """

    ranking: tuple[RankedModel, ...]
    best_model: str
    windows: tuple[BacktestWindow, ...]
    notices: tuple[str, ...]
    newest: Provenance
