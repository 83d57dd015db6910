"""Ridge regressions, against the least squares that they are."""

import numpy as np

from app.forecasting.regression import posterior_covariance, solve_ridge


def random_regression() -> tuple[np.ndarray, np.ndarray]:
    rng = np.random.default_rng(3)
    return rng.normal(size=(20, 3)), rng.normal(size=20)


def test_a_penalty_is_a_row_of_zeros_in_least_squares() -> None:
    regressors, response = random_regression()
    penalty = np.array([0.5, 2.0, 0.0])
    rows = np.vstack([regressors, np.diag(np.sqrt(penalty))])
    expected = np.linalg.lstsq(rows, np.append(response, np.zeros(3)), rcond=None)[0]
    solved = solve_ridge(regressors.T @ regressors, regressors.T @ response, penalty)
    np.testing.assert_allclose(solved, expected, rtol=1e-9)


def test_penalties_and_series_are_solved_together_as_one_by_one() -> None:
    regressors, response = random_regression()
    gram, moment = regressors.T @ regressors, regressors.T @ response
    penalties = np.array([[1.0, 1.0, 1.0], [9.0, 9.0, 9.0]])
    together = solve_ridge(np.stack([gram, 2 * gram])[:, None], moment, penalties)
    assert together.shape == (2, 2, 3)
    np.testing.assert_allclose(together[1, 1], solve_ridge(2 * gram, moment, penalties[1]))


def test_an_effect_without_prior_variance_is_zero_and_the_others_are_a_ridge() -> None:
    regressors, response = random_regression()
    gram, moment = regressors.T @ regressors, regressors.T @ response
    covariance, inner = posterior_covariance(gram, np.array([0.25, 0.0, 4.0]))
    effects = covariance @ moment
    kept = [0, 2]
    expected = solve_ridge(gram[np.ix_(kept, kept)], moment[kept], np.array([4.0, 0.25]))
    np.testing.assert_allclose(effects[kept], expected)
    assert effects[1] == 0
    np.testing.assert_allclose(
        np.linalg.det(inner), np.linalg.det(np.eye(3) + np.diag([0.25, 0, 4]) @ gram)
    )
