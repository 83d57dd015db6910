"""An attack is not harmless if requests fail, or are slow on an idle machine."""

import subprocess
import sys
from collections import Counter
from collections.abc import Iterable
from unittest.mock import Mock

import pytest

from tests.edge.attacks.attacked import MAX_ATTACKS, assert_harmless
from tests.support.honest_traffic import Victim
from tests.support.process_usage import MachineTime, ProcessWatch, machine_time

IDLE, BUSY = 0.02, 0.5


def victim(seconds: float = 0.1, failed: int = 0) -> Victim:
    """Return a victim with these figures."""
    seen = Mock(spec=Victim)
    seen.failures.return_value = {"forecasts": Counter({503: failed})} if failed else {}
    seen.p99.return_value = {"forecasts": seconds}
    return seen


QUICK, SLOW, FAILED = victim(), victim(seconds=9.0), victim(failed=1)


def attack(monkeypatch: pytest.MonkeyPatch, victims: Iterable[Victim], others: float) -> int:
    """Attack these in turn while others use a share of the CPUs; return how often."""
    monkeypatch.setattr(MachineTime, "share_of_others", lambda _before: others)
    seen, left = [], iter(victims)

    def run() -> tuple[Victim, ProcessWatch]:
        seen.append(next(left))
        return seen[-1], ProcessWatch()

    assert_harmless(run)
    return len(seen)


@pytest.mark.parametrize(
    ("victims", "others"),
    [
        ([FAILED, QUICK], IDLE),
        ([FAILED, QUICK], BUSY),
        ([SLOW, FAILED, QUICK], BUSY),
        ([SLOW, QUICK], IDLE),
        ([SLOW] * MAX_ATTACKS + [QUICK], BUSY),
    ],
    ids=["failed, idle", "failed, busy", "failed in a second try", "slow, idle", "always slow"],
)
def test_an_attack_that_harms_does_not_pass_by_another_try(
    monkeypatch: pytest.MonkeyPatch, victims: list[Victim], others: float
) -> None:
    with pytest.raises((AssertionError, pytest.fail.Exception)):
        attack(monkeypatch, victims, others)


def test_times_are_measured_again_only_on_a_busy_machine(monkeypatch: pytest.MonkeyPatch) -> None:
    assert attack(monkeypatch, [QUICK], IDLE) == 1
    assert attack(monkeypatch, [SLOW, QUICK], BUSY) == 2


def test_the_work_of_processes_that_have_ended_is_not_the_work_of_others() -> None:
    before = machine_time()
    work = "import time\nwhile time.process_time() < 0.3: pass"
    subprocess.run([sys.executable, "-S", "-c", work], check=True)
    assert machine_time().own - before.own > 25
    assert before.share_of_others() < 1
