"""Lone outliers are replaced before a fit; frequent ones and new levels stay."""

import numpy as np
import numpy.typing as npt
import pytest

from app.anomalies.last_point import _impute_spikes
from app.timeseries.calendar.frequency import Frequency
from app.timeseries.history import History


def days(values: npt.ArrayLike) -> History:
    return History(np.asarray(values, dtype=np.float64), (7,), Frequency.DAILY)


def weeks_and_noise(points: int = 120, seed: int = 0) -> npt.NDArray[np.float64]:
    noise = np.random.default_rng(seed).standard_normal(points)
    return 50 + 10 * np.sin(np.arange(points) * 2 * np.pi / 7) + noise


@pytest.mark.parametrize("index", [0, 60, 117, 118, 119])
@pytest.mark.parametrize("size", [20.0, -20.0, 1e12])
def test_a_lone_outlier_is_replaced_by_about_its_value_without_the_spike(
    index: int, size: float
) -> None:
    clean = weeks_and_noise()
    spiked = clean.copy()
    spiked[index] += size
    imputed = _impute_spikes(days(spiked), None)
    assert imputed.spike_count == 1
    assert np.abs(imputed.history.values - clean).max() < 5
    assert np.flatnonzero(imputed.history.values != spiked).tolist() == [index]


def test_clean_values_stay_as_they_are() -> None:
    clean = weeks_and_noise()
    imputed = _impute_spikes(days(clean), None)
    assert (imputed.history.values == clean).all()
    assert (imputed.spike_count, imputed.history_at_new_level) == (0, None)


@pytest.mark.parametrize(("outliers", "replaced"), [(4, 4), (8, 0)])
def test_outliers_in_more_than_a_fiftieth_of_the_points_are_kept(
    outliers: int, replaced: int
) -> None:
    spiked = weeks_and_noise(240)
    indices = np.linspace(9, 231, outliers).astype(int)
    spiked[indices] += np.where(np.arange(outliers) % 2, 25, -25)
    imputed = _impute_spikes(days(spiked), None)
    assert imputed.spike_count == np.count_nonzero(imputed.history.values != spiked) == replaced


@pytest.mark.parametrize("begin", [60, 100, 108, 114, 118])
def test_a_new_level_is_not_taken_for_spikes(begin: int) -> None:
    shifted = weeks_and_noise()
    shifted[begin:] += 30
    changed = _impute_spikes(days(shifted), None).history.values != shifted
    assert not changed[begin + 1 :].any()


def test_an_outlier_at_the_end_may_be_a_spike_or_a_new_level() -> None:
    spiked = weeks_and_noise()
    spiked[[40, -1]] += 20
    imputed = _impute_spikes(days(spiked), None)
    assert imputed.spike_count == 2
    assert imputed.history_at_new_level is not None
    assert imputed.history_at_new_level.values[-1] == spiked[-1]
    assert (imputed.history_at_new_level.values[:-1] == imputed.history.values[:-1]).all()


def test_no_new_level_is_as_far_out_as_a_transmission_error() -> None:
    assert _impute_spikes(days([*weeks_and_noise(), 1e12]), None).history_at_new_level is None


def test_frequent_counts_are_not_spikes() -> None:
    for seed in range(10):
        counts = np.random.default_rng(seed).poisson(0.1, 120)
        assert (_impute_spikes(days(counts), None).history.values == counts).all()


def test_the_periods_are_those_that_show() -> None:
    noise = np.random.default_rng(0).standard_normal(120)
    assert _impute_spikes(days(noise), None).periods == ()
    assert _impute_spikes(days(weeks_and_noise()), None).periods == (7,)
    assert _impute_spikes(days(noise), 5).periods == (5,)
