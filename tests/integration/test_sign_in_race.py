"""Concurrent sign-ins in four processes: no more than ten a minute are checked."""

import threading
from collections import Counter
from concurrent.futures import ThreadPoolExecutor
from urllib.parse import urlencode

import pytest

from app.identity.members.throttle import MAX_FAILURES_PER_MINUTE
from tests.support.databases import second_application
from tests.support.members import EMAIL, PASSWORD, make_member
from tests.support.server import run_server

SIGN_INS = 60
WORKERS = 4
WRONG = "wrong wrong wrong"


pytestmark = pytest.mark.services


@pytest.fixture(scope="module")
def server(postgresql_databases, tmp_path_factory):
    """The service with a member, behind a proxy that sends the client's address."""
    url = postgresql_databases.migrated()
    with second_application(url) as app:
        make_member(app)
    folder = tmp_path_factory.mktemp("raced")
    settings = {"WEB_CONCURRENCY": str(WORKERS), "TRUSTED_PROXIES": "1"}
    with run_server(folder, url, **settings) as server:
        yield server


def statuses(server, attempts):
    """Return the number of each status of concurrent sign-ins by email, address and password."""
    together = threading.Barrier(len(attempts))

    def enter(attempt):
        email, address, password = attempt
        form = urlencode({"email": email, "password": password}).encode()
        kind = "application/x-www-form-urlencoded"
        together.wait()
        path = "/account/sign-in"
        return server.request(path, form, Content_Type=kind, X_Forwarded_For=address).status

    with ThreadPoolExecutor(len(attempts)) as pool:
        return Counter(pool.map(enter, attempts))


def test_ten_of_sixty_concurrent_wrong_passwords_from_an_address_are_checked(server) -> None:
    attempts = [(f"{number}@example.com", "192.0.2.1", WRONG) for number in range(SIGN_INS)]
    expected = {403: MAX_FAILURES_PER_MINUTE, 429: SIGN_INS - MAX_FAILURES_PER_MINUTE}
    assert statuses(server, attempts) == expected


def test_ten_of_sixty_concurrent_wrong_passwords_for_a_member_are_checked(server) -> None:
    attempts = [("eve@example.com", f"198.51.100.{number}", WRONG) for number in range(SIGN_INS)]
    expected = {403: MAX_FAILURES_PER_MINUTE, 429: SIGN_INS - MAX_FAILURES_PER_MINUTE}
    assert statuses(server, attempts) == expected


def test_concurrent_correct_passwords_leave_no_failure_behind(server) -> None:
    right, wrong = ((EMAIL, "203.0.113.1", password) for password in (PASSWORD, WRONG))
    statuses(server, [right])  # which renews the hash: tests have weaker parameters
    for _ in range(3):
        assert statuses(server, [right] * WORKERS) == {200: WORKERS}
    expected = {403: MAX_FAILURES_PER_MINUTE, 429: SIGN_INS - MAX_FAILURES_PER_MINUTE}
    assert statuses(server, [wrong] * SIGN_INS) == expected
