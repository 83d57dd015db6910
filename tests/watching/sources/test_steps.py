"""Points whose window overlaps a gap are missing: they are neither learned nor judged."""

import numpy as np
import pytest

from app.watching.sources.steps import MAX_PARTIAL_STEPS, find_partial_steps, partial_step_count
from tests.watching.sources.source_queries import (
    STEP,
    calm_value,
    events,
    first_step,
    make_query,
    monitors,
    points,
    poll,
)

WINDOW = 5  # steps, of the query of `make_query`


@pytest.mark.parametrize(
    ("query", "step", "count"),
    [
        ("up", 60, 0),
        ("rate(x[5m])", 60, 5),
        ("rate(x[5m])", 300, 1),
        ("rate(x[5m])", 3_600, 0),
        ("rate(x[90s]) / rate(y[1m30s])", 60, 2),
        ("max_over_time(rate(x[1m])[10m:1m])", 60, 10),
        ("rate(x[1h] offset 5m)", 60, MAX_PARTIAL_STEPS),
        ('sum by (a) (up{job=~"[0-9a-z]+"})', 60, 0),
        ("[" * 4_000, 60, 0),
        ("x[" + "9" * 3_990 + "m]", 60, 0),
    ],
)
def test_the_longest_range_of_a_query_decides_how_far_a_gap_reaches(query, step, count) -> None:
    assert partial_step_count(query, step) == count


def test_only_the_steps_after_a_gap_are_partial() -> None:
    empty = np.array([0, 1, 1, 0, 0, 0, 0, 1, 0], dtype=bool)
    assert find_partial_steps(empty, 2).tolist() == [
        bool(flag) for flag in [0, 0, 1, 1, 1, 0, 0, 0, 1]
    ]
    assert not find_partial_steps(empty, 0).any()


def gap_and_recovery(begun):
    """Return calm values but for a gap, after which they rise from half: the window fills again."""

    def value(at):
        if begun and begun[0] <= at < begun[0] + 4 * STEP:
            return None
        after = (at - begun[0]) // STEP - 4 if begun else WINDOW
        return (
            calm_value(at) * min(1.0, 0.5 + 0.1 * after) if 0 <= after < WINDOW else calm_value(at)
        )

    return value


def test_the_recovery_after_a_scrape_gap_is_not_judged(server, now) -> None:
    started = []
    server.add_series(gap_and_recovery(started), service="shop")
    make_query()
    poll(now, steps=1)
    started.append(first_step(now) + STEP)
    poll(now, steps=4 + WINDOW + 10)
    (monitor,) = monitors()
    values = [point.value for point in points(monitor.name)[-20:]]
    assert min(values) > 90
    assert events(monitor.name) == []
    assert monitor.last_point.value > 90


def test_a_query_made_just_after_a_gap_learns_and_judges_no_recovery(server, now) -> None:
    started = [first_step(now) - 5 * STEP]  # the window is half full when the query is made
    server.add_series(gap_and_recovery(started), service="shop")
    make_query()
    poll(now, steps=WINDOW + 10)
    (monitor,) = monitors()
    assert min(point.value for point in points(monitor.name)) > 90
    assert events(monitor.name) == []


def test_a_series_that_leaves_on_its_own_is_judged_when_it_returns(server, now) -> None:
    """Others were scraped meanwhile, so it is not a gap of the source."""
    started = []
    server.add_series(gap_and_recovery(started), service="shop")
    server.add_series(calm_value, service="other")
    make_query()
    poll(now, steps=1)
    started.append(first_step(now) + STEP)
    poll(now, steps=4 + WINDOW)
    (shop,) = (monitor.name for monitor in monitors() if "shop" in monitor.name)
    assert events(shop)


def test_values_that_are_not_numbers_are_not_gaps(server, now) -> None:
    server.add_series(lambda at: "NaN" if at // STEP % 2 else calm_value(at), service="shop")
    make_query()
    poll(now, steps=10)
    (monitor,) = monitors()
    assert len(points(monitor.name)) > 150
