"""Select the groups of regressors that a series shows: a Bayesian linear regression.

Effects are normal around 0 (Lindley and Smith 1972), the noise is integrated out. A group is added
while the evidence for it grows by enough, the best one first.
"""

from dataclasses import dataclass

import numpy as np

from app.forecasting.regression import posterior_covariance
from app.forecasting.regressors.design import Group
from app.timeseries.types import FloatArray, IntArray

_SCALES = np.array([0.1, 0.3, 1.0, 3.0])  # prior deviations of effects, in deviations of the noise
# The minimum growth of the log evidence, beyond that for the number of groups. With 6, all checks
# together kept none of 13,000 noise columns of real series.
_MIN_LOG_EVIDENCE = 8.0
# The fraction of the noise that no regressor explains, so that logarithms are finite.
_MIN_UNEXPLAINED = 1e-12


@dataclass(frozen=True)
class Moments:
    """The moments of p regressors and n points that a regression needs.

    ``gram``, of shape (p, p), ``moment``, of shape (p,), and ``power`` are weighted sums of their
    products with each other, with the series, and of the series' squares.
    """

    gram: FloatArray
    moment: FloatArray
    power: float
    points: int

    @staticmethod
    def of(regressors: FloatArray, values: FloatArray, weights: FloatArray) -> "Moments":
        """Return the moments of regressors, shape (p, n), each point with its weight."""
        weighted: FloatArray = regressors * weights
        gram = weighted @ regressors.T
        return Moments(
            gram=gram,
            moment=weighted @ values,
            power=float(weights @ values**2),
            points=len(values),
        )

    def solve(self, prior: FloatArray) -> tuple[FloatArray, FloatArray]:
        """Return mean, (p,), and covariance, (p, p), of the effects, in variances of the noise.

        ``prior`` are their variances before the series was seen, shape (p,).
        """
        covariance, _ = posterior_covariance(self.gram, prior)
        return covariance @ self.moment, covariance


def select_groups(moments: Moments, groups: list[Group], owner: IntArray) -> dict[int, float]:
    """Return the groups that the series shows, by index, with the prior deviation of each.

    Args:
        moments: The moments of all regressors, each with a mean square of 1.
        groups: The candidates; one that is not main may only follow a main one of its column.
        owner: The index of the group of each regressor, shape (p,).
    """
    rows = [np.flatnonzero(owner == index) for index in range(len(groups))]
    chosen: dict[int, float] = {}
    threshold = _MIN_LOG_EVIDENCE + np.log(len(groups))
    while True:
        chosen_columns = {groups[index].column for index in chosen}
        candidates = [
            index
            for index, group in enumerate(groups)
            if index not in chosen
            and len(rows[index])
            and (group.is_main or group.column in chosen_columns)
        ]
        evidences = [(*_evidence(moments, rows[index]), index) for index in candidates]
        evidence, scale, index = max(evidences, default=(0.0, 0.0, 0))
        if evidence < threshold:
            return chosen
        chosen[index] = scale
        moments = _residual_moments(moments, rows[index], scale)


def _evidence(moments: Moments, rows: IntArray) -> tuple[float, float]:
    """Return the largest growth of log evidence by some regressors, and its scale."""
    sizes, axes = np.linalg.eigh(moments.gram[np.ix_(rows, rows)])
    sizes = np.maximum(sizes, 0.0)
    projections = axes.T @ moments.moment[rows]
    variances = _SCALES[:, None] ** 2
    penalty = np.log1p(variances * sizes).sum(axis=1)
    explained = (variances * projections**2 / (1 + variances * sizes)).sum(axis=1)
    unexplained = np.maximum(1 - explained / moments.power, _MIN_UNEXPLAINED)
    growth = -(penalty + moments.points * np.log(unexplained)) / 2
    best = int(growth.argmax())
    return float(growth[best]), float(_SCALES[best])


def _residual_moments(moments: Moments, rows: IntArray, scale: float) -> Moments:
    """Return the moments of what is left when some regressors have been learned."""
    cross_gram = moments.gram[:, rows]
    group_moment = moments.moment[rows]
    prior = np.full(len(rows), scale**2)
    covariance, _ = posterior_covariance(moments.gram[np.ix_(rows, rows)], prior)
    power = moments.power - float(group_moment @ covariance @ group_moment)
    return Moments(
        gram=moments.gram - cross_gram @ covariance @ cross_gram.T,
        moment=moments.moment - cross_gram @ (covariance @ group_moment),
        power=max(power, np.finfo(float).tiny),
        points=moments.points,
    )
