"""The eight frequencies of the service, in one table for code, documents and tests.

A frequency is a calendar unit: a fixed number of seconds (Seconds to Weekly) or of months (Monthly
to Yearly). The step of a series may be a multiple of its unit (five-minute data is ``Minutes``).
"""

from dataclasses import dataclass
from enum import StrEnum

from app.timeseries.seconds import DAY_SECONDS, HOUR_SECONDS, MINUTE_SECONDS, WEEK_SECONDS


class Frequency(StrEnum):
    """The values of ``data_frequency``, shortest unit first."""

    SECONDS = "Seconds"
    MINUTES = "Minutes"
    HOURS = "Hours"
    DAILY = "Daily"
    WEEKLY = "Weekly"
    MONTHLY = "Monthly"
    QUARTERLY = "Quarterly"
    YEARLY = "Yearly"


@dataclass(frozen=True)
class Unit:
    """The unit of a frequency.

    Exactly one of ``seconds`` and ``months`` is not 0. ``recommended_points`` is the history that
    the data-preparation guide recommends; a shorter one gets a notice.
    """

    seconds: int
    months: int
    noun: str
    recommended_points: int

    @property
    def has_days(self) -> bool:
        """Whether it is a day or longer, so that timestamps are dates."""
        return self.seconds not in range(1, DAY_SECONDS)


UNITS: dict[Frequency, Unit] = {
    Frequency.SECONDS: Unit(1, 0, "second", 100),
    Frequency.MINUTES: Unit(MINUTE_SECONDS, 0, "minute", 100),
    Frequency.HOURS: Unit(HOUR_SECONDS, 0, "hour", 100),
    Frequency.DAILY: Unit(DAY_SECONDS, 0, "day", 30),
    Frequency.WEEKLY: Unit(WEEK_SECONDS, 0, "week", 30),
    Frequency.MONTHLY: Unit(0, 1, "month", 12),
    Frequency.QUARTERLY: Unit(0, 3, "quarter", 12),
    Frequency.YEARLY: Unit(0, 12, "year", 5),
}


def longer_frequency(frequency: Frequency, step: int) -> Frequency | None:
    """Return the frequency whose unit is as long as ``step`` shorter ones: Hours for 60 minutes.

    None if no unit is, or if ``step`` is 1.
    """
    length = UNITS[frequency].seconds * step, UNITS[frequency].months * step
    lengths = {(unit.seconds, unit.months): name for name, unit in UNITS.items()}
    return lengths.get(length) if step > 1 else None
