"""Numbers in words for pages."""

from app.core.units import short_number
from app.timeseries.calendar.frequency import DAY_SECONDS, HOUR_SECONDS, MINUTE_SECONDS

_MIN_PERCENT, _MIN_PROBABILITY = 0.01, 1e-6  # below them a probability is "1 in …", or less than
_SHORT_UNITS = ((DAY_SECONDS, "d"), (HOUR_SECONDS, "h"), (MINUTE_SECONDS, "min"), (1, "s"))


def rounded_number(value: float) -> str:
    """Return a number with three significant digits and separated thousands."""
    return short_number(float(f"{value:.3g}"))


def chance_text(probability: float) -> str:
    """Return a probability in words: ``12 %``, ``1 in 1,200``, less than ``1 in 1,000,000``."""
    if probability >= _MIN_PERCENT:
        return f"{100 * probability:.2g} %" if probability < 1 else "100 %"
    if probability < _MIN_PROBABILITY:
        return f"< 1 in {1 / _MIN_PROBABILITY:,.0f}"
    return f"1 in {float(f'{1 / probability:.2g}'):,.0f}"


def short_duration(seconds: int) -> str:
    """Return a duration in its largest two units, ``1 d 17 h``, cut after the second."""
    first = next(i for i, (length, _) in enumerate(_SHORT_UNITS) if seconds >= length)
    words = []
    seconds_left = seconds
    for length, unit in _SHORT_UNITS[first : first + 2]:
        count, seconds_left = divmod(seconds_left, length)
        words += [f"{count} {unit}"] if count else []
    return " ".join(words)
