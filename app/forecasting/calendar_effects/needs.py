"""What histories holidays are learned from; light to import."""

from app.timeseries.calendar.frequency import UNITS, Frequency
from app.timeseries.types import History

DAY = UNITS[Frequency.DAILY].seconds
HOUR = UNITS[Frequency.HOURS].seconds
FEWEST_DAYS, FEWEST_WEEKS = 56, 4
"""Shorter histories of days, and of parts of a day, say nothing of their holidays."""


def fits(history: History) -> bool:
    """Whether the step of a history is a day, or a part of one in whole hours."""
    grid = history.grid
    return grid is not None and DAY % grid.step == 0 and grid.step % HOUR == 0


def fewest_points(step: int) -> int:
    """Return how many points of ``step`` seconds holidays are learned from."""
    return FEWEST_DAYS if step == DAY else FEWEST_WEEKS * 7 * DAY // step


def is_long_enough(history: History) -> bool:
    """Whether holidays are looked for in a history: its step fits them, its points are enough."""
    grid = history.grid
    return grid is not None and fits(history) and len(history.values) >= fewest_points(grid.step)
