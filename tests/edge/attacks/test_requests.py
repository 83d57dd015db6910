"""Requests that stopped release 1.2.0, each beside an account that must not be affected.

``pytest -s`` prints the figures of docs/running/security.md.
"""

from collections.abc import Callable
from dataclasses import dataclass, field

import pytest

from tests.edge.attacks.attacked import (
    ATTACK_SECONDS,
    ATTACKER,
    MIN_REQUESTS,
    VICTIM,
    Attacked,
    assert_harmless,
    print_figures,
)
from tests.support import attack_bodies
from tests.support.honest_traffic import Victim, victim
from tests.support.keys import new_key
from tests.support.load import Client, Request, load
from tests.support.process_usage import ProcessWatch, processes_watched

pytestmark = [pytest.mark.timing, pytest.mark.alone]

REJECTED = frozenset({413, 422})
LIMITED = frozenset({429, 503})  # after too many, and where too much waits
MAX_REJECTION_SECONDS = 1.0
XLSX, CSV = {"Content_Type": attack_bodies.XLSX}, {"Content_Type": attack_bodies.CSV}
ZSTD = {"Content_Encoding": "zstd"}
SUCCESS = frozenset({200})
MODEL = {"X_Model_Id": "forecast-model-1"}


@dataclass(frozen=True)
class Attack:
    """A request that one address sends on some connections at the same time.

    Attributes:
        path: Where it is sent.
        make: Returns what is sent.
        clients: On how many connections.
        statuses: What the first one may be responded with.
        headers: Headers of it, with ``_`` in their names.
        needs_key: Whether it has a key, of an account without a limit.
        pause: Seconds that each connection waits after a response.
    """

    path: str
    make: Callable[[], bytes]
    clients: int = 4
    statuses: frozenset[int] = REJECTED
    headers: dict[str, str] = field(default_factory=dict)
    needs_key: bool = False
    pause: float = 0.05

    def request(self) -> Request:
        return "POST", self.path, self.make()


BOMBS = {
    "1 an unclosed tag": Attack("/read", attack_bodies.unclosed_tag, headers=XLSX),
    "2 a line of dashes": Attack("/read", attack_bodies.dashes, headers=CSV),
    "3 a repeated string": Attack("/read", attack_bodies.repeated_string, headers=XLSX),
    "7 empty objects by zstd": Attack(
        "/timegpt/v2/forecast", attack_bodies.timegpt_bomb, headers=ZSTD, needs_key=True
    ),
}
FLOODS = {
    "4 an honest table": Attack("/read", attack_bodies.honest_table, 8, SUCCESS, CSV),
    "8 long forecasts": Attack(
        "/forecast", attack_bodies.long_series, 50, SUCCESS, MODEL, True, 0.2
    ),
}


def key_of(attack: Attack, target: Attacked) -> str | None:
    return new_key(target.database_url) if attack.needs_key else None


@pytest.mark.parametrize("name", BOMBS)
def test_a_bomb_is_rejected_within_a_second_with_the_bound_it_exceeds(
    target: Attacked, name: str
) -> None:
    attack = BOMBS[name]
    client = Client(target.site.https, key_of(attack, target), **attack.headers)
    request = attack.request()
    call = client.send(request)
    client.close()
    print(f"\n{name}: {len(request[2] or b''):,} bytes, {call.status} after {call.seconds:.2f} s")
    assert call.status in attack.statuses, call.body
    assert call.seconds < MAX_REJECTION_SECONDS


@pytest.mark.parametrize("name", BOMBS | FLOODS)
def test_no_request_of_another_account_fails_or_waits_while_somebody_attacks(
    target: Attacked, name: str
) -> None:
    attack = (BOMBS | FLOODS)[name]
    request = attack.request()

    def run() -> tuple[Victim, ProcessWatch]:
        with (
            victim(target.site, target.database_url, VICTIM) as harmed,
            processes_watched(*target.mains) as watch,
            load(
                target.site.https,
                key_of(attack, target),
                [request],
                clients=attack.clients,
                pause=attack.pause,
                **attack.headers,
                X_Test_Address=ATTACKER,
            ) as attacker,
        ):
            harmed.wait(ATTACK_SECONDS, MIN_REQUESTS)
        print_figures(name, harmed, watch, attacker)
        assert set(attacker.statuses()) <= attack.statuses | LIMITED
        return harmed, watch

    assert_harmless(run)
