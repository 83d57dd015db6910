"""A low-frequency member on logarithms."""

import numpy as np

from app.forecasting.members.types import LowFrequencyMember, MemberForecast
from app.timeseries.history import History
from app.timeseries.types import FloatArray

# Logarithms of a series that spans more than this ratio mainly follow its smallest values.
_MAX_RATIO = 1e4
# Forecasts are at most this many times beyond the history's range.
_MAX_FACTOR = 1e3
_MAX_LOG_ERROR = 3.0  # the largest standard error of a logarithm: twenty times the median


def can_use_logs(values: FloatArray) -> bool:
    """Return whether logarithms of ``values`` exist and follow more than the smallest ones."""
    return bool(values.min() > 0 and values.max() / values.min() < _MAX_RATIO)


def on_logs(member: LowFrequencyMember) -> LowFrequencyMember:
    """Run a member on the logarithms of a positive history; its error replaces the raw one.

    The median of the logs is the log of the median; the standard error is scaled at the
    median, as for small errors.
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
