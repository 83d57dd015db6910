"""Long members on the series without its outliers."""

from collections.abc import Sequence
from dataclasses import replace

from app.forecasting.cleaning import clean
from app.forecasting.members.kinds import BacktestedForecast, LongMember
from app.forecasting.past_origins import Task
from app.forecasting.transformations import Transformed


def without_outliers(task: Task) -> Task:
    """Return the task with outliers pulled in, untransformed; targets stay as they are."""
    cleaned = clean(task.values, task.seasonality.short, task.seasonality.long, 1)
    calm = cleaned.calm if cleaned.shift == 0 else task.values
    return replace(task, transformed=(Transformed("calm", calm, task.transformed[0].invert),))


def on_calm(*members: LongMember) -> LongMember:
    """Return ``members``, all of which must suit, as one on the series without outliers."""

    def forecast(task: Task) -> Sequence[BacktestedForecast]:
        calm = without_outliers(task)
        return [said for member in members for said in member.forecast(calm)]

    return LongMember("members without outliers", forecast)
