"""Request fields that set how strict the detector is: the false alarm rate and the direction."""

from marshmallow import validate

from app.anomalies.results import Direction
from app.api.fields import StrictChoice, StrictNumber

MIN_FALSE_ALARM_RATE, DEFAULT_FALSE_ALARM_RATE, MAX_FALSE_ALARM_RATE = 0.0001, 0.001, 0.1


class RateField(StrictNumber):
    """The false alarm rate."""

    def __init__(self) -> None:
        issue = (
            f"Must be between {MIN_FALSE_ALARM_RATE} and {MAX_FALSE_ALARM_RATE}: a fraction, "
            "not a percentage; send 0.01 for 1 %, 0.05 for 5 %"
        )
        super().__init__(
            load_default=DEFAULT_FALSE_ALARM_RATE,
            validate=validate.Range(MIN_FALSE_ALARM_RATE, MAX_FALSE_ALARM_RATE, error=issue),
            metadata={
                "description": "The fraction of points of a clean series that may be flagged: "
                "0.001 is one in a thousand."
            },
        )


class DirectionField(StrictChoice):
    """The sides of the band on which a point can be an anomaly."""

    def __init__(self) -> None:
        super().__init__(
            list(Direction),
            "unknown direction",
            load_default=str(Direction.BOTH),
            metadata={"description": "On which sides of the band a point is an anomaly."},
        )
