"""The calibration of the intervals: all learned numbers come from here."""

SHOWN_CONFIDENCES = (0.5, 0.8, 0.95)  # the confidence levels whose coverage is printed
SEED = 0  # the seed of every draw: of rows, windows, synthetic series and walks
