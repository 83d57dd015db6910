"""Whether a stream's model still fits it: its share of flagged points."""

# More than so many times the false alarm rate, and this share, of the last so many points.
_MIN_RATE_RATIO, _MIN_FLAGGED_SHARE, _WINDOW_POINTS = 10, 0.02, 500
# A series that is flagged too often in spite of a new fit has changed for good once that has lasted
# so many points; twice as many each time that it was learned anew before.
_MIN_LASTING_POINTS, _MAX_DOUBLINGS = 20, 6
# After a second repair within so many points, and for as many, a fit takes no value for an anomaly.
_UNCERTAIN_POINTS = 5_000


class Health:
    """The flagged points since the last repair.

    ``flagged`` holds their times, ``trouble`` the time of the first of those that led to the last
    repair, ``repaired`` its time, and ``mended`` the same however the series was repaired. Until
    ``uncertain_until`` what seems an anomaly may be what the series is like. ``relearned`` counts
    how often the series was learned anew.
    """

    def __init__(self) -> None:
        self.flagged = [0.0] * 0
        self.failing_since = self.repaired = -_WINDOW_POINTS
        self.uncertain_until = self.relearned = 0
        self.last_repaired = -_UNCERTAIN_POINTS

    def is_failing(self, time: int, is_flagged: bool, rate: float) -> bool:
        """Add a point; return whether so many are flagged that the model must be wrong."""
        if self.flagged and self.flagged[0] <= time - _WINDOW_POINTS:
            del self.flagged[0]
        if is_flagged:
            self.flagged.append(time)
        return len(self.flagged) > max(_MIN_RATE_RATIO * rate, _MIN_FLAGGED_SHARE) * _WINDOW_POINTS

    def record_repair(self, time: int, began: int | None) -> bool:
        """Note a repair; return whether the series must be learned anew from ``trouble`` on.

        ``began`` is the time of the open event's first point, if there is one.
        """
        is_again = time - self.repaired < _WINDOW_POINTS
        if not is_again:
            self.failing_since = int(self.flagged[0]) if began is None else began
        self.flagged = []
        self.repaired = time
        if time - self.last_repaired < _UNCERTAIN_POINTS:
            self.uncertain_until = time + _UNCERTAIN_POINTS
        self.last_repaired = time
        needed = _MIN_LASTING_POINTS * 2 ** min(self.relearned, _MAX_DOUBLINGS)
        if not is_again or time - self.failing_since < needed:
            return False
        self.relearned += 1
        self.repaired = -_WINDOW_POINTS
        return True
