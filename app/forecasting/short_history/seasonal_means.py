"""Forecast the means of weeks with the season of a year, or the means of hours with that of a day.

A history of less than two cycles may have too many points for the mixture over small Gaussian
models (``posterior.py``), but has few means. Their forecast moves that of the members.
"""

from dataclasses import dataclass

import numpy as np

from app.forecasting.intervals.learned import LEARNED
from app.forecasting.preprocessing.transformations import transformations_of
from app.forecasting.short_history.mixture import Quantiles
from app.forecasting.short_history.posterior import fit_posterior, forecast_mixture
from app.forecasting.types import Bounds, ForecastDistribution
from app.timeseries.bounds import floor_of
from app.timeseries.calendar.frequency import Frequency
from app.timeseries.types import FloatArray


@dataclass(frozen=True)
class MeanForecast:
    """The prior's forecast of means, with the probability of a season.

    The ``median`` has shape (h,).
    """

    median: FloatArray
    quantiles: Quantiles
    season_probability: float


@dataclass(frozen=True)
class SeasonalMeans:
    """How means with a season are forecast, and how the season is tested at past origins.

    Attributes:
        period: The seasonal period in means.
        frequency: The frequency whose prior is used.
        origins: Past origins, in means before the end, the furthest first.
        compared_means: Means after each origin that are compared.
        error_weight: How strongly errors at the origins shrink the weight of the season.
        min_means: The minimum number of means before an origin.
    """

    period: int
    frequency: Frequency
    origins: tuple[int, ...]
    compared_means: int
    error_weight: float = 1.0
    min_means: int = 3

    def forecast(self, means: FloatArray, steps: int) -> MeanForecast:
        """Forecast ``steps`` means; those of the history are not all equal."""
        return self._forecast(means, steps, self.period)

    def supported_weight(self, means: FloatArray) -> float:
        """Return the weight of the season that past origins support, 0 to 1.

        It is the fraction by which the forecast without a season should have moved towards the one
        with it, by least squares, shrunk towards 0 by the mean squared error of an origin.
        """
        squared_moves = gain = squared_errors = 0.0
        for origin in self.origins:
            history = means[:-origin]
            if len(history) < self.min_means or not np.ptp(history) > 0:
                continue
            actual = means[len(history) :][: self.compared_means]
            seasonal, plain = (
                self._forecast(history, len(actual), period).median for period in (self.period, 1)
            )
            moves, errors = seasonal - plain, actual - plain
            squared_moves += float(moves @ moves)
            gain += float(moves @ errors)
            squared_errors += float(errors @ errors) / len(self.origins)
        if gain <= 0:
            return 0.0
        return min(1.0, gain / (squared_moves + self.error_weight * squared_errors))

    def _forecast(self, means: FloatArray, steps: int, period: int) -> MeanForecast:
        posterior = fit_posterior(means, period, LEARNED.priors[self.frequency])
        quantiles = Quantiles.of(forecast_mixture(posterior, steps, period))
        # The median is limited as those of the members are.
        median = transformations_of(means)[0].invert(quantiles.at((0.5,))[0])
        return MeanForecast(median, quantiles, posterior.season_probability)


def whole_mean_steps(horizon: int, steps_per_mean: int) -> int:
    """Return the steps to fit for ``horizon``: whole means, one of them after the horizon.

    Moves are interpolated between the middles of means.
    """
    return steps_per_mean * (horizon // steps_per_mean + 2)


def means_of(values: FloatArray, steps_per_mean: int) -> FloatArray:
    """Return the means of consecutive ``steps_per_mean`` values up to the last one, shape (k,)."""
    return np.asarray(
        values[len(values) % steps_per_mean :].reshape(-1, steps_per_mean).mean(axis=1)
    )


def middles_of(count: int, steps_per_mean: int) -> FloatArray:
    """Return the middle step of each mean, shape (count,): between two of an even number."""
    return np.asarray(steps_per_mean * np.arange(count) + (steps_per_mean - 1) / 2)


def between_means(means: FloatArray, steps_per_mean: int, first: float) -> FloatArray:
    """Interpolate between the middles of means, each of ``steps_per_mean`` steps.

    The value at the step before the first one, the last of the history, is ``first``.
    """
    middles = middles_of(len(means), steps_per_mean)
    steps = np.arange(steps_per_mean * len(means))
    return np.interp(steps, np.concatenate(([-1], middles)), np.concatenate(([first], means)))


def shift_distribution(
    distribution: ForecastDistribution, moves: FloatArray, values: FloatArray
) -> ForecastDistribution:
    """Move a forecast so that its k means of equal length move by ``moves`` (k,).

    The move grows from 0 at the last of the ``values``, the history.
    """
    floor = floor_of(values)
    move = between_means(moves, len(distribution.median) // len(moves), 0.0)

    def shift_bounds(lower: FloatArray, upper: FloatArray, _confidence: float) -> Bounds:
        # A lower bound of 0 stays: zeros occur in any part of the season.
        moved = np.where(lower > floor, np.maximum(lower + move, floor), floor)
        return moved, np.maximum(upper + move, floor)

    return distribution.map_bounds(
        shift_bounds, median=np.maximum(distribution.median + move, floor)
    )
