"""Bounds of the steps that polls and trials read, and after how many a series has ended."""

ENDED_AFTER_STEPS = 5
"""A series without a value in these newest steps of its history has ended."""
ABSENT_STEPS = 5
"""A series without a value for more steps than these is absent."""
MAX_STEPS_PER_REQUEST = 10_000
"""Steps of a response; Prometheus allows 11,000."""
