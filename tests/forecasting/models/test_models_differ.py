"""Four models are four answers: whoever picks another one sees another forecast."""

import numpy as np
import pytest

from app.forecasting.calendar.frequency import Frequency
from app.forecasting.forecast import predict
from app.forecasting.models.table import MODELS
from app.forecasting.types import FloatArray, History

PERIODS = {
    Frequency.SECONDS: (60,),
    Frequency.MINUTES: (60, 1_440),
    Frequency.HOURS: (24, 168),
    Frequency.DAILY: (7, 365),
    Frequency.WEEKLY: (52,),
    Frequency.MONTHLY: (12,),
    Frequency.QUARTERLY: (4,),
    Frequency.YEARLY: (),
}


def noisy(periods: tuple[int, ...], points: int = 120) -> FloatArray:
    """A level with a trend, a season and noise."""
    random = np.random.default_rng(5)
    steps = np.arange(points)
    season = 8 * np.sin(2 * np.pi * steps / periods[0]) if periods else 0.0
    return 100 + 0.2 * steps + season + random.normal(0, 4, points)


@pytest.mark.parametrize("frequency", Frequency)
def test_no_two_models_give_the_same_forecast(frequency: Frequency) -> None:
    periods = PERIODS[frequency]
    history = History(noisy(periods), periods, frequency)
    medians = {model: predict(history, 6, 0.9, model).median for model in MODELS}
    assert len({median.tobytes() for median in medians.values()}) == len(MODELS), medians
