"""The queueing calculation of docs/running/several-nodes.md agrees with the textbooks' formulas."""

import pytest

from benchmarks.queueing import steady_state


def test_one_engine_with_one_place_to_wait_rejects_as_computed_by_hand() -> None:
    # 1, 1 and 1 are the weights of 0, 1 and 2 forecasts in the node.
    queued = steady_state(arrivals=1.0, service_rate=1.0, engines=1, waiting=1)
    assert (queued.rejected_fraction, queued.wait_seconds) == pytest.approx((1 / 3, 0.5))


@pytest.mark.parametrize(("engines", "erlang_c"), [(1, 0.5), (2, 1 / 3)])
def test_an_endless_queue_waits_as_erlang_says(engines: int, erlang_c: float) -> None:
    arrivals = engines / 2
    queued = steady_state(arrivals, service_rate=1.0, engines=engines, waiting=500)
    assert queued.rejected_fraction == pytest.approx(0)
    assert queued.wait_seconds == pytest.approx(erlang_c / (engines - arrivals))


def test_without_a_queue_the_rejected_share_is_erlang_b() -> None:
    assert steady_state(
        arrivals=2.0, service_rate=1.0, engines=2, waiting=0
    ).rejected_fraction == pytest.approx(0.4)
