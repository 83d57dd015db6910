"""The request bodies of Azure's Anomaly Detector, with its field names.

As in Azure, a null field counts as absent, unknown fields are ignored, and names are
case-insensitive.
"""

from dataclasses import dataclass, replace
from enum import StrEnum
from typing import Any

import numpy as np
from marshmallow import (
    EXCLUDE,
    Schema,
    ValidationError,
    post_load,
    pre_load,
    validate,
    validates_schema,
)

from app.api.dialects.azure_anomaly_detector.errors import MODEL_ARGUMENT, CodedIssue
from app.api.dialects.azure_anomaly_detector.grid import (
    MIN_PRESENT_FRACTION,
    Granularity,
    GranularityGrid,
    GridErrors,
    build_grid,
    grid_without_timestamps,
)
from app.api.dialects.azure_anomaly_detector.points import PointsField, timestamps_of
from app.api.requests.fields import StrictChoice, StrictInteger, StrictNumber
from app.api.series.columns import INSUFFICIENT
from app.core.integers import MAX_INT32
from app.timeseries.calendar.timestamps import TimestampErrors
from app.timeseries.types import MAX_MAGNITUDE, FloatArray

# The false alarm rates of three sensitivities; between them, rates are interpolated by logarithm.
# 85 is common (the default of Microsoft's function for Kusto) and maps to the default rate of
# POST /anomalies, 0 to the lowest rate there, 99 to one point in a hundred.
_SENSITIVITIES = (0, 85, 99)
_RATES = (0.0001, 0.001, 0.01)
_DEFAULT_SENSITIVITY = 85
_RATE_DIGITS = 3
_DEFAULT_ANOMALY_RATIO, _MAX_ANOMALY_RATIO = 0.25, 0.49
_MIN_WINDOW_POINTS = 3
# Names that other Microsoft clients use for a granularity.
_GRANULARITY_NAMES = {"perminute": "minutely", "persecond": "secondly"}


def false_alarm_rate(sensitivity: int) -> float:
    """Return the false alarm rate for a sensitivity from 0 to 99, to three digits."""
    rate = np.exp(np.interp(sensitivity, _SENSITIVITIES, np.log(_RATES)))
    return float(f"{rate:.{_RATE_DIGITS - 1}e}")


class ImputeMode(StrEnum):
    AUTO = "auto"
    PREVIOUS = "previous"
    LINEAR = "linear"
    FIXED = "fixed"
    ZERO = "zero"
    NOT_FILL = "notFill"


@dataclass(frozen=True)
class AzureDetectionRequest:
    """A valid request: values (n,) on a grid, and the settings of the detector.

    ``period`` is None if it is to be detected, 0 for none.
    """

    values: FloatArray
    granularity: Granularity
    grid: GranularityGrid
    period: int | None
    impute_mode: ImputeMode = ImputeMode.AUTO
    fixed_value: float = 0.0
    sensitivity: int = _DEFAULT_SENSITIVITY
    max_anomaly_ratio: float = _DEFAULT_ANOMALY_RATIO
    stable_trend_window: int | None = None
    threshold: float | None = None


class AnyCaseChoice(StrictChoice):
    """A choice in any case; names of granularities that other clients send are accepted, too."""

    def _deserialize(self, value: Any, attr: Any, data: Any, **kwargs: Any) -> str:
        if isinstance(value, str):
            lower = value.lower()
            lower = _GRANULARITY_NAMES.get(lower, lower)
            value = next((choice for choice in self.choices if choice.lower() == lower), value)
        return super()._deserialize(value, attr, data, **kwargs)


def _granularity_field(**options: Any) -> AnyCaseChoice:
    return AnyCaseChoice(
        list(Granularity),
        "unknown granularity",
        metadata={
            "description": "Unit of the step between points. `none`: timestamps are ignored."
        },
        **options,
    )


class SeriesRequestSchema(Schema):
    """The fields that all bodies share."""

    allows_others = True

    class Meta:
        unknown = EXCLUDE

    series = PointsField()
    granularity = _granularity_field(load_default=str(Granularity.NONE))
    customInterval = StrictInteger(
        load_default=1,
        validate=validate.Range(1, MAX_INT32, error="Must be a whole number of 1 or more"),
        metadata={"description": "Number of units in a step: 5 for five minutes."},
    )
    period = StrictInteger(
        validate=validate.Range(0, MAX_INT32, error="Must be a whole number of 0 or more"),
        metadata={"description": "The seasonal period in steps, 0 for none; absent: detected."},
    )

    @pre_load
    def unify_names(self, sent: dict[str, Any], **_kwargs: Any) -> dict[str, Any]:
        """Return the fields by their canonical names, without null ones."""
        names = {name.lower(): name for name in self.fields}
        return {
            names.get(name.lower(), name): value
            for name, value in sent.items()
            if value is not None
        }

    @validates_schema(skip_on_field_errors=True)
    def check_grid(self, data: dict[str, Any], **_kwargs: Any) -> None:
        """Check that timestamps are in order and on a grid, and that not too many are missing."""
        points = data["series"]
        granularity = Granularity(data["granularity"])
        if granularity is Granularity.NONE:
            grid = grid_without_timestamps(len(points.values))
        else:
            try:
                strings = timestamps_of(points)
                grid = build_grid(strings, granularity, data["customInterval"])
            except ValidationError as error:
                raise ValidationError({"series": error.messages}) from None
            except (GridErrors, TimestampErrors) as error:
                problems = {entry: {"timestamp": [issue]} for entry, issue in error.defects}
                raise ValidationError({"series": problems}) from None
            if data.get("imputeMode") == ImputeMode.NOT_FILL:
                grid = replace(grid, positions=np.arange(len(points.values)))
            _check_missing_points(grid)
        _check_period(grid, data.get("period"))
        data["grid"] = grid

    def common_arguments(self, data: dict[str, Any]) -> dict[str, Any]:
        return {
            "values": data["series"].values,
            "granularity": Granularity(data["granularity"]),
            "grid": data["grid"],
            "period": data.get("period"),
        }


