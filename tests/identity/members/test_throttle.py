"""Failed sign-ins by address and by member."""

import multiprocessing

import pytest

from app.identity.limits.stores import open_store
from app.identity.limits.stores.memory import MemoryCounters
from app.identity.members.throttle import (
    MAX_FAILURES_PER_MINUTE,
    SignInThrottle,
    TooManyFailuresError,
)

HOME, OFFICE = "192.0.2.1", "198.51.100.1"
ADA, EVE = "ada@example.com", "eve@example.com"


@pytest.fixture
def counters():
    return MemoryCounters()


def fail(counters, network, email, times=MAX_FAILURES_PER_MINUTE) -> None:
    for _ in range(times):
        SignInThrottle(counters, network, email).count_attempt()


def is_rejected(counters, network, email):
    try:
        SignInThrottle(counters, network, email).count_attempt()
    except TooManyFailuresError:
        return True
    return False


def race(uri, networks, emails):
    """Attempt to sign in from each network as each member; return how many were checked."""
    counters = open_store(uri, None)
    attempts = [(network, email) for network in networks for email in emails]
    return sum(not is_rejected(counters, *attempt) for attempt in attempts)


@pytest.mark.parametrize(
    ("networks", "emails"),
    [([HOME], [f"{number}@example.com" for number in range(15)]), (range(15), [ADA])],
    ids=["address", "member"],
)
def test_ten_attempts_in_four_processes_are_checked(each_database, networks, emails) -> None:
    with multiprocessing.get_context("fork").Pool(4) as pool:
        checked = pool.starmap(race, [(each_database, networks, emails)] * 4)
    assert sum(checked) == MAX_FAILURES_PER_MINUTE


@pytest.mark.parametrize(("network", "email"), [(HOME, EVE), (OFFICE, ADA)])
def test_the_eleventh_of_an_address_and_of_a_member_is_rejected(counters, network, email) -> None:
    fail(counters, HOME, ADA)
    assert is_rejected(counters, network, email)
    assert not is_rejected(counters, OFFICE, EVE)


def test_a_released_attempt_is_not_counted(counters) -> None:
    for _ in range(2 * MAX_FAILURES_PER_MINUTE):
        attempt = SignInThrottle(counters, HOME, ADA)
        attempt.count_attempt()
        attempt.release()
        attempt.release()
    fail(counters, HOME, ADA)
    assert is_rejected(counters, HOME, EVE)


def test_attempts_that_are_rejected_for_a_member_do_not_use_up_their_address(counters) -> None:
    fail(counters, HOME, ADA)
    for _ in range(2 * MAX_FAILURES_PER_MINUTE):
        assert is_rejected(counters, OFFICE, ADA)
    assert not is_rejected(counters, OFFICE, EVE)


def test_one_failure_of_a_member_a_minute_is_the_first(counters) -> None:
    attempts = [SignInThrottle(counters, network, ADA) for network in (HOME, OFFICE, HOME)]
    assert [attempt.claim_audit_record() for attempt in attempts] == [True, False, False]
    assert SignInThrottle(counters, HOME, EVE).claim_audit_record()
