"""The remaining requests of a budget, and its rejections, by its counters."""

import pytest

from app.identity.limits.budget import Budget, address_budget, budget_state
from app.identity.limits.headers import rate_limit_headers, rejection_details, retry_after

NOW = 1_800_000_000.0
THREE_WINDOWS = Budget("key:x", ((60, 10), (3_600, 100), (86_400, 1_000)))


def acquire(counted, budget=THREE_WINDOWS, cost=1):
    return budget_state(budget, counted, NOW, cost=cost)


def read_budget(counted, budget=THREE_WINDOWS):
    return budget_state(budget, counted, NOW, cost=0)


@pytest.mark.parametrize(
    ("counted", "rejecting"),
    [
        ({60: (10, NOW + 5)}, 60),
        ({60: (10, NOW + 5), 3_600: (100, NOW + 6)}, 3_600),
        ({60: (10, NOW + 50), 3_600: (100, NOW + 6)}, 60),
        ({60: (10, NOW + 5), 3_600: (100, NOW + 6), 86_400: (1_000, NOW + 7)}, 86_400),
        ({3_600: (100, NOW + 900), 86_400: (1_000, NOW + 7)}, 3_600),
    ],
)
def test_the_last_to_reset_of_several_rejecting_windows_is_named(counted, rejecting) -> None:
    state = acquire(counted)
    assert state.rejected_by.seconds == rejecting
    assert state.tightest == state.rejected_by


def test_reading_a_budget_neither_counts_nor_rejects() -> None:
    state = read_budget({60: (10, NOW + 5)})
    assert state.rejected_by is None
    assert [window.used for window in state.windows] == [10, 0, 0]


def test_the_tightest_window_has_the_fewest_requests_left() -> None:
    state = read_budget({60: (1, NOW + 5), 3_600: (97, NOW + 900), 86_400: (500, NOW + 7)})
    assert rate_limit_headers(state) == {
        "X-RateLimit-Limit": "100",
        "X-RateLimit-Remaining": "3",
        "X-RateLimit-Reset": str(int(NOW) + 900),
    }


@pytest.mark.parametrize(("minute_end", "hour_end", "limit"), [(5, 900, "100"), (50, 6, "10")])
def test_the_last_to_reset_of_equally_tight_windows_is_shown(minute_end, hour_end, limit) -> None:
    state = read_budget({60: (7, NOW + minute_end), 3_600: (97, NOW + hour_end)})
    assert rate_limit_headers(state)["X-RateLimit-Limit"] == limit


def test_more_used_than_allowed_is_shown_as_nothing_left() -> None:
    state = read_budget({60: (25, NOW + 5)})  # the tier was lowered in the middle of the window
    assert rate_limit_headers(state)["X-RateLimit-Remaining"] == "0"
    assert acquire({60: (25, NOW + 5)}).rejected_by.seconds == 60


def test_a_client_that_waits_for_retry_after_comes_after_the_end() -> None:
    window = acquire({60: (10, NOW + 20.2)}).rejected_by
    assert retry_after(window, NOW) == "21"
    assert retry_after(window, NOW + 20.2) == "1"
    details = rejection_details(window)
    assert details == {"limit": 10, "reset_time": "2027-01-15T08:00:21Z"}


def test_addresses_have_one_window_of_a_minute_each() -> None:
    assert address_budget("10.0.0.1", 60).windows == ((60, 60),)
    assert address_budget("10.0.0.1", 60).owner != address_budget("10.0.0.2", 60).owner