def _check_missing_points(grid: GranularityGrid) -> None:
    present = len(grid.positions)
    if present < MIN_PRESENT_FRACTION * grid.length:
        index = int(np.diff(grid.positions).argmax()) + 1
        issue = (
            f"missing points: {present} of {grid.length} points {grid.step_text} apart were sent, "
            "at least half are needed; the longest gap is before this point; send the missing "
            "points, or another granularity or customInterval"
        )
        raise ValidationError({"series": {index: {"timestamp": [issue]}}})


def _check_period(grid: GranularityGrid, period: int | None) -> None:
    if period and grid.length < 2 * period + 1:
        issue = CodedIssue(
            MODEL_ARGUMENT,
            f"{INSUFFICIENT}: {grid.length} points, but over two periods of {period} are needed; "
            "send a longer history or a shorter period",
        )
        raise ValidationError({"period": [issue]})


class DetectRequestSchema(SeriesRequestSchema):
    maxAnomalyRatio = StrictNumber(
        load_default=_DEFAULT_ANOMALY_RATIO,
        validate=validate.Range(
            0,
            _MAX_ANOMALY_RATIO,
            min_inclusive=False,
            error=f"Must be above 0 and at most {_MAX_ANOMALY_RATIO}",
        ),
        metadata={
            "exclusiveMinimum": 0,
            "description": "Maximum fraction of points that may be anomalies: of more, only the "
            "most severe are kept, at least one.",
        },
    )
    sensitivity = StrictInteger(
        load_default=_DEFAULT_SENSITIVITY,
        validate=validate.Range(0, 99, error="Must be a whole number from 0 to 99"),
        metadata={
            "description": "Higher values give narrower margins and more anomalies: 0, 85 and 99 "
            "are false alarm rates of 0.0001, 0.001 and 0.01, with logarithmic interpolation in "
            "between."
        },
    )
    imputeMode = AnyCaseChoice(
        list(ImputeMode),
        "unknown mode",
        load_default=str(ImputeMode.AUTO),
        metadata={
            "description": "How missing points are filled: `auto` and `linear` by linear "
            "interpolation, `previous` with the value before, `zero` with 0, `fixed` with "
            "`imputeFixedValue`; `notFill` treats the points as if none were missing."
        },
    )
    imputeFixedValue = StrictNumber(
        validate=validate.Range(
            -MAX_MAGNITUDE, MAX_MAGNITUDE, error=f"Must be within ±{MAX_MAGNITUDE:g}"
        ),
        metadata={"description": "The value for `imputeMode` `fixed`."},
    )

    @validates_schema(skip_on_field_errors=True)
    def check_fixed_value(self, data: dict[str, Any], **_kwargs: Any) -> None:
        if data["imputeMode"] == ImputeMode.FIXED and data.get("imputeFixedValue") is None:
            issue = "Must be a number if imputeMode is fixed; send one, or another imputeMode"
            raise ValidationError({"imputeFixedValue": [issue]})

    @post_load
    def make_request(self, data: dict[str, Any], **_kwargs: Any) -> AzureDetectionRequest:
        return AzureDetectionRequest(
            **self.common_arguments(data),
            impute_mode=ImputeMode(data["imputeMode"]),
            fixed_value=data.get("imputeFixedValue") or 0.0,
            sensitivity=data["sensitivity"],
            max_anomaly_ratio=data["maxAnomalyRatio"],
        )


class ChangePointRequestSchema(SeriesRequestSchema):
    granularity = _granularity_field(required=True)
    stableTrendWindow = StrictInteger(
        validate=validate.Range(
            _MIN_WINDOW_POINTS, MAX_INT32, error=f"Must be {_MIN_WINDOW_POINTS} or more"
        ),
        metadata={
            "description": "Minimum number of steps that a level lasts, up to the next change or "
            "the end; less than half of the series."
        },
    )
    threshold = StrictNumber(
        validate=validate.Range(0, 1, error="Must be between 0 and 1"),
        metadata={
            "description": "Lower values give fewer change points: those with a p-value of at most "
            "10^(-20 (1 - threshold) / threshold). Absent: all detected."
        },
    )

    @validates_schema(skip_on_field_errors=True)
    def check_window(self, data: dict[str, Any], **_kwargs: Any) -> None:
        window = data.get("stableTrendWindow")
        points = len(data["series"].values)
        if window is not None and 2 * window >= points:
            issue = f"Must be less than half of the {points} points; send a shorter window"
            raise ValidationError({"stableTrendWindow": [issue]})

    @post_load
    def make_request(self, data: dict[str, Any], **_kwargs: Any) -> AzureDetectionRequest:
        return AzureDetectionRequest(
            **self.common_arguments(data),
            stable_trend_window=data.get("stableTrendWindow"),
            threshold=data.get("threshold"),
        )
