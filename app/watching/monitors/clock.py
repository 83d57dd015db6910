"""The clock of monitors, in one place for tests."""

import datetime as dt

from app.core.database import utcnow


def now() -> dt.datetime:
    """Return the current time, timezone-aware, in UTC."""
    return utcnow()
