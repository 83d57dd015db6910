"""The faults change what they say, when they say."""

import numpy as np
import pytest

from benchmarks.faults.incidents import FAULTS
from benchmarks.faults.shapes import MINUTE
from benchmarks.faults.shop import BEGIN, SHAPES


def test_half_of_the_faults_are_live_and_each_has_a_series_of_its_own() -> None:
    assert len(FAULTS) == 34
    assert sum(fault.is_live for fault in FAULTS) == 17
    assert len({fault.series for fault in FAULTS}) == 34
    assert {shape.series for shape in FAULTS} <= {shape.name for shape in SHAPES}


@pytest.mark.parametrize("fault", FAULTS, ids=lambda fault: fault.series)
def test_a_fault_changes_its_series_while_it_lasts_and_at_no_other_time(fault) -> None:
    drawn = fault.drawn
    right = drawn.query_values(drawn.values(drawn.base, drawn.runs))
    faulty = drawn.query_values(fault.values(drawn))
    first, last = fault.window(drawn)
    # `rate()` of a counter that has grown less loses other decimals.
    changed = np.flatnonzero(~np.isclose(right, faulty, rtol=1e-6, atol=1e-9))
    assert first <= changed[0] <= last
    # Runs of jobs end up to a minute late.
    assert changed[-1] <= last + MINUTE // drawn.shape.step


def test_a_late_run_is_missing_first_and_happens_then() -> None:
    fault = next(fault for fault in FAULTS if fault.series == "nightly/report")
    drawn = fault.drawn
    added = fault.values(drawn) - drawn.values(drawn.base, drawn.runs)
    now = drawn.times - BEGIN
    due = (now > fault.run_at + MINUTE) & (now < fault.run_at + 20 * MINUTE)
    late = (now > fault.run_at + 121 * MINUTE) & (now < fault.run_at + 140 * MINUTE)
    assert added[due].max() < -500
    assert added[late].min() > 500
