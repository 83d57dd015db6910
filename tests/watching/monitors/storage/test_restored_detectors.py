"""A monitor with the state of another release learns its points again."""

from app.watching.monitors.settings.states import State
from tests.watching.monitors.feeding import are_all_judged, make, make_states_foreign, send, waves


def test_the_state_of_another_release_is_rebuilt_from_the_points() -> None:
    make()
    send(range(400), waves(400))
    make_states_foreign()
    later = send([400, 401], [*waves(401)[-1:], 40.0])
    assert are_all_judged(later)
    expected, spike = later.points
    assert not expected.is_anomaly
    assert spike.is_anomaly
    assert expected.upper - expected.lower < 4


def test_a_restored_detector_steps_over_the_gaps_of_its_points() -> None:
    make()
    send([*range(200), *range(210, 400)], [*waves(400)[:200], *waves(400)[210:]])
    make_states_foreign()
    assert not send([400], waves(401)[-1:]).points[0].is_anomaly


def test_the_event_of_a_foreign_state_is_closed_by_the_next_newer_point_only() -> None:
    make()
    send([*range(399), 400], [*waves(399), 40.0])
    make_states_foreign()
    duplicate, late = send([400], [40.0]), send([399], waves(400)[-1:])
    assert (duplicate.events, late.events) == ([], [])
    assert duplicate.state == late.state == State.ANOMALOUS
    assert [event.closed_as for event in send([401], waves(402)[-1:]).events] == ["ended"]
