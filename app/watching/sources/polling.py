"""Poll the queries that are due: read, judge the points, and record the result.

A query is ``waiting`` until a worker takes it, ``filling`` while its history is read and learned,
then ``live``; ``failing`` while its source cannot be read, ``refused`` with too many series.

Every step is judged once: ``read_to`` moves only after the points up to it are stored, a monitor
has one point for each step, and an interrupted poll is repeated. Only the oldest steps of an outage
are skipped, if there are more than a poll reads.
"""

import contextlib
import datetime as dt
import json
import random
import time
from typing import Any, NamedTuple

from app.compute.errors import EngineBusyError, EngineUnavailableError
from app.core.backoff import backoff_seconds, jitter_factor
from app.core.database import utcnow
from app.core.database.malformed import (
    MALFORMED_ERRORS,
    MALFORMED_PROBLEM,
    SKIP_SECONDS,
    MalformedRowError,
    log_bug,
    log_malformed,
)
from app.core.http.addresses import host_of
from app.core.http.errors import HttpError, UrlError
from app.watching.context import WatchingContext
from app.watching.models.sources import QueryState
from app.watching.monitors.settings.errors import BusyMonitorError
from app.watching.sources.backfill import TooManySeriesError, backfill_query
from app.watching.sources.client import PrometheusClient
from app.watching.sources.incremental import PollResult, poll_new_steps
from app.watching.sources.leases import Lease, LeaseLostError
from app.watching.sources.poll_slots import PollSlot, PollSlots, StoppedError
from app.watching.sources.query_states import failing_columns, state_columns
from app.watching.sources.source_records import UnreadableCredentialsError
from app.watching.sources.steps import newest_complete_step

_MIN_RETRY_SECONDS, _MAX_RETRY_SECONDS = 5.0, 300.0
_TOO_MANY_SERIES_RETRY_SECONDS = 300.0
_BUSY_RETRY_SECONDS = 2.0
_BUG_PROBLEM = "the service failed, and its log has the details"
SPREAD_FRACTION = 0.05  # of a step, over which polls are spread


class PollOutcome(NamedTuple):
    """The columns of the query that a poll changes, and fields for its log line."""

    columns: dict[str, Any]
    log_fields: dict[str, Any]


def poll_query(
    context: WatchingContext, lease: Lease, slot: PollSlot | None = None, *, is_manual: bool = False
) -> dict[str, Any]:
    """Poll a query; return the fields of its log line.

    ``slot`` has not been entered; None: there are no other polls. ``is_manual``: a command polls,
    and errors caused by the settings of its shell are not stored.
    """
    query = lease.query
    with slot or PollSlot(PollSlots(1), query.account_id) as used_slot:
        began = time.monotonic()
        log_fields: dict[str, Any] = {"query": query.name, "host": host_of(query.url)}
        try:
            outcome = _poll(context, lease, used_slot, is_manual)
            log_fields |= outcome.log_fields
            lease.update(leased_until=None, **outcome.columns)
            if problem := outcome.columns.get("problem"):
                log_fields["problem"] = problem
        except LeaseLostError:
            log_fields["problem"] = "another worker has taken over, or the query was changed"
        log_fields["milliseconds"] = round((time.monotonic() - began) * 1000)
        return log_fields


def _poll(context: WatchingContext, lease: Lease, slot: PollSlot, is_manual: bool) -> PollOutcome:
    query = lease.query
    try:
        return _read_new_steps(context, lease, slot)
    except TooManySeriesError as error:
        columns = state_columns(QueryState.REFUSED, str(error)) | {"series": error.series}
        pause = _TOO_MANY_SERIES_RETRY_SECONDS
    except (HttpError, UnreadableCredentialsError) as error:
        if is_manual and isinstance(error, UrlError | UnreadableCredentialsError):
            problem = f"by the settings of this shell: {error}"
            return PollOutcome({"next_poll_at": query.next_poll_at}, {"problem": problem})
        columns = failing_columns(query, str(error))
        pause = _retry_seconds(columns["failures"])
    except (BusyMonitorError, EngineUnavailableError, EngineBusyError) as error:
        retry_at = _seconds_from_now(_BUSY_RETRY_SECONDS)
        return PollOutcome({"next_poll_at": retry_at}, {"problem": str(error)})
    except MalformedRowError as error:
        if query.problem != MALFORMED_PROBLEM:
            log_malformed("source_queries", query.id, error)
        columns = failing_columns(query, MALFORMED_PROBLEM)
        pause = SKIP_SECONDS
    except MALFORMED_ERRORS as error:  # not of a row: a bug, which the other queries must survive
        if query.problem != _BUG_PROBLEM:
            log_bug("unexpected error in a poll", error, {"query": query.name})
        columns = failing_columns(query, _BUG_PROBLEM)
        pause = _retry_seconds(columns["failures"])
    except StoppedError:
        return PollOutcome({"next_poll_at": utcnow()}, {})
    columns |= {"polled_at": utcnow(), "next_poll_at": _seconds_from_now(pause)}
    return PollOutcome(columns, {})


def _read_new_steps(context: WatchingContext, lease: Lease, slot: PollSlot) -> PollOutcome:
    query = lease.query
    client = PrometheusClient(
        context.settings, query, network_wait=slot.wait, check=slot.raise_if_stopping
    )
    with contextlib.closing(client):
        offset = client.clock_offset_seconds()
        now = utcnow().timestamp() + offset
        end = newest_complete_step(now, query.step, query.delay)
        read_to = query.read_to
        result = PollResult(series_count=query.series)
        if read_to is None:
            result.series_count, result.created_count = backfill_query(
                context, lease, client, end, slot.pause
            )
            next_poll = now  # catch up what the history took
        else:
            if end > read_to:
                result = poll_new_steps(context, lease, client, read_to, end, slot.pause)
            spread = random.uniform(0, SPREAD_FRACTION * query.step)
            next_poll = max(end, read_to) + query.step + query.delay + spread
    columns = state_columns(QueryState.LIVE) | {
        "series": result.series_count,
        "notices": json.dumps(result.notices),
        "polled_at": utcnow(),
        "next_poll_at": dt.datetime.fromtimestamp(next_poll - offset, dt.UTC),
    }
    log_fields = {
        "series": result.series_count,
        "created": result.created_count,
        "points": result.point_count,
        "flagged": result.flagged_count,
    }
    return PollOutcome(columns, log_fields)


def _retry_seconds(failures: int) -> float:
    return backoff_seconds(failures, _MIN_RETRY_SECONDS, _MAX_RETRY_SECONDS) * jitter_factor()


def _seconds_from_now(seconds: float) -> dt.datetime:
    return utcnow() + dt.timedelta(seconds=seconds)
