"""Count the calls of a process: requests append to a queue, a thread sums and writes them."""

import logging
import random
import threading
import time
from collections import Counter, deque

from sqlalchemy import Engine
from sqlalchemy.exc import SQLAlchemyError

from app.core.database.engine import error_line
from app.identity.usage.sweep import sweep_usage
from app.identity.usage.tally import RecordedCall, Tally
from app.identity.usage.writer import write_tally
from app.timeseries.seconds import HOUR_SECONDS

logger = logging.getLogger(__name__)

# A killed process loses at most the calls of this time and of one write.
_FLUSH_SECONDS = 5.0
USAGE_SWEEP_SECONDS = float(HOUR_SECONDS)
# More than the few thousand calls between two runs of the thread; without a thread, as in a
# command, the oldest calls are dropped.
MAX_WAITING_CALLS = 100_000


class Flusher:
    """Counts calls and writes the counts to the database of ``engine``.

    `start` is called in each process that serves requests, after the fork.
    """

    def __init__(self, engine: Engine, interval_seconds: float = _FLUSH_SECONDS) -> None:
        self._engine = engine
        self._interval_seconds = interval_seconds
        self._waiting: deque[RecordedCall] = deque(maxlen=MAX_WAITING_CALLS)
        # Called by requests: takes no lock, does not use the database, cannot fail.
        self.record = self._waiting.append
        self._tally = Tally()
        self._write_lock = threading.Lock()
        self._stopping = threading.Event()
        self._thread: threading.Thread | None = None
        self._is_failing = False

    def start(self) -> None:
        """Start writing every few seconds."""
        self._thread = threading.Thread(target=self._run, name="usage", daemon=True)
        self._thread.start()

    def stop(self) -> None:
        """Stop the thread and write the remaining counts, if the database is available."""
        self._stopping.set()
        if self._thread is not None:
            self._thread.join()
        self._flush_or_log()
        if self._tally:
            logger.error("usage counted since the database failed is lost")

    def flush(self) -> None:
        """Move the counts to the database; keep them and raise SQLAlchemyError if it fails."""
        with self._write_lock:
            counts = Counter(self._waiting.popleft() for _ in range(len(self._waiting)))
            for call, times in counts.items():
                self._tally.add(call, times)
            if self._tally:
                write_tally(self._engine, self._tally)

    def _run(self) -> None:
        # Spread over processes, independent of when they start.
        next_sweep = time.monotonic() + random.uniform(0, USAGE_SWEEP_SECONDS)
        while not self._stopping.wait(self._interval_seconds):
            self._flush_or_log()
            if time.monotonic() >= next_sweep:
                next_sweep = time.monotonic() + USAGE_SWEEP_SECONDS
                self._sweep_or_log()

    def _flush_or_log(self) -> None:
        """Flush; log once that the database fails, and that it has recovered."""
        try:
            self.flush()
        except SQLAlchemyError as error:
            if not self._is_failing:
                logger.error(
                    "usage is kept in memory until the database is available: %s", error_line(error)
                )
            self._is_failing = True
        except Exception:  # the thread must outlive an error
            logger.exception("unexpected error while writing usage")
        else:
            if self._is_failing:
                logger.warning("the database is available again; usage has been written")
            self._is_failing = False

    def _sweep_or_log(self) -> None:
        try:
            sweep_usage(self._engine, time.time(), self._stopping.is_set)
        except SQLAlchemyError as error:
            logger.warning("old usage could not be deleted: %s", error_line(error))
        except Exception:  # the thread must outlive an error
            logger.exception("unexpected error while deleting old usage")
