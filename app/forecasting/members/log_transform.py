"""A low-frequency member on logarithms."""

import numpy as np

from app.forecasting.members.types import LowFrequencyMember, MemberForecast
from app.timeseries.history import History
from app.timeseries.types import FloatArray

# The logarithms of a series with a larger ratio of values are mainly those of its smallest values.
_MAX_RATIO = 1e4
_MAX_FACTOR = 1e3  # forecasts are at most this factor beyond the history's range
_MAX_LOG_ERROR = 3.0  # the largest standard error of a logarithm: twenty times the median


def can_use_logs(values: FloatArray) -> bool:
    """Return whether ``values`` are positive and not of too different magnitudes."""
    return bool(values.min() > 0 and values.max() / values.min() < _MAX_RATIO)


def on_logs(member: LowFrequencyMember) -> LowFrequencyMember:
    """Return the member on the logarithms of a positive history.

    The median is the exponential of the median of the logarithms; their standard error is
    multiplied by it, which is right for small errors.
    """

    def forecast(history: History, horizon: int) -> MemberForecast:
        logs = History(np.log(history.values), history.periods, history.frequency)
        forecast = member.forecast(logs, horizon)
        room = np.log(_MAX_FACTOR)
        lowest, highest = logs.values.min() - room, logs.values.max() + room
        median = np.exp(np.clip(forecast.median, lowest, highest))
        errors = forecast.standard_error
        if errors is not None:
            errors = median * np.minimum(errors, _MAX_LOG_ERROR)
        return MemberForecast(median, errors)

    def is_suitable(values: FloatArray) -> bool:
        return can_use_logs(values) and member.is_suitable(values)

    name = f"{member.name} on logs"
    return LowFrequencyMember(name, forecast, member.error_part, member.name, is_suitable)
