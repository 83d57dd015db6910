"""Judge points one by one with the detector of a monitor, without SQL."""

from collections.abc import Callable, Sequence
from dataclasses import replace

from app.anomalies.streaming.detector import StreamDetector
from app.anomalies.streaming.stepper import WIDE_RATIO
from app.timeseries.calendar.defects import Defect
from app.watching.monitors.judging.event_ledger import EventLedger
from app.watching.monitors.settings.errors import PointErrors
from app.watching.monitors.settings.monitor_records import Point, PointStatus
from app.watching.monitors.settings.states import LearningReason, state_of
from app.watching.notices import Notices

_RELEARNS_AFTER_GAP_NOTICE = (
    "more than two seasons of points are missing, so learning has started again"
)
WIDE_BAND_NOTICE = (
    f"the band of some points is more than {WIDE_RATIO} times as wide as the values usually are, "
    "so only very large changes are reported: check the data_frequency, or send a larger "
    "false_alarm_rate"
)
_CHANGED_NOTICE = "the series has changed for good, so learning has started again"

Fit = Callable[[StreamDetector, int, Sequence[Point]], None]

# A skipped step takes a sixth of the time of a judged point: as long as 1,000 points, together.
MAX_SKIPPED_POINTS = 6_000
_TOO_MANY_MISSING = (
    f"more than {MAX_SKIPPED_POINTS} points are missing up to this one; send it and the following "
    "points in another request"
)


class PointJudge:
    """Judges the points of an append and updates the state of the monitor.

    Args:
        detector: The monitor's detector.
        newest: The index of the newest point, None before the first.
        is_learning: Whether that point's verdict was learning.
        reason: Why it learned last.
        stored: Stored points at the indices of the points sent, by index.
        ledger: Records the events.
        fit: Fits the detector to the points up to an index, given those that are not stored yet.

    Attributes:
        new: The points to store, in the order of arrival.
        notices: Short sentences for the client.
        relearned: How often learning restarted because the series had changed.
    """

    def __init__(
        self,
        detector: StreamDetector,
        *,
        newest: int | None,
        is_learning: bool,
        reason: LearningReason,
        stored: dict[int, Point],
        ledger: EventLedger,
        fit: Fit,
    ) -> None:
        self.detector, self.newest = detector, newest
        self.is_learning, self.reason = is_learning, reason
        self._stored, self._ledger, self._fit = stored, ledger, fit
        self.new: list[Point] = []
        self.notices = Notices()
        self.relearned = self._skipped = 0

    def judge(
        self, indices: Sequence[int], timestamps: Sequence[str], values: Sequence[float]
    ) -> list[Point]:
        """Judge points in the order sent; return them with their verdicts.

        Raise PointErrors if more steps are missing between them than one request may skip.
        """
        judged = []
        for number, point in enumerate(zip(indices, timestamps, values, strict=True)):
            before = self._skipped
            judged.append(self._judge_or_match(*point))
            # Steps before the first point are allowed: no request could avoid them.
            if number > 0 and self._skipped > max(before, MAX_SKIPPED_POINTS):
                raise PointErrors([Defect(number, _TOO_MANY_MISSING)])
        return judged

    def _judge_or_match(self, index: int, timestamp: str, value: float) -> Point:
        stored = self._stored.get(index)
        if stored is not None:
            is_same = stored.value == value
            return replace(
                stored, status=PointStatus.DUPLICATE if is_same else PointStatus.CONFLICT
            )
        if self.newest is not None and index < self.newest:
            point = Point(index, timestamp, value, PointStatus.LATE)
        else:
            point = self._judge(index, timestamp, value)
        self._stored[index] = point
        self.new.append(point)
        return point

    def _judge(self, index: int, timestamp: str, value: float) -> Point:
        if self.newest is not None:
            if self.detector.needs_fit:
                self._fit(self.detector, self.newest, self.new)
            if index > self.newest + 1:
                self._skip(self.newest, index - self.newest - 1)
        self._ledger.end_overdue(index)
        verdict = self.detector.update(value)
        if verdict.event is not None:
            self._ledger.record_update(
                verdict.event, index, self.newest, abs(value - verdict.expected), verdict.expected
            )
        if verdict.needs_relearning:
            self.relearned += 1
            self.reason = LearningReason.CHANGED
            self.notices.add(_CHANGED_NOTICE)
        if verdict.is_band_wide:
            self.notices.add(WIDE_BAND_NOTICE)
        self.newest = index
        self.is_learning = verdict.is_learning or verdict.needs_relearning
        self._ledger.finish(state_of(self.is_learning, self._ledger.anomaly_event is not None))
        return Point(
            index=index,
            timestamp=timestamp,
            value=value,
            status=PointStatus.LEARNING if verdict.is_learning else PointStatus.JUDGED,
            is_anomaly=verdict.is_anomaly,
            expected=verdict.expected,
            lower=verdict.lower,
            upper=verdict.upper,
            p_value=verdict.p_value,
            severity=verdict.severity,
        )

    def _skip(self, newest: int, missing: int) -> None:
        must_relearn = missing > self.detector.max_gap_steps
        self._skipped += 0 if must_relearn else missing
        update = self.detector.skip(missing)
        if update is not None:
            self._ledger.record_update(update, newest + 1, newest)
        if must_relearn:
            self.reason = LearningReason.GAP
            self.notices.add(_RELEARNS_AFTER_GAP_NOTICE)
