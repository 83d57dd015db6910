"""Evidence: what opens an event, continues it and closes it."""

import numpy as np
import pytest

from app.anomalies.results import EventKind
from app.anomalies.streaming.evidence import Evidence
from app.anomalies.streaming.statistics import Sign
from app.anomalies.streaming.verdict import Closing, Stage

USUAL = [0.8, 0.4]
SPIKE, FLAT = Sign(0.0, EventKind.SPIKE, True), Sign(0.0, EventKind.FLAT, True)


def settled(usual: list[float], points: int = 2000) -> Evidence:
    evidence = Evidence()
    for _ in range(points):
        evidence.weigh(usual)
        assert evidence.follow(SPIKE, 0.0, False) is None
    return evidence


def opens(evidence: Evidence, improbabilities: list[float], points: int = 3) -> bool:
    for _ in range(points):
        evidence.weigh(improbabilities)
        if evidence.follow(SPIKE, 0.0, False):
            return True
    return False


def test_two_improbable_statistics_open_an_event_and_one_does_not() -> None:
    assert opens(settled(USUAL), [6.0, 5.0])
    assert not opens(settled(USUAL), [5.0, 0.0])


def test_a_restless_series_needs_more_evidence() -> None:
    assert opens(settled(USUAL), [4.0, 3.5])
    assert not opens(settled([1.4, 1.2]), [4.0, 3.5])


def test_few_points_need_more_evidence() -> None:
    assert not opens(settled(USUAL, 100), [4.0, 3.5])


def test_one_point_beyond_doubt_opens_an_event_at_any_time() -> None:
    evidence = settled(USUAL, 1)
    evidence.weigh([9.0])
    news = evidence.follow(SPIKE, 75.0, False)
    assert news
    assert news.stage is Stage.OPENED
    assert news.severity == 75.0


def test_evidence_that_stays_is_new_once_alone() -> None:
    evidence = settled(USUAL)
    seen = [evidence.weigh([6.0, 6.0]) for _ in range(60)]
    assert np.argmax(seen) < 10
    assert max(seen[20:]) < 0.2 * max(seen)


def test_an_event_ends_after_quiet_points_and_tells_where_it_was_gravest() -> None:
    evidence = settled(USUAL)
    news = []
    for severity in [50.0, 90.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0]:
        evidence.weigh([severity / 10] * 2 if severity else [0.0])
        news.append(evidence.follow(SPIKE, severity, False))
    stages = [each.stage for each in news if each]
    assert stages == [Stage.OPENED, *[Stage.CONTINUES] * (len(stages) - 2), Stage.CLOSED]
    last = [each for each in news if each][-1]
    assert last.closing is Closing.ENDED
    assert (last.severity, last.started - last.peak) == (90.0, 1)


@pytest.mark.parametrize(("sign", "kind"), [(SPIKE, EventKind.LEVEL_SHIFT), (FLAT, EventKind.FLAT)])
def test_a_believed_level_closes_the_event_as_the_new_level(sign: Sign, kind: EventKind) -> None:
    evidence = settled(USUAL)
    evidence.weigh([9.0, 9.0])
    assert evidence.follow(sign, 60.0, False)
    evidence.weigh([9.0, 9.0])
    news = evidence.follow(sign, 60.0, True)
    assert news
    assert (news.kind, news.closing) == (kind, Closing.NEW_LEVEL)


def test_a_forgotten_event_is_over_and_what_is_usual_stays() -> None:
    evidence = settled([1.4, 1.2])
    evidence.weigh([9.0, 9.0])
    assert evidence.follow(SPIKE, 60.0, False)
    usual = evidence.usual
    evidence.forget_event()
    evidence.weigh([1.4, 1.2])
    assert evidence.follow(SPIKE, 0.0, False) is None
    assert evidence.usual == pytest.approx(usual, rel=0.01)
