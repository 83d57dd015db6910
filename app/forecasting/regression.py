"""Ridge regressions and their Bayesian form, solved from sums of products."""

import numpy as np

from app.timeseries.types import FloatArray


def solve_ridge(gram: FloatArray, moment: FloatArray, penalty: FloatArray) -> FloatArray:
    """Return the coefficients of ridge regressions (Hoerl and Kennard 1970).

    Args:
        gram: Products of the p regressors with one another, shape (..., p, p).
        moment: Their products with the response, shape (..., p).
        penalty: Added to the diagonal for each coefficient, shape (..., p).

    Returns:
        Shape (..., p), leading axes broadcast.
    """
    shape = np.broadcast_shapes(gram.shape[:-1], moment.shape, penalty.shape)
    systems = np.broadcast_to(gram, (*shape, shape[-1])).copy()
    diagonal = np.arange(shape[-1])
    systems[..., diagonal, diagonal] += penalty
    moments = np.broadcast_to(moment, shape)
    return np.asarray(np.linalg.solve(systems, moments[..., None])[..., 0])


def posterior_covariance(gram: FloatArray, prior: FloatArray) -> tuple[FloatArray, FloatArray]:
    """Return the covariance of effects that are normal around 0 (Lindley and Smith 1972).

    Args:
        gram: Weighted products of the p regressors with one another, shape (p, p). The unit of all
            variances is that of the noise.
        prior: The prior variances of the effects, shape (p,); 0 for no effect.

    Returns:
        The covariance, shape (p, p), and the matrix 1 + prior x gram, whose determinant is the
        ratio of the determinants of the prior and the posterior.
    """
    inner = np.eye(len(prior)) + prior[:, None] * gram
    covariance: FloatArray = np.linalg.solve(inner, np.diag(prior)).astype(np.float64)
    return covariance, inner
