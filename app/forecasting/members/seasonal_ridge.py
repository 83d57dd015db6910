"""Ridge autoregression on many lags and calendar terms, for levels and for differences.

A linear autoregression (Hyndman and Athanasopoulos, "Forecasting: principles and practice", 12.5,
"dynamic harmonic regression", here with ridge shrinkage in place of order selection) whose lags
include whole seasonal cycles. Coefficients are refitted at several cuts of the history, so that a
forecast made at a past origin has seen nothing after it.
"""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from app.forecasting.members.kinds import BacktestedForecast
from app.forecasting.past_origins import Task
from app.forecasting.seasonality import FourierTerms
from app.forecasting.transformations import Transformed
from app.forecasting.types import FloatArray, IntArray

# Forecasts are kept within this many times the largest standardised value.
LARGEST_GROWTH = 4.0
CALENDAR_PENALTY = 3.0


@dataclass(frozen=True)
class RidgeDesign:
    """What explains the next value.

    ``lags`` in steps. ``dummies`` is a period with one indicator a phase, or 0. ``fourier`` lists
    (period in steps, number of sine-cosine pairs). ``difference`` is the lag of the difference
    that is modelled: 0 for levels, 1 for changes, a season for seasonal differences.
    ``half_life`` weighs points down with age, in steps; 0 weighs all alike.
    """

    lags: tuple[int, ...]
    dummies: int = 0
    fourier: FourierTerms = ()
    difference: int = 0
    half_life: float = 0.0


def calendar_terms(design: RidgeDesign, start: int, stop: int) -> FloatArray:
    """Return the regressors of steps ``start`` to ``stop``, shape (stop - start, terms)."""
    index = np.arange(start, stop)
    blocks = [np.ones((len(index), 1))]
    if design.dummies:
        blocks.append(np.eye(design.dummies)[index % design.dummies])
    for period, pairs in design.fourier:
        angle = 2 * np.pi * np.outer(index, np.arange(1, pairs + 1)) / period
        blocks += [np.sin(angle), np.cos(angle)]
    return np.hstack(blocks)


def penalty_of(design: RidgeDesign) -> FloatArray:
    """Return how strongly each coefficient is shrunk, relative to the lags' 1."""
    terms = calendar_terms(design, 0, 1).shape[1]
    penalty = np.concatenate([np.ones(len(design.lags)), np.full(terms, CALENDAR_PENALTY)])
    # A free intercept for levels; changes are pulled towards no drift.
    penalty[len(design.lags)] = 0.01 if design.difference != 1 else 10.0
    return penalty


class NormalEquations:
    """The sums over all points so far that a weighted ridge regression is solved from.

    ``half_life`` weighs points down with age, in steps; 0 weighs all alike.
    """

    def __init__(self, size: int, half_life: float) -> None:
        self.gram, self.moment = np.zeros((size, size)), np.zeros(size)
        self.mass = 0.0
        self.half_life = half_life

    def add(self, regressors: FloatArray, response: FloatArray) -> None:
        """Add the points that come next: shapes (points, size) and (points,)."""
        weighted, mass = regressors, float(len(response))
        if self.half_life:
            weights = 0.5 ** (np.arange(len(response))[::-1] / self.half_life)
            weighted, mass = regressors * weights[:, None], float(weights.sum())
            faded = 0.5 ** (len(response) / self.half_life)
            self.gram, self.moment = self.gram * faded, self.moment * faded
            self.mass *= faded
        self.gram = self.gram + weighted.T @ regressors
        self.moment = self.moment + weighted.T @ response
        self.mass += mass

    def solve(self, penalties: Sequence[FloatArray]) -> FloatArray:
        """Return the coefficients, shape (penalties, size), of each penalty of shape (size,)."""
        # A trace of the largest term keeps the system solvable where columns repeat each other.
        trace = 1e-10 * (1.0 + float(np.diag(self.gram).max()))
        ridge = np.stack([np.diag(each * max(self.mass, 1.0) + trace) for each in penalties])
        moments = np.broadcast_to(self.moment, (len(ridge), len(self.moment)))
        return np.asarray(np.linalg.solve(self.gram + ridge, moments[..., None])[..., 0])


def fit_at_cuts(
    standardised: FloatArray,
    design: RidgeDesign,
    penalties: Sequence[float],
    cuts: Sequence[int],
) -> FloatArray:
    """Return ridge coefficients learned from the points before each cut.

    Args:
        standardised: shape (n,).
        design: lags and calendar terms.
        penalties: ridge penalties, in hundredths of the number of points.
        cuts: ascending indices up to n.

    Returns:
        Shape (cuts, penalties, coefficients).
    """
    longest, n = max(design.lags), len(standardised)
    columns = [standardised[longest - lag : n - lag] for lag in design.lags]
    regressors = np.hstack([np.stack(columns, axis=1), calendar_terms(design, longest, n)])
    response = standardised[longest:]
    shrinkage = [penalty / 100 * penalty_of(design) for penalty in penalties]
    equations = NormalEquations(regressors.shape[1], design.half_life)
    coefficients, done = [], 0
    for cut in cuts:
        upto = max(cut - longest, done)
        equations.add(regressors[done:upto], response[done:upto])
        coefficients.append(equations.solve(shrinkage))
        done = upto
    return np.stack(coefficients)


