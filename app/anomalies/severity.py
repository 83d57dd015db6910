"""Severity: a rank from 0 to 100, comparable between series."""

import math

HALF_SEVERITY_EVIDENCE = 5.6
"""Evidence of severity 50: more than what chance alone flags at the usual rate."""

_MAX_SEVERITY = math.nextafter(100.0, 0.0)


def severity_of(evidence: float) -> float:
    """Return 0 to 100, never quite 100: 50 at ``HALF_SEVERITY_EVIDENCE``, 75 at twice as much.

    ``evidence`` is -log10 of a p-value, or an equivalent.
    """
    return min(_MAX_SEVERITY, 100.0 - 100.0 * math.exp2(-evidence / HALF_SEVERITY_EVIDENCE))
