"""The width of the band follows the rate seen."""

import math
from collections.abc import Callable

# The band is widened or narrowed until these two rates of the points are outside. By how much a
# point moves the logarithm of the width, and how far it may go.
_NEAR_RATE, _NEAR_GAIN, _MIN_NEAR, _MAX_NEAR = 0.05, 0.02, -0.4, 0.7
_FAR_RATE, _FAR_GAIN, _MIN_FAR, _MAX_FAR = 0.01, 0.03, -0.1, 0.5
# A p-value depends on a width that depends on the p-value: so many steps find both.
_ITERATIONS = 2
_LOG_NEAR, _LOG_FAR = math.log(_NEAR_RATE), math.log(_FAR_RATE)


class Widening:
    """The logarithm of the factor of the band's width: ``near`` for all, ``far`` for its tail.

    Ranks promise a rate where errors are exchangeable. Where they drift, the width follows the rate
    seen (adaptive conformal inference, Gibbs and Candès 2021).
    """

    def __init__(self) -> None:
        self.near = self.far = 0.0

    def log_factor(self, log_p: float) -> float:
        """Return the logarithm of the factor at a p-value, given by its logarithm."""
        share = (_LOG_NEAR - log_p) / (_LOG_NEAR - _LOG_FAR)
        return self.near + min(1.0, max(0.0, share)) * self.far

    def solve(self, near: float, log_p_of: Callable[[float], float]) -> float:
        """Return the logarithm of the p-value of a surprise.

        Args:
            near: Its logarithm with the width of ``near`` alone.
            log_p_of: Returns it for a factor of the width.
        """
        log_p = near
        for _ in range(_ITERATIONS):
            log_p = log_p_of(math.exp(self.log_factor(log_p)))
        return log_p

    def learn(self, near: float, log_p: float) -> None:
        """Learn from a point whose p-values have these logarithms."""
        moved = self.near + _NEAR_GAIN * ((near < _LOG_NEAR) - _NEAR_RATE)
        self.near = max(_MIN_NEAR, min(_MAX_NEAR, moved))
        moved = self.far + _FAR_GAIN * ((log_p < _LOG_FAR) - _FAR_RATE)
        self.far = max(_MIN_FAR, min(_MAX_FAR, moved))
