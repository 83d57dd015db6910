"""Numbers and times in words."""

import datetime as dt
from itertools import pairwise

from markupsafe import Markup

from app.core.database import iso_string
from app.core.text import short_number
from app.timeseries.seconds import DAY_SECONDS, HOUR_SECONDS, MINUTE_SECONDS
from app.timeseries.words import count_of
from app.web.dashboard.blueprint import blueprint

# Units of durations, longest first, in seconds.
DURATION_UNITS = (
    (DAY_SECONDS, "day"),
    (HOUR_SECONDS, "hour"),
    (MINUTE_SECONDS, "minute"),
    (1, "second"),
)
_MIN_PERCENT, _MIN_PROBABILITY = 0.01, 1e-6  # below them a probability is "1 in …", or less than


def format_time(moment: dt.datetime) -> str:
    """Return ``moment`` as ``22 Nov 2026, 16:40 UTC``."""
    return f"{moment.day} {moment:%b %Y, %H:%M} UTC"


def relative_time(moment: dt.datetime, now: dt.datetime) -> str:
    """Return a moment relative to ``now``: ``3 hours ago``, ``in 12 days``, ``just now``."""
    seconds = abs((moment - now).total_seconds())
    for (length, unit), (shorter, _) in pairwise(DURATION_UNITS):
        if round(seconds / shorter) * shorter >= length:  # 59.7 minutes are an hour
            words = count_of(round(seconds / length), unit)
            return f"in {words}" if moment > now else f"{words} ago"
    return "in less than a minute" if moment > now else "just now"


@blueprint.app_template_filter("moment")
def time_element(moment: dt.datetime) -> Markup:
    return Markup('<time datetime="{}">{}</time>').format(iso_string(moment), format_time(moment))


@blueprint.app_template_filter()
def unix_moment(seconds: int) -> Markup:
    return time_element(dt.datetime.fromtimestamp(seconds, dt.UTC))


blueprint.add_app_template_filter(relative_time)


def chance_text(probability: float) -> str:
    """Return a probability in words: ``12 %``, ``1 in 1,200``, less than ``1 in 1,000,000``."""
    if probability >= _MIN_PERCENT:
        return f"{short_number(100 * probability, 2)} %"
    if probability < _MIN_PROBABILITY:
        return f"< 1 in {short_number(1 / _MIN_PROBABILITY)}"
    return f"1 in {short_number(1 / probability, 2)}"


def rate_text(rate: float) -> str:
    """Return a false alarm rate in words: ``1 in 1,000 points``."""
    return f"1 in {short_number(1 / rate)} points"
