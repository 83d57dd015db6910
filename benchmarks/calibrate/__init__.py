"""The calibration of the intervals: all learned numbers come from here."""

SEED = 0
"""Of every draw: of rows, windows, synthetic series and walks."""
