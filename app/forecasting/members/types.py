"""The two kinds of member and their results.

A ``LowFrequencyMember`` forecasts yearly, quarterly and monthly series: it gets a history and
returns a median with its standard error. A ``HighFrequencyMember`` forecasts weeks and all shorter
steps: it gets a ``BacktestTask`` and is measured at the past origins of the task.
docs/developing/adding-a-member.md shows how to write one.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from enum import Enum, auto

from app.forecasting.past_origins import BacktestTask
from app.timeseries.history import History
from app.timeseries.types import FloatArray


@dataclass(frozen=True)
class MemberForecast:
    """What a low-frequency member forecasts.

    Attributes:
        median: Shape (h,).
        standard_error: The standard deviation of the error at each step, shape (h,); None if it is
            unknown.
    """

    median: FloatArray
    standard_error: FloatArray | None = None


@dataclass(frozen=True)
class BacktestedForecast:
    """What a high-frequency member forecasts.

    Attributes:
        forecast: Shape (h,).
        backtest: The forecast at each past origin of a ``BacktestTask``, from the values before it,
            shape (origins, h).
    """

    forecast: FloatArray
    backtest: FloatArray

    @classmethod
    def of_paths(cls, paths: FloatArray) -> "BacktestedForecast":
        """Return the forecast from paths from each of ``BacktestTask.starts``, (origins + 1, h)."""
        return cls(forecast=paths[-1], backtest=paths[:-1])


class ErrorPart(Enum):
    """The part of the pooled standard error to which a member's own belongs.

    The standard errors of a part are averaged, and then the parts: all other members together have
    the weight of exponential smoothing. Those of ``NONE`` only show how well a member fits.
    """

    SMOOTHING = auto()
    OTHERS = auto()
    NONE = auto()


@dataclass(frozen=True)
class LowFrequencyMember:
    """A member of the low-frequency recipes.

    Attributes:
        name: Named in the notice of a failure.
        forecast: Takes a history and a horizon; may raise.
        error_part: The part that includes its standard error.
        raw_name: Of a member on logarithms, the name of the same member on raw values, whose
            standard error counts instead of its own; "" for a member on raw values.
        is_suitable: Whether the member takes part, by the values of the history.
    """

    name: str
    forecast: Callable[[History, int], MemberForecast]
    error_part: ErrorPart = ErrorPart.OTHERS
    raw_name: str = ""
    is_suitable: Callable[[FloatArray], bool] = lambda values: True

    @property
    def is_on_logs(self) -> bool:
        return bool(self.raw_name)


@dataclass(frozen=True)
class HighFrequencyMember:
    """A member of the high-frequency recipes, weighted by its errors at the past origins.

    Attributes:
        name: Named in the notice of a failure.
        forecast: Returns one forecast for each transformation or setting; may raise.
        is_suitable: Whether the member takes part.
        weight: The number of members that each of its forecasts counts as.
    """

    name: str
    forecast: Callable[[BacktestTask], Sequence[BacktestedForecast]]
    is_suitable: Callable[[BacktestTask], bool] = lambda task: True
    weight: int = 1
