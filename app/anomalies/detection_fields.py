"""The settings of a detector as every record that has them describes them."""

from typing import Any

from app.anomalies.results import (
    DEFAULT_FALSE_ALARM_RATE,
    MAX_FALSE_ALARM_RATE,
    MIN_FALSE_ALARM_RATE,
    Direction,
)

# Arguments of `described_field`.
FALSE_ALARM_RATE: dict[str, Any] = {
    "description": "The fraction of points of a clean series that may be flagged: "
    "0.001 is one in a thousand.",
    "minimum": MIN_FALSE_ALARM_RATE,
    "maximum": MAX_FALSE_ALARM_RATE,
    "issue": f"Must be between {MIN_FALSE_ALARM_RATE} and {MAX_FALSE_ALARM_RATE}: a fraction, "
    "not a percentage; send 0.01 for 1 %, 0.05 for 5 %",
    "default": DEFAULT_FALSE_ALARM_RATE,
    "label": "False alarm rate",
    "hint": "Of points: 0.001 is 1 in 1,000.",
}
DIRECTION: dict[str, Any] = {
    "description": "On which sides of the band a point is an anomaly.",
    "default": Direction.BOTH,
    "label": "Alert on values",
}
