import numpy as np

from app.forecasting.members.kinds import BacktestedForecast, LongMember
from app.forecasting.members.on_calm import on_calm
from app.forecasting.seasonality import Seasonality
from tests.forecasting.tasks import make_task


def test_members_see_no_outlier_and_are_still_held_to_what_came():
    noise = np.random.default_rng(0).standard_normal(140)
    values = 100 + np.tile([0.0, 2, 4, 6, 4, 2, 0], 20) + noise
    values[80] = 1e4
    seen = []

    def forecast(task):
        seen.append(task)
        return [BacktestedForecast(np.ones(3), np.ones((1, 3)))]

    task = make_task(values, 3, (79,), seasonality=Seasonality(7, 0))
    assert len(on_calm(LongMember("a", forecast), LongMember("b", forecast)).forecast(task)) == 2
    first, second = seen
    assert first is second
    (calm,) = first.transformed
    assert calm.values.max() < 120
    assert first.targets.max() == 1e4
