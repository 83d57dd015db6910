"""The results of calls: plain lists; pandas and matplotlib are imported when needed."""

import datetime as dt
import functools
import types
import typing
from collections.abc import Mapping
from dataclasses import MISSING, dataclass, fields, is_dataclass
from typing import TYPE_CHECKING, Any, TypeVar

from forecast_client.records import ChangePoint, Event, ModelScore, Window
from forecast_client.series import PreparedSeries

if TYPE_CHECKING:
    import pandas as pd
    from matplotlib.axes import Axes

R = TypeVar("R")
Body = Mapping[str, Any]


def parse_record(kind: type[R], body: Body, **others: Any) -> R:
    """Make a dataclass of a body; unknown members are ignored.

    ``others`` are fields that are not in the body, or have another name there.
    """
    hints = _types(kind)  # type: ignore[arg-type]
    for member in fields(kind):  # type: ignore[arg-type]
        if member.name not in others and (member.name in body or member.default is MISSING):
            others[member.name] = _member(hints[member.name], body[member.name])
    return kind(**others)


@functools.cache
def _types(kind: type) -> dict[str, Any]:
    return typing.get_type_hints(kind)


def _member(kind: Any, value: Any) -> Any:
    """Convert a member of a body to the type of a field."""
    arguments = typing.get_args(kind)
    if value is None:
        return None
    if isinstance(kind, types.UnionType):
        value = _member(arguments[0], value)
    elif typing.get_origin(kind) is tuple:
        value = tuple(_member(arguments[0], item) for item in value)
    elif typing.get_origin(kind) is dict:
        value = {name: _member(arguments[1], item) for name, item in value.items()}
    elif kind is dt.datetime:
        value = dt.datetime.fromisoformat(value)
    elif is_dataclass(kind):
        value = parse_record(kind, value)  # type: ignore[arg-type]
    return value


@dataclass(frozen=True, kw_only=True, repr=False)
class SeriesResult:
    """A result for ``series``, with the service's ``notices`` about it."""

    notices: tuple[str, ...] = ()
    series: PreparedSeries

    @property
    def notes(self) -> tuple[str, ...]:
        """How the data were changed before they were sent, such as gaps that were filled."""
        return self.series.notes

    def plot(self, ax: "Axes | None" = None) -> "Axes":
        """Draw it with its history, in ``ax`` or a new figure; needs matplotlib."""
        from forecast_client import plot

        return plot.draw(self, ax)

    def __repr__(self) -> str:
        remarks = {"notice": len(self.notices), "note": len(self.notes)}
        counts = [count_text(number, noun) for noun, number in remarks.items() if number]
        return f"{type(self).__name__}({', '.join([*self._summary(), *counts])})"

    def _summary(self) -> list[str]:
        raise NotImplementedError


def count_text(number: int, noun: str) -> str:
    return f"{number} {noun}{'' if number == 1 else 's'}"


@dataclass(frozen=True, kw_only=True, repr=False)
class Forecast(SeriesResult):
    """The forecast of a series: parallel lists, one entry per point of the horizon."""

    timestamps: list[str]
    median: list[float]
    lower_bound: list[float]
    upper_bound: list[float]
    model_id: str

    def _summary(self) -> list[str]:
        span = f"{count_text(len(self.timestamps), 'point')} from {self.timestamps[0]}"
        return [span, self.model_id]

    @property
    def frame(self) -> "pd.DataFrame":
        """A DataFrame of the median and bounds; its index is of the same kind as the data's."""
        return _frame(self, "median", "lower_bound", "upper_bound")


@dataclass(frozen=True, kw_only=True, repr=False)
class Detection(SeriesResult):
    """The outliers of a series: parallel lists, one entry per point."""

    timestamps: list[str]
    is_anomaly: list[bool]
    expected: list[float]
    lower_bound: list[float]
    upper_bound: list[float]
    p_value: list[float]
    severity: list[float]
    events: tuple[Event, ...]
    change_points: tuple[ChangePoint, ...]
    periods: list[int]

    def _summary(self) -> list[str]:
        flagged = f"{sum(self.is_anomaly)} of {count_text(len(self.timestamps), 'point')} flagged"
        return [flagged, count_text(len(self.events), "event")]

    @property
    def frame(self) -> "pd.DataFrame":
        """A DataFrame of values and verdicts; its index is of the same kind as the data's."""
        bounds = ("expected", "lower_bound", "upper_bound")
        frame = _frame(self, "is_anomaly", *bounds, "p_value", "severity")
        frame.insert(0, "value", self.series.values[-len(self.timestamps) :])
        return frame


@dataclass(frozen=True, kw_only=True, repr=False)
class Backtest(SeriesResult):
    """How well models forecast the past of a series, the best first."""

    models: tuple[ModelScore, ...]
    best_model: str
    windows: tuple[Window, ...]

    def _summary(self) -> list[str]:
        models = count_text(len(self.models), "model")
        compared = f"{models} over {count_text(len(self.windows), 'window')}"
        return [f"best {self.best_model}", compared]

    @property
    def frame(self) -> "pd.DataFrame":
        """A DataFrame with the errors of each model, the best first."""
        import pandas as pd

        frame = pd.DataFrame([vars(score) for score in self.models]).set_index("model_id")
        return frame.astype(dict.fromkeys(frame.columns.drop("rank"), "float64"))


def _frame(result: Forecast | Detection, *columns: str) -> "pd.DataFrame":
    import pandas as pd

    index = result.series.index(result.timestamps)
    return pd.DataFrame({name: getattr(result, name) for name in columns}, index=index)


@dataclass(frozen=True)
class Verification:
    """The permissions of a key, and its remaining requests until ``resets_at``."""

    permissions: tuple[str, ...]
    limit: int
    remaining: int
    resets_at: dt.datetime

    @classmethod
    def from_body(cls, body: Body) -> "Verification":
        left = body["rateLimit"]
        return cls(
            permissions=tuple(body["apiKey"]["permissions"]),
            limit=int(left["limit"]),
            remaining=int(left["remaining"]),
            resets_at=dt.datetime.fromtimestamp(int(left["resetTime"]) / 1000, dt.UTC),
        )
