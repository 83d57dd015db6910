"""The two kinds of member, and what each of them returns.

A ``ShortMember`` serves the recipes of yearly, quarterly and monthly series: it gets a history and
returns the size of its error. A ``LongMember`` serves those of all other frequencies: it is given a
``Task`` and is measured at the task's past origins. A member is one file in this folder and one
line in ``models/table.py``.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from enum import Enum, auto

from app.forecasting.past_origins import Task
from app.timeseries.types import FloatArray, History


@dataclass(frozen=True)
class MemberForecast:
    """``median`` of shape (h,), and ``width`` of shape (h,): about one standard deviation of the
    error at each step, or None if it is unknown."""

    median: FloatArray
    width: FloatArray | None = None


@dataclass(frozen=True)
class BacktestedForecast:
    """``median`` of shape (h,), and ``backtest`` of shape (origins, h): the forecast
    at each past origin of a ``Task``, from the values before it."""

    median: FloatArray
    backtest: FloatArray


class WidthPart(Enum):
    """The part of the pooled standard error that a member's width counts in.

    Widths of one part are averaged, and then the parts: all other members together weigh as much
    as exponential smoothing. ``NONE``: the width only shows how well the member fits.
    """

    SMOOTHING = auto()
    OTHERS = auto()
    NONE = auto()


ShortMethod = Callable[[History, int], MemberForecast]


@dataclass(frozen=True)
class ShortMember:
    """A member of the short recipes.

    ``forecast`` takes a history and a horizon; it may raise. ``name`` is used in the notice of a
    member that failed. The width counts in ``width_part``; that of a member that
    ``stands_in_for`` another only if the other is missing. ``suits`` decides from the values of the
    history whether the member takes part.
    """

    name: str
    forecast: ShortMethod
    width_part: WidthPart = WidthPart.OTHERS
    stands_in_for: str = ""
    suits: Callable[[FloatArray], bool] = lambda values: True


@dataclass(frozen=True)
class LongMember:
    """A member of the long recipes, whose errors at the past origins are its weight and its part
    in the width of the interval.

    ``forecast`` returns one forecast for each transformation or setting that it is fitted with; it
    may raise. ``name`` and ``suits`` are as of a ``ShortMember``.
    """

    name: str
    forecast: Callable[[Task], Sequence[BacktestedForecast]]
    suits: Callable[[Task], bool] = lambda task: True
