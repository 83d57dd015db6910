"""The lengths of units of time in seconds."""

MINUTE_SECONDS, HOUR_SECONDS, DAY_SECONDS, WEEK_SECONDS = 60, 3_600, 86_400, 604_800
