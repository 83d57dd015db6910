"""What counts as reported."""

from dataclasses import replace

import numpy as np

from benchmarks.faults.direct import Judged, SeenEvent, absences
from benchmarks.faults.incidents import FAULTS
from benchmarks.faults.table import add_direct_results, outcome_of

FAULT = next(fault for fault in FAULTS if fault.series == "p99/cart")
OUTAGE = next(fault for fault in FAULTS if fault.series == "connections/db")
FIRST, LAST = FAULT.window(FAULT.drawn)


def event(start, end, alerted, severity=60.0):
    return SeenEvent(start, end, "spike", severity, severity + 10, alerted)


def test_an_alert_while_a_fault_lasts_reports_it() -> None:
    outcome = outcome_of(FAULT, Judged((event(FIRST, LAST, FIRST + 3),), ()))
    assert (outcome.is_reported, outcome.after, outcome.highest, outcome.alerts) == (
        True,
        4,
        70.0,
        1,
    )


def test_an_alert_at_step_0_counts() -> None:
    fault = replace(FAULT, at=-(10**9), lasts=2 * 10**9)  # before the history and after the end
    first, last = fault.window(fault.drawn)
    outcome = outcome_of(fault, Judged((event(first, last, first),), ()))
    assert (first, outcome.is_reported, outcome.after, outcome.alerts) == (0, True, 1, 1)


def test_an_alert_before_or_after_a_fault_does_not_report_it() -> None:
    events = event(FIRST - 9, FIRST - 5, FIRST - 9), event(LAST + 1, LAST + 9, LAST + 1)
    outcome = outcome_of(FAULT, Judged(events, ()))
    assert (outcome.is_reported, outcome.after, outcome.alerts) == (False, None, 1)


def test_an_event_that_is_not_an_alert_shows_how_near_it_came() -> None:
    outcome = outcome_of(FAULT, Judged((event(FIRST, LAST, None, 30.0),), ()))
    assert (outcome.is_reported, outcome.highest, outcome.alerts) == (False, 40.0, 0)


def test_a_series_without_values_is_reported_by_its_own_state() -> None:
    first, _ = OUTAGE.window(OUTAGE.drawn)
    assert outcome_of(OUTAGE, Judged((), (first + 5,))).after == 6
    assert not outcome_of(OUTAGE, Judged((event(first, first, first),), ())).is_reported


def test_a_series_is_absent_from_its_sixth_step_without_a_value_on() -> None:
    values = np.array([1, *[np.nan] * 5, 2, *[np.nan] * 8, 3])
    assert absences(values, 100) == (112,)


def test_polled_series_are_completed_only_by_equal_events() -> None:
    direct = Judged((event(5, 9, 7),), ())
    equal = Judged((SeenEvent(5, 9, "spike", 60.0, 60.0, 5),), ())
    other = Judged((SeenEvent(5, 8, "spike", 60.0, 60.0, 5),), ())
    outcomes, others = add_direct_results({1: equal, 2: other}, {1: direct, 2: direct})
    assert (outcomes, others) == ({1: direct, 2: other}, [2])
