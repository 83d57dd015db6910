"""Times in the dashboard: a date in UTC, and the distance from now."""

import datetime as dt

from markupsafe import Markup

from app.core.database import iso_string
from app.core.units import count_of
from app.timeseries.calendar.frequency import DAY_SECONDS, HOUR_SECONDS, MINUTE_SECONDS
from app.web.dashboard.blueprint import blueprint

# Units of distances, longest first, in seconds.
STEPS = ((DAY_SECONDS, "day"), (HOUR_SECONDS, "hour"), (MINUTE_SECONDS, "minute"))


def format_time(moment: dt.datetime) -> str:
    """Return ``moment`` as ``22 Nov 2026, 16:40 UTC``."""
    return f"{moment.day} {moment:%b %Y, %H:%M} UTC"


def distance(moment: dt.datetime, now: dt.datetime) -> str:
    """Return the distance from ``now``: ``3 hours ago``, ``in 12 days``, ``just now``."""
    seconds = abs((moment - now).total_seconds())
    for length, unit in STEPS:
        if seconds >= length:
            words = count_of(round(seconds / length), unit)
            return f"in {words}" if moment > now else f"{words} ago"
    return "in less than a minute" if moment > now else "just now"


@blueprint.app_template_filter("moment")
def time_element(moment: dt.datetime) -> Markup:
    return Markup('<time datetime="{}">{}</time>').format(iso_string(moment), format_time(moment))


@blueprint.app_template_filter()
def unix_moment(seconds: int) -> Markup:
    return time_element(dt.datetime.fromtimestamp(seconds, dt.UTC))


blueprint.add_app_template_filter(distance)
