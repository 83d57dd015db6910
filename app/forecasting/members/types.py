"""The two kinds of member and their results.

A ``LowFrequencyMember`` forecasts yearly, quarterly and monthly series: it gets a history and
returns the size of its error. A ``HighFrequencyMember`` forecasts weeks and all shorter steps: it
gets a ``BacktestTask`` and is measured at the task's past origins. A member is one file in this
folder; docs/developing/adding-a-member.md says where else its name is.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from enum import Enum, auto

from app.forecasting.past_origins import BacktestTask
from app.timeseries.history import History
from app.timeseries.types import FloatArray


@dataclass(frozen=True)
class MemberForecast:
    """The ``median`` (h,) of a member, and its ``width`` (h,).

    A width is about one standard deviation of the error at each step, or None if it is unknown.
    """

    median: FloatArray
    width: FloatArray | None = None


@dataclass(frozen=True)
class BacktestedForecast:
    """The ``median`` (h,) of a member, and its ``backtest`` (origins, h).

    That is the forecast at each past origin of a ``BacktestTask``, from the values before it.
    """

    median: FloatArray
    backtest: FloatArray


class WidthPart(Enum):
    """The part of the pooled standard error that includes a member's width.

    Widths of one part are averaged, and then the parts: all other members together weigh as much
    as exponential smoothing. ``NONE``: the width only shows how well the member fits.
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
        width_part: The part that includes its width.
        replaces: The name of the member whose width it replaces, if that one is missing.
        is_suitable: Decides from the values of the history whether the member takes part.
    """

    name: str
    forecast: Callable[[History, int], MemberForecast]
    width_part: WidthPart = WidthPart.OTHERS
    replaces: str = ""
    is_suitable: Callable[[FloatArray], bool] = lambda values: True


@dataclass(frozen=True)
class HighFrequencyMember:
    """A member of the high-frequency recipes, weighted by its errors at the past origins.

    ``name`` is in the notice of a failure. ``forecast`` returns one forecast for each
    transformation or setting, and may raise.
    """

    name: str
    forecast: Callable[[BacktestTask], Sequence[BacktestedForecast]]
    is_suitable: Callable[[BacktestTask], bool] = lambda task: True
