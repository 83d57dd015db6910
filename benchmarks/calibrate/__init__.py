"""The calibration of the intervals: all learned numbers come from here."""

SEED = 0  # the seed of every draw: of rows, windows, synthetic series and walks
