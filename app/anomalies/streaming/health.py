"""Whether a stream's model still fits it: its share of flagged points."""

# More than so many times the false alarm rate, and this share, of the last so many points.
_TIMES, _LEAST_SHARE, _WATCHED = 10, 0.02, 500
# A series that is flagged too often in spite of a new fit has changed for good once that has lasted
# so many points; twice as many each time that it was learned anew before.
_LASTING, _MOST_DOUBLINGS = 20, 6
# After a second repair within so many points, and for as many, a fit takes no value for an anomaly.
_DOUBTED = 5_000


class Health:
    """The flagged points since the last repair.

    ``flagged`` holds their times, ``trouble`` the time of the first of those that led to the last
    repair, ``repaired`` its time, and ``mended`` the same however the series was repaired. Until
    ``doubted_until`` what seems an anomaly may be what the series is like. ``relearned`` counts how
    often the series was learned anew.
    """

    def __init__(self) -> None:
        self.flagged = [0.0] * 0
        self.trouble = self.repaired = -_WATCHED
        self.doubted_until = self.relearned = 0
        self.mended = -_DOUBTED

    def is_ill(self, time: int, is_flagged: bool, rate: float) -> bool:
        """Add a point; return whether so many are flagged that the model must be wrong."""
        if self.flagged and self.flagged[0] <= time - _WATCHED:
            del self.flagged[0]
        if is_flagged:
            self.flagged.append(time)
        return len(self.flagged) > max(_TIMES * rate, _LEAST_SHARE) * _WATCHED

    def repair(self, time: int, began: int | None) -> bool:
        """Note a repair; return whether the series must be learned anew from ``trouble`` on.

        ``began`` is the time of the open event's first point, if there is one.
        """
        is_again = time - self.repaired < _WATCHED
        if not is_again:
            self.trouble = int(self.flagged[0]) if began is None else began
        self.flagged = []
        self.repaired = time
        if time - self.mended < _DOUBTED:
            self.doubted_until = time + _DOUBTED
        self.mended = time
        needed = _LASTING * 2 ** min(self.relearned, _MOST_DOUBLINGS)
        if not is_again or time - self.trouble < needed:
            return False
        self.relearned += 1
        self.repaired = -_WATCHED
        return True
