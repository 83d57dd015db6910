"""A clock that tests move."""

import datetime as dt

from tests.watching.monitors.feeding import NOW


class Clock:
    """The time that `utcnow` returns, until it is moved."""

    def __init__(self) -> None:
        self.at = NOW

    def __call__(self) -> dt.datetime:
        return self.at

    def move(self, **by: float) -> None:
        self.at += dt.timedelta(**by)
