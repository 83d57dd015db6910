"""Sources that attack the worker and the dashboard, beside an account that must not be affected.

``pytest -s`` prints the figures of docs/running/security.md.
"""

import contextlib
import ipaddress
import threading
import time
from collections.abc import Iterator
from pathlib import Path

import pytest
from flask import Flask
from sqlalchemy import select
from sqlalchemy.orm import Session

from app.core.database import db
from app.identity.members import sessions
from app.identity.members.models import Member
from app.identity.members.sessions import Visitor
from app.web.dashboard.access import csrf_token
from tests.edge.attacks.attacked import (
    ATTACK_SECONDS,
    ATTACKER,
    LOOPBACK,
    MIN_REQUESTS,
    VICTIM,
    Attacked,
    assert_harmless,
    excess_mebibytes,
    print_figures,
)
from tests.edge.attacks.fed import SOURCE, STEP_SECONDS, Punctuality, add_queries
from tests.support import attack_bodies
from tests.support.databases import second_application
from tests.support.fake_prometheus import (
    Behaviour,
    FakePrometheus,
    Handler,
    fake_prometheus,
    respond,
)
from tests.support.honest_traffic import Victim, victim
from tests.support.load import load
from tests.support.many_webhooks import deliverer, quick_receiver
from tests.support.members import make_member
from tests.support.process_usage import ProcessWatch, processes_watched
from tests.support.services import wait_until

pytestmark = [pytest.mark.timing, pytest.mark.alone]

QUERIES = 8
HANG_SECONDS = 10.0
WATCH_SECONDS = 16.0
MAX_MESSAGE_SECONDS = 5.0
MAX_LAG_STEPS = 1.5
POLLED_STATUSES = {200, 303}
NOT_BY_GET = {404, 405, 429}
TRY = f"/account/sources/{SOURCE}/try"
ALLOWED = (ipaddress.ip_network("127.0.0.0/8"),)


@pytest.fixture(scope="module", autouse=True)
def app(target: Attacked) -> Iterator[Flask]:
    """An application beside the nodes, in which accounts, sources and members are created."""
    with second_application(target.database_url, source_allowed_networks=ALLOWED) as made:
        yield made


def bomb() -> Behaviour:
    """Respond with gzip whose JSON takes thirty times its unpacked size."""
    packed = attack_bodies.prometheus_bomb()
    return lambda handler: respond(handler, packed, Content_Encoding="gzip")


def hang(ended: threading.Event) -> Behaviour:
    """Respond after `HANG_SECONDS`, as an overloaded server does."""

    def behave(handler: Handler) -> None:
        ended.wait(HANG_SECONDS)
        respond(handler, b"{}", 503)

    return behave


@contextlib.contextmanager
def source(behave: Behaviour | None = None) -> Iterator[FakePrometheus]:
    with fake_prometheus(time.time) as fake:
        fake.behave = behave
        yield fake


def assert_punctual(punctuality: Punctuality) -> None:
    """Check that all messages arrived and all steps were judged in time."""
    delays = punctuality.delays()
    assert len(delays) == len(punctuality.sent)
    assert max(delays) <= MAX_MESSAGE_SECONDS
    assert max(punctuality.lags) <= MAX_LAG_STEPS * STEP_SECONDS


def test_hostile_sources_delay_no_messages_or_polls_of_others(
    target: Attacked, tmp_path: Path
) -> None:
    """Attacks 5 and 9 at once: empty objects by gzip, and a source that hangs."""
    ended = threading.Event()
    with contextlib.ExitStack() as stack:
        receiver = stack.enter_context(quick_receiver(tmp_path / "receiver"))
        worker = stack.enter_context(
            deliverer(target.database_url, receiver, tmp_path / "worker.log", **LOOPBACK)
        )
        honest = stack.enter_context(source())
        honest.add_series(lambda at: 100.0 + at % 7, job="shop")
        result = Punctuality(add_queries("victim of 5 and 9", honest.url, 1), receiver)
        wait_until(result.is_live, "the first poll")
        stack.callback(ended.set)
        attackers = {
            number: stack.enter_context(source(behave))
            for number, behave in {5: bomb(), 9: hang(ended)}.items()
        }
        for number, attacker in attackers.items():
            add_queries(f"attacker of {number}", attacker.url, QUERIES)
        memory = stack.enter_context(processes_watched(worker.pid))
        result.watch(lambda: False, WATCH_SECONDS)
    print(f"\n5 and 9 sources that attack: {result}; {memory}")
    assert all(len(attacker.requests) >= 2 for attacker in attackers.values())
    assert_punctual(result)
    assert excess_mebibytes(memory) == {}


def session_of_an_attacker(app: Flask) -> str:
    """Sign in a member of the attacker's account; return the session's token."""
    member_id = make_member(app, account="attacker of 6")
    with Session(db.engine) as session, session.begin():
        member = session.scalars(select(Member).where(Member.id == member_id)).one()
        return sessions.open_session(session, member, Visitor(ATTACKER, "tests", None))


def test_checking_a_hostile_source_harms_no_other_account(target: Attacked, app: Flask) -> None:
    with source(bomb()) as attacker:
        add_queries("attacker of 6", attacker.url, 0)
        token = session_of_an_attacker(app)
        form = f"csrf_token={csrf_token(token)}".encode()
        headers = {
            "X_Test_Address": ATTACKER,
            "Cookie": f"__Host-forecast-session={token}",
            "Content_Type": "application/x-www-form-urlencoded",
        }
        url = target.site.https

        def run() -> tuple[Victim, ProcessWatch]:
            with (
                victim(target.site, target.database_url, VICTIM) as harmed,
                processes_watched(*target.mains) as watch,
                load(url, None, [("POST", TRY, form)], clients=4, pause=0.2, **headers) as posts,
                load(url, None, [("GET", TRY, None)], clients=1, pause=0.5, **headers) as gets,
            ):
                harmed.wait(ATTACK_SECONDS, MIN_REQUESTS)
            print_figures("6 trying a source", harmed, watch, posts)
            assert set(gets.statuses()) <= NOT_BY_GET
            assert set(posts.statuses()) <= POLLED_STATUSES | {422, 429, 503}
            return harmed, watch

        assert_harmless(run)
    assert attacker.requests
