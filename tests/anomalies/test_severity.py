"""The severity grows with the evidence and stays below 100."""

import itertools

import pytest

from app.anomalies.results import HALF_SEVERITY_EVIDENCE, severity_of


def test_enough_evidence_is_the_severity_that_is_sent_by_default() -> None:
    assert severity_of(0.0) == 0.0
    assert severity_of(HALF_SEVERITY_EVIDENCE) == 50.0
    assert severity_of(2 * HALF_SEVERITY_EVIDENCE) == 75.0


def test_more_evidence_is_always_more_severe() -> None:
    severities = [severity_of(evidence) for evidence in (1, 3, 5.7, 5.9, 12, 40, 100, 200, 250)]
    assert all(a < b for a, b in itertools.pairwise(severities))


@pytest.mark.parametrize("evidence", [300.0, 1e4, 1e300])
def test_no_severity_is_100(evidence: float) -> None:
    assert severity_of(250.0) <= severity_of(evidence) < 100.0
