"""No kind of series floods: each is learned, and few of its points are flagged from then on."""

import numpy as np
import pytest

from tests.anomalies.streaming.any_series import KINDS
from tests.anomalies.streaming.streams import HOURS, flags, openings, verdicts_on

SETTLING = 500  # points after the last lasting change, which may be flagged
JUDGED = 1050  # points after these
SEEDS = (1, 2)  # one series has too few events, such as wraps of a counter, for a rate
MAX_FLAGGED = 0.015  # of the judged points, at the default rate
CONSTANT_FIRST = {
    name: KINDS[name]
    for name in ("400 zeros, then normal", "400 zeros, then counts", "1,500 zeros, then normal")
}


@pytest.mark.parametrize("name", KINDS)
def test_few_points_are_flagged_once_a_series_has_settled(name: str) -> None:
    kind = KINDS[name]
    settles = kind.settled + SETTLING
    settled = []
    for seed in SEEDS:
        values = kind.make(np.random.default_rng(seed)).astype(float)[: settles + JUDGED]
        settled += verdicts_on(values, HOURS)[settles:]
    assert flags(settled) <= MAX_FLAGGED * len(settled)


@pytest.mark.parametrize("name", CONSTANT_FIRST)
@pytest.mark.parametrize("seed", [2, 3])
def test_the_first_change_of_a_constant_is_an_event_and_what_follows_is_learned(
    name: str, seed: int
) -> None:
    kind = CONSTANT_FIRST[name]
    values = kind.make(np.random.default_rng(seed)).astype(float)
    changed = int(np.flatnonzero(values)[0])
    verdicts = verdicts_on(values[: changed + 600], HOURS)
    assert openings(verdicts)[0] == changed
    assert verdicts[changed].is_anomaly
    later = verdicts[changed + 100 :]
    assert flags(verdicts[changed : changed + 100]) <= 25  # up to 22 while the new level is learned
    assert flags(later[:100]) <= 3  # none once it is
    assert flags(later) <= MAX_FLAGGED * len(later)
