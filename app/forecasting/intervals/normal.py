"""Half-widths of a normal distribution's intervals."""

from scipy.special import ndtri


def normal_half_width(confidence: float) -> float:
    """Return how many standard deviations the interval of a confidence reaches to either side."""
    return float(ndtri((1 + confidence) / 2))


def share_of_95(confidence: float) -> float:
    """Return the reach of an interval relative to the 95 % one, at most 1."""
    return min(1.0, float(ndtri((1 + confidence) / 2) / ndtri(0.975)))
