"""The clock of monitors, which tests replace."""

import datetime as dt

from app.core.database import utcnow


def current_time() -> dt.datetime:
    """Return the current time, timezone-aware, in UTC."""
    return utcnow()
