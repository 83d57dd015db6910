"""The one place where monitors look at the clock."""

import datetime as dt

from app.database import utcnow


def now() -> dt.datetime:
    """The current time, aware, in UTC."""
    return utcnow()
