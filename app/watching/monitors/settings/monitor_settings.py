"""What clients set of a monitor."""

import datetime as dt
from dataclasses import dataclass

from app.anomalies.results import (
    DEFAULT_FALSE_ALARM_RATE,
    MAX_FALSE_ALARM_RATE,
    MIN_FALSE_ALARM_RATE,
    Direction,
)
from app.core.record_fields import NAME_METADATA, described_field
from app.timeseries.calendar.frequency import UNITS, Frequency
from app.watching.monitors.settings.limits import LIMIT_KEYWORDS, Limit

# Points flagged by chance at the default false alarm rate are below this severity.
_DEFAULT_ALERT_SEVERITY = 50.0

_MAX_STEP = 10_000

_MAX_ALERT_STEPS = 1_000


@dataclass(frozen=True)
class GridSettings:
    """The step between the points of a monitor."""

    data_frequency: Frequency = described_field(
        "Unit of the step between two points.", issue="invalid frequency", label="Unit"
    )
    step: int = described_field(
        "Units of `data_frequency` between two points: 5 for five-minute data.",
        minimum=1,
        maximum=_MAX_STEP,
        issue=f"Must be between 1 and {_MAX_STEP}",
        default=1,
        label="Units between two points",
        hint="5 for five-minute data.",
    )


@dataclass(frozen=True)
class DetectorSettings:
    """How strict the detector of a series is."""

    false_alarm_rate: float = described_field(
        "The fraction of points of a clean series that may be flagged: 0.001 is one in a thousand.",
        minimum=MIN_FALSE_ALARM_RATE,
        maximum=MAX_FALSE_ALARM_RATE,
        issue=f"Must be between {MIN_FALSE_ALARM_RATE} and {MAX_FALSE_ALARM_RATE}: a fraction, "
        "not a percentage; send 0.01 for 1 %, 0.05 for 5 %",
        default=DEFAULT_FALSE_ALARM_RATE,
        label="False alarm rate",
        hint="Of points: 0.001 is 1 in 1,000.",
    )
    direction: Direction = described_field(
        "On which sides of the band a point is an anomaly.",
        default=Direction.BOTH,
        label="Alert on values",
    )


@dataclass(frozen=True)
class AlertSettings(DetectorSettings):
    """Which points are anomalies and which events are alerts: of a monitor, and of a query.

    ``webhook`` is None in settings that a point is judged by.
    """

    webhook: str | None = described_field(
        "Name of the webhook that alerts are sent to, which "
        "`PUT /webhooks/{name}` creates; null: none.",
        examples=["ops"],
        default=None,
        **NAME_METADATA,
        label="Webhook",
    )
    alert_severity: float = described_field(
        "Only events of at least this severity are alerts. Points flagged by chance stay "
        "below 50 at the default false alarm rate; 75 is twice that evidence; 0: all events.",
        minimum=0,
        maximum=100,
        default=_DEFAULT_ALERT_SEVERITY,
        label="Minimum severity",
        hint="0 to 100. 50 is more than chance reaches.",
    )
    alert_min_deviation: float = described_field(
        "Only events whose value at the peak is at least this far from the "
        "expected one are alerts, in the values' unit.",
        minimum=0,
        issue="Must be 0 or more, in the unit of the values",
        default=0.0,
        label="Minimum difference",
        hint="From the expected value, in the unit of the values: what would matter to you.",
    )
    muted_until: dt.datetime | None = described_field(
        "Nothing is sent before this time; null: not muted.", default=None
    )
    limit: Limit | None = described_field(**LIMIT_KEYWORDS)
    alert_for: int = described_field(
        "Only events that last at least this number of steps are alerts, from the step "
        "on at which they do.",
        minimum=1,
        maximum=_MAX_ALERT_STEPS,
        issue=f"Must be between 1 and {_MAX_ALERT_STEPS:,}",
        default=1,
        label="Steps that it lasts",
        hint="1: immediately.",
    )
    alert_min_relative: float = described_field(
        "Only events whose value at the peak is at least this fraction of the expected "
        "value away from it are alerts: 0.5 means 50 % above or below it.",
        minimum=0,
        issue="Must be 0 or more: a fraction, not a percentage; send 0.5 for 50 %",
        default=0.0,
        label="Minimum relative difference",
        hint="Fraction of the expected value: 0.5 is 50 %.",
    )


@dataclass(frozen=True)
class MonitorSettings(AlertSettings, GridSettings):
    """What clients set of a monitor."""

    @property
    def has_days(self) -> bool:
        """Whether a step is whole days or longer, so that timestamps are dates."""
        return UNITS[self.data_frequency].has_days

    def detector_arguments(
        self, periods: tuple[int, ...]
    ) -> tuple[tuple[int, ...], float, Direction]:
        """Return the arguments of `StreamDetector` for a series with seasonal ``periods``."""
        return periods, self.false_alarm_rate, self.direction

    def is_muted(self, now: dt.datetime) -> bool:
        return self.muted_until is not None and now < self.muted_until
