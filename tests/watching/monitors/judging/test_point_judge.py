"""The number of missing points that an append may skip."""

import numpy as np
import pytest

from app.timeseries.calendar.frequency import Frequency
from app.timeseries.calendar.timestamps import format_timestamps, parse_timestamps
from app.watching.monitors.judging.point_judge import MAX_SKIPPED_POINTS, WIDE_BAND_NOTICE
from app.watching.monitors.settings.errors import PointErrors
from tests.support.watching import append
from tests.watching.monitors.feeding import ACCOUNT, NAME, START, make, points, statuses

STEP = 63  # a week has 9,600 of them: two seasons are more than may be stepped over at once
GAP = MAX_SKIPPED_POINTS + 1_000


def send_every_63_seconds(*indices):
    times = START + STEP * np.array(indices)
    return append(
        ACCOUNT, NAME, parse_timestamps(format_timestamps(times, "Z")), np.ones(len(indices))
    )


@pytest.fixture(autouse=True)
def monitor() -> None:
    make(data_frequency=Frequency.SECONDS, step=STEP)
    send_every_63_seconds(0)


def test_any_gap_before_the_first_point_of_a_request_is_stepped_over() -> None:
    appended = send_every_63_seconds(GAP, GAP + 1, GAP + 2)
    assert appended.notices == ()
    assert len(points()) == 4


def test_more_gaps_than_a_request_may_have_are_rejected_and_go_in_the_next() -> None:
    with pytest.raises(PointErrors) as caught:
        send_every_63_seconds(1, GAP, GAP + 1)
    assert [defect.entry for defect in caught.value.defects] == [1]
    assert len(points()) == 1
    send_every_63_seconds(1)
    assert statuses(send_every_63_seconds(GAP, GAP + 1)) == ["learning", "learning"]


def test_a_band_far_wider_than_the_values_has_a_notice() -> None:
    wild = np.random.default_rng(1).pareto(0.7, 300)
    times = START + STEP * np.arange(1, 301)
    appended = append(ACCOUNT, NAME, parse_timestamps(format_timestamps(times, "Z")), wild)
    assert appended.notices == (WIDE_BAND_NOTICE,)
