"""Requirements on a history for learning holidays; light to import."""

from app.timeseries.history import History
from app.timeseries.seconds import DAY_SECONDS, HOUR_SECONDS, WEEK_SECONDS

# Shorter histories do not show the effects of holidays.
MIN_DAYS = 56
MIN_WEEKS = 4  # of intraday histories


def has_supported_step(history: History) -> bool:
    """Return whether the step of a history is a day, or a part of one in whole hours."""
    grid = history.grid
    return (
        grid is not None
        and DAY_SECONDS % grid.step_seconds == 0
        and grid.step_seconds % HOUR_SECONDS == 0
    )


def min_points(step: int) -> int:
    """Return how many points of ``step`` seconds holidays are learned from."""
    return MIN_DAYS if step == DAY_SECONDS else MIN_WEEKS * WEEK_SECONDS // step


def can_learn_holidays(history: History) -> bool:
    """Return whether holidays are looked for: the step fits them, and the points are enough."""
    grid = history.grid
    return (
        grid is not None
        and has_supported_step(history)
        and len(history.values) >= min_points(grid.step_seconds)
    )
