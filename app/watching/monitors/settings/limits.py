"""The limit of a monitor, announced before a value exceeds it."""

import datetime as dt
import json
from dataclasses import asdict, dataclass
from typing import Any

from app.core.record_fields import described_field

MAX_HORIZON_STEPS = 1_000
DEFAULT_PROBABILITY = 0.8
_MAX_LIMIT = 1e100  # the largest magnitude of a limit, as of values
_EVALUATIONS_PER_HORIZON = 12
_MAX_INTERVAL = dt.timedelta(hours=1)

_MAGNITUDE: dict[str, Any] = {
    "minimum": -_MAX_LIMIT,
    "maximum": _MAX_LIMIT,
    "issue": f"Must be a number of magnitude {_MAX_LIMIT:g} or less, or null",
    "default": None,
}


@dataclass(frozen=True)
class Limit:
    """The bounds that values should stay within, and how far ahead a breach is announced."""

    upper: float | None = described_field(
        "Values above it are beyond the limit, in the values' unit; null: no upper limit.",
        examples=[95],
        **_MAGNITUDE,
        label="Upper limit",
        hint="An event opens before values are above it. Empty: none.",
    )
    lower: float | None = described_field(
        "Values below it are beyond the limit, in the values' unit; null: no lower limit.",
        **_MAGNITUDE,
        label="Lower limit",
        hint="An event opens before values are below it. Empty: none.",
    )
    horizon: int = described_field(
        "Steps that are forecast.",
        minimum=1,
        maximum=MAX_HORIZON_STEPS,
        examples=[72],
        default=72,
        label="Steps ahead",
        hint=f"How far the forecast reaches, at most {MAX_HORIZON_STEPS:,}.",
    )
    probability: float = described_field(
        "An event `limit_ahead` opens when the probability of a value beyond the limit reaches "
        "this at some step of the horizon.",
        minimum=0.01,
        maximum=0.99,
        default=DEFAULT_PROBABILITY,
        label="Probability",
        hint="At which the event opens: 0.8 is 80 %.",
    )

    def is_beyond(self, value: float) -> bool:
        return self.is_above(value) or (self.lower is not None and value < self.lower)

    def is_above(self, value: float) -> bool:
        return self.upper is not None and value > self.upper

    def evaluation_interval(self, step: dt.timedelta) -> dt.timedelta:
        """Return the time between two forecasts: a twelfth of the horizon.

        It is an hour at most, but at least the ``step`` between two points.
        """
        return max(step, min(step * self.horizon / _EVALUATIONS_PER_HORIZON, _MAX_INTERVAL))


def serialize_limit(limit: Limit | None) -> str | None:
    return None if limit is None else json.dumps(asdict(limit))


def parse_limit(text: str | None) -> Limit | None:
    return None if text is None else Limit(**json.loads(text))


LIMIT_KEYWORDS: dict[str, Any] = {
    "description": "Limit that values should not pass. While the forecast of the stored points "
    "passes it, an event `limit_ahead` is open; null: none.",
    "default": None,
}
