"""Fit the detector of a monitor to its stored points, in an engine process; restore a detector."""

import logging
from collections.abc import Sequence
from typing import Any

import numpy as np
from sqlalchemy import func, select

from app.anomalies.streaming.detector import StreamDetector
from app.anomalies.streaming.fit import MAX_LEARNED_POINTS
from app.compute.errors import EngineBusyError, EngineUnavailableError
from app.compute.jobs import ComputeEngine, Job, account_tenant
from app.core import instruments
from app.core.database import db
from app.core.database.engine import read_rows
from app.timeseries.types import FloatArray
from app.watching.monitors.judging.grid import MonitorGrid
from app.watching.monitors.settings.errors import NoSuchMonitorError
from app.watching.monitors.settings.monitor_records import Point
from app.watching.monitors.storage.row_conversion import POINTS, StoredMonitor

logger = logging.getLogger(__name__)

_FIT_JOB = Job(
    "app.anomalies.streaming.learning:learn_stream", noun="fit of a monitor", seconds_per_point=5e-6
)
LEARN_JOB = Job(
    "app.anomalies.streaming.learning:learn_history",
    noun="history",
    remedy="send the request again with a shorter history or none",
)


class DetectorFitter:
    """Fits the detector of one monitor of an account; seasonal ``periods`` are in steps."""

    def __init__(
        self, engine: ComputeEngine, account_id: int, monitor_id: int, periods: tuple[int, ...]
    ) -> None:
        self._engine = engine
        self._tenant = account_tenant(account_id)
        self._monitor_id, self._periods = monitor_id, periods

    def fit(self, detector: StreamDetector, newest: int, new: Sequence[Point]) -> None:
        """Fit to the points up to the one at ``newest``; ``new`` are not stored yet.

        A fit that fails keeps the last one; it is logged, counted and tried again soon. Raise
        NoSuchMonitorError if the monitor was deleted in the meantime, with its points.
        """
        values = self._values(newest, min(detector.learned_steps, MAX_LEARNED_POINTS), new)
        try:
            fitted = self._engine.run(
                _FIT_JOB,
                values,
                self._periods,
                detector.learning_context,
                cost=_FIT_JOB.cost(len(values)),
                tenant=self._tenant,
            )
        except (EngineBusyError, EngineUnavailableError) as error:
            logger.warning("a monitor keeps its last fit: %s", error)
        except Exception:  # the point must be judged all the same, by the last fit
            logger.exception("a monitor keeps its last fit")
        else:
            detector.learn(*fitted)
            return
        instruments.MONITOR_FIT_FAILURES.inc()
        detector.postpone_fit()

    def _values(self, newest: int, steps: int, new: Sequence[Point]) -> FloatArray:
        """Return the values of the latest steps, NaN where there is no point."""
        first = newest - steps + 1
        values = np.full(steps, np.nan)
        stored = select(POINTS.c.index, POINTS.c.value).where(
            POINTS.c.monitor_id == self._monitor_id, POINTS.c.index.between(first, newest)
        )
        points: list[Any] = [*read_rows(db.engine, stored)]
        points += [(point.index, point.value) for point in new if first <= point.index <= newest]
        if not points:
            raise NoSuchMonitorError
        indices, known_values = np.array(points).T
        values[indices.astype(int) - first] = known_values
        return values[int(indices.min()) - first :]


def stored_step_count(monitor_id: int) -> int:
    """Return the number of steps from the oldest to the newest point kept, 0 without points."""
    span = select(func.max(POINTS.c.index) - func.min(POINTS.c.index) + 1)
    ((steps,),) = read_rows(db.engine, span.where(POINTS.c.monitor_id == monitor_id))
    return steps or 0


def restore_detector(stored: StoredMonitor, grid: MonitorGrid) -> tuple[StreamDetector, bool]:
    """Return the detector of a monitor, and whether its state is from another release.

    Such a detector is fitted to the stored points before it judges the next one; no event is open.
    """
    settings = stored.settings.detector_arguments(grid.periods)
    if not stored.detector:
        return StreamDetector(*settings), False
    try:
        return StreamDetector.from_bytes(stored.detector, *settings), False
    except ValueError:
        return StreamDetector(*settings, time=stored_step_count(stored.id)), True
