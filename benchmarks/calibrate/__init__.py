"""The calibration of the intervals: all learned numbers come from here."""

SEED = 0
"""The seed of every draw: of rows, windows, synthetic series and walks."""