def roll_forward(
    pasts: FloatArray, lags: Sequence[int], weights: FloatArray, added: FloatArray
) -> FloatArray:
    """Iterate autoregressions, one a row.

    Args:
        pasts: the last ``max(lags)`` values of each row, shape (rows, longest).
        lags: in steps.
        weights: coefficient of each lag, shape (rows, lags).
        added: what the calendar adds at each step, shape (rows, h).

    Returns:
        Shape (rows, h), kept within a few times the largest past value, so that an unstable
        equation cannot run away.
    """
    limits = LARGEST_GROWTH * np.maximum(1.0, np.abs(pasts).max(axis=1))
    floors = -limits
    longest = pasts.shape[1]
    horizon = added.shape[1]
    # Steps stand on the first axis, so that each step's lags are whole rows of memory.
    path = np.empty((longest + horizon, pasts.shape[0]))
    path[:longest] = pasts.T
    offsets = longest - np.asarray(lags)
    weights_by_lag = np.ascontiguousarray(weights.T)
    for step in range(horizon):
        value = np.einsum("lr,lr->r", path[offsets + step], weights_by_lag) + added[:, step]
        path[longest + step] = np.minimum(np.maximum(value, floors), limits)
    return path[longest:].T


@dataclass(frozen=True)
class Fitted:
    """The regressions of one transformed series, ready to be rolled forward.

    ``pasts``, ``weights`` and ``added`` are ``roll_forward``'s, rows ordered by start, then
    penalty; ``starts`` indexes its values.
    """

    values: FloatArray
    starts: IntArray
    centre: float
    spread: float
    pasts: FloatArray
    weights: FloatArray
    added: FloatArray


def fit_transformed(
    values: FloatArray, design: RidgeDesign, penalties: Sequence[float], task: Task, refits: int
) -> Fitted:
    """Fit the regressions at every cut, for each origin and for the end."""
    lag = design.difference
    worked = values[lag:] - values[:-lag] if lag else values
    n, horizon, origins = len(worked), task.horizon, len(task.origins)
    starts = np.array([*task.origins, len(values)]) - lag
    # From before the first origin, so that no forecast knows the level of what it is to forecast.
    known = worked[: starts[0]]
    centre = 0.0 if lag == 1 else float(known.mean())
    spread = float(known.std()) or float(worked.std()) or 1.0
    standardised = (worked - centre) / spread
    blocks = np.array_split(np.arange(origins), min(refits, origins))
    cuts = [int(starts[block[0]]) for block in blocks] + [n]
    which = np.repeat(np.arange(len(cuts)), [*(len(block) for block in blocks), 1])
    coefficients = fit_at_cuts(standardised, design, penalties, cuts)[which]
    lags = len(design.lags)
    terms = calendar_terms(design, 0, n + horizon)[starts[:, None] + np.arange(horizon)]
    added = np.einsum("oht,opt->oph", terms, coefficients[:, :, lags:])
    pasts = standardised[starts[:, None] + np.arange(-max(design.lags), 0)]
    return Fitted(
        values,
        starts + lag,
        centre,
        spread,
        np.repeat(pasts, len(penalties), axis=0),
        coefficients[:, :, :lags].reshape(-1, lags),
        added.reshape(-1, horizon),
    )


def integrate(changes: FloatArray, values: FloatArray, starts: IntArray, lag: int) -> FloatArray:
    """Turn forecasts of differences at ``lag`` into forecasts of the values.

    Args:
        changes: shape (penalties, starts, h).
        values: the series, shape (n,).
        starts: index of each forecast's first step.
        lag: of the difference.
    """
    horizon = changes.shape[2]
    result = changes.copy()
    known = values[starts[:, None] + np.arange(-lag, 0)]
    result[:, :, : min(lag, horizon)] += known[:, : min(lag, horizon)]
    for first in range(lag, horizon, lag):
        last = min(first + lag, horizon)
        result[:, :, first:last] += result[:, :, first - lag : last - lag]
    return result


def seasonal_ridge(
    task: Task, design: RidgeDesign, penalties: Sequence[float], refits: int = 4
) -> list[BacktestedForecast]:
    """Return one forecast a transformation and penalty.

    Args:
        task: what is asked.
        design: lags and calendar terms; each lag and the difference must lie before the first
            origin.
        penalties: ridge penalties, in hundredths of the number of points.
        refits: how often coefficients are refitted among the past origins.
    """
    fits = [
        fit_transformed(view.values, design, penalties, task, refits) for view in task.transformed
    ]
    # All roll at once: each step of the loop costs the same for one row or a hundred.
    paths = roll_forward(
        np.concatenate([fit.pasts for fit in fits]),
        design.lags,
        np.concatenate([fit.weights for fit in fits]),
        np.concatenate([fit.added for fit in fits]),
    )
    forecasts = []
    for view, fit, path in zip(task.transformed, fits, np.split(paths, len(fits)), strict=True):
        by_penalty = path.reshape(len(fit.starts), len(penalties), task.horizon).transpose(1, 0, 2)
        by_penalty = by_penalty * fit.spread + fit.centre
        if design.difference:
            by_penalty = integrate(by_penalty, fit.values, fit.starts, design.difference)
        forecasts += [as_member(view, paths_of_one) for paths_of_one in by_penalty]
    return forecasts


def as_member(view: Transformed, path: FloatArray) -> BacktestedForecast:
    """Split forecasts of shape (origins + 1, h) into the backtest and the answer."""
    raw = view.invert(path)
    return BacktestedForecast(median=raw[-1], backtest=raw[:-1])
