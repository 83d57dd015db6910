"""Choose the windows of a backtest."""

from app.forecasting.model_ids import MIN_POINTS

MAX_WINDOWS = 10
LONG_SERIES_POINTS = 2_000
# The maximum number of windows for 1 to 4 models, so that a backtest takes at most 10 seconds.
MAX_LONG_SERIES_WINDOWS = (10, 10, 7, 5)
# The minimum history of a window that counts in the ranking.
_MIN_SEASONS = 2
_MIN_POINTS_WITHOUT_SEASON = 20


def choose_cutoffs(
    points: int, horizon: int, windows: int, models: int
) -> tuple[tuple[int, ...], tuple[str, ...]]:
    """Return how many points come before each window, ascending, and notices of windows left out.

    The windows follow each other without overlap, and the last one ends with the series.

    Args:
        points: Length of the series; ``MIN_POINTS + horizon`` at least.
        horizon: Length of a window.
        windows: How many are wanted, 1 to ``MAX_WINDOWS``.
        models: How many models forecast each.
    """
    notices: tuple[str, ...] = ()
    count = min(windows, (points - MIN_POINTS) // horizon)
    if count < windows:
        notices += (
            f"{windows - count} of {windows} windows left out: fewer than {MIN_POINTS} "
            "points come before them",
        )
    limit = MAX_WINDOWS if points <= LONG_SERIES_POINTS else MAX_LONG_SERIES_WINDOWS[models - 1]
    if limit < count:
        notices += (
            f"{count - limit} of {windows} windows left out, the oldest ones: a series of "
            f"more than {LONG_SERIES_POINTS:,} points has at most {limit} for {models} models",
        )
        count = limit
    return tuple(points - horizon * left for left in range(count, 0, -1)), notices


def find_short_windows(
    cutoffs: tuple[int, ...], periods: tuple[int, ...]
) -> tuple[tuple[bool, ...], tuple[str, ...]]:
    """Return which windows have too short a history to rank models by, and notices about them.

    Args:
        cutoffs: How many points come before each window.
        periods: The seasonal periods in steps, shortest first.

    Returns:
        Whether fewer than two seasons of the shortest period come before each window, or 20 points
        where there is none; and a notice, unless none or all of them are short.
    """
    needed = _MIN_SEASONS * periods[0] if periods else _MIN_POINTS_WITHOUT_SEASON
    short = tuple(cutoff < needed for cutoff in cutoffs)
    if all(short) or not any(short):
        return short, ()
    count_text = f"two seasons ({needed} points)" if periods else f"{needed} points"
    notice = (
        f"{sum(short)} of {len(short)} windows do not count in the ranking: fewer than "
        f"{count_text} come before them"
    )
    return short, (notice,)
