"""What counts the calls of a process: a request leaves a note, a thread sums them up and writes."""

import logging
import random
import threading
import time
from collections import Counter, deque

from flask import Flask
from sqlalchemy import Engine
from sqlalchemy.exc import DBAPIError, SQLAlchemyError

from app.database import db
from app.usage.sweep import sweep
from app.usage.tally import Call, Tally
from app.usage.writing import write

logger = logging.getLogger(__name__)

EXTENSION = "usage"
# What a process that is killed loses is at most this old, with the time that a write takes.
FLUSH_SECONDS = 5.0
SWEEP_SECONDS = 3_600.0
# Calls between two looks of the thread, of which there are a few thousand at most; where no thread
# runs, as in a command, the oldest go.
MOST_WAITING = 100_000


class Flusher:
    """Counts calls and writes the counts to the database of ``engine``.

    `start` is called in each process that answers requests, after it has been forked.
    """

    def __init__(self, engine: Engine, every: float = FLUSH_SECONDS) -> None:
        self._engine = engine
        self._every = every
        self._waiting: deque[Call] = deque(maxlen=MOST_WAITING)
        # What a request calls: it takes no lock, asks nothing of the database, cannot fail.
        self.count = self._waiting.append
        self._tally = Tally()
        self._writing = threading.Lock()
        self._stopping = threading.Event()
        self._thread: threading.Thread | None = None
        self._failing = False

    def start(self) -> None:
        """Write every few seconds from now on."""
        self._thread = threading.Thread(target=self._run, name="usage", daemon=True)
        self._thread.start()

    def stop(self) -> None:
        """End the thread and write what has been counted until now, if the database takes it."""
        self._stopping.set()
        if self._thread is not None:
            self._thread.join()
        self._flush_or_log()
        if self._tally:
            logger.error("usage that was counted since the database failed is lost")

    def flush(self) -> None:
        """Write what has been counted until now.

        Raises:
            sqlalchemy.exc.SQLAlchemyError: The database failed; the counts are kept.
        """
        with self._writing:
            noted = Counter(self._waiting.popleft() for _ in range(len(self._waiting)))
            for call, times in noted.items():
                self._tally.add(call, times)
            if self._tally:
                write(self._engine, self._tally)

    def _run(self) -> None:
        # Not all processes at once, nor each whenever it starts.
        next_sweep = time.monotonic() + random.uniform(0, SWEEP_SECONDS)
        while not self._stopping.wait(self._every):
            self._flush_or_log()
            if time.monotonic() >= next_sweep:
                next_sweep = time.monotonic() + SWEEP_SECONDS
                self._sweep_or_log()

    def _flush_or_log(self) -> None:
        """Flush; log that the database fails, once, and that it no longer does."""
        try:
            self.flush()
        except SQLAlchemyError as error:
            if not self._failing:
                logger.error(
                    "usage is counted in memory until the database is back: %s", _of(error)
                )
            self._failing = True
        except Exception:
            logger.exception("unexpected error while usage was written")
        else:
            if self._failing:
                logger.warning("the database is back; usage has been written")
            self._failing = False

    def _sweep_or_log(self) -> None:
        try:
            sweep(self._engine, time.time(), self._stopping.is_set)
        except SQLAlchemyError as error:
            logger.warning("old usage could not be removed: %s", _of(error))
        except Exception:
            logger.exception("unexpected error while old usage was removed")


def _of(error: SQLAlchemyError) -> str:
    return str(error.orig if isinstance(error, DBAPIError) else error).strip().split("\n")[0]


def init_usage(app: Flask) -> None:
    """Give ``app`` a flusher, which nobody has started."""
    with app.app_context():
        app.extensions[EXTENSION] = Flusher(db.engine)


def flusher_of(app: Flask) -> Flusher:
    """Return the flusher of ``app``."""
    flusher: Flusher = app.extensions[EXTENSION]
    return flusher
