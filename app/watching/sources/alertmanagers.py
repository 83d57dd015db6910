"""Send alerts to Alertmanagers, and record which of them do not accept them."""

import asyncio
import datetime as dt
import json
import logging
import random
import time
from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from typing import Any, NamedTuple

import orjson
from sqlalchemy import select, update

from app.core.database import db, iso_string
from app.core.database.engine import read_rows
from app.core.database.malformed import skipped_rows
from app.core.http.addresses import Network, check_url, host_of
from app.core.http.client import HttpClient
from app.core.http.errors import HttpError
from app.watching.models.sources import SOURCES
from app.watching.sources.source_records import SOURCE_URLS, AlertmanagerFailure

logger = logging.getLogger(__name__)

_ALERTS_PATH = "/api/v2/alerts"
MAX_NOTIFY_SECONDS = 5.0
ACCOUNT_SECONDS = 10.0  # then no further request of the account begins
MAX_ACCOUNTS = 32  # accounts whose Alertmanagers are notified at the same time

Alert = dict[str, Any]


class AlertRequest(NamedTuple):
    """The alerts of a source for one of its Alertmanagers; an empty list tests the connection."""

    account_id: int
    source_id: int
    url: str
    alerts: Sequence[Alert]


class AlertResult(NamedTuple):
    """The outcome of a request: ``problem`` is why it failed; None if it was accepted.

    ``is_skipped``: there was no time left for it.
    """

    request: AlertRequest
    problem: str | None
    is_skipped: bool = False


async def send_alerts(
    requests: Iterable[AlertRequest], allowed: Sequence[Network]
) -> list[AlertResult]:
    """Send all requests; the requests of one account follow one another.

    An account has bounded seconds, so that Alertmanagers that hang delay no other account's.
    """
    requests_by_account: dict[int, list[AlertRequest]] = defaultdict(list)
    for request in requests:
        requests_by_account[request.account_id].append(request)
    accounts = asyncio.Semaphore(MAX_ACCOUNTS)
    client = HttpClient(SOURCE_URLS, allowed)

    async def send_account(account_requests: list[AlertRequest]) -> list[AlertResult]:
        """Send an account's requests in an order that differs each time."""
        async with accounts:
            until = time.monotonic() + ACCOUNT_SECONDS
            return [
                AlertResult(request, "no time was left", is_skipped=True)
                if time.monotonic() > until
                else await _send(client, request, allowed)
                for request in random.sample(account_requests, len(account_requests))
            ]

    try:
        by_account = await asyncio.gather(*map(send_account, requests_by_account.values()))
    finally:
        await client.close()
    return [result for results in by_account for result in results]


def record_results(results: Iterable[AlertResult], now: dt.datetime) -> None:
    """Record which Alertmanagers fail, and since when; write only what has changed."""
    by_source: dict[int, dict[str, str | None]] = defaultdict(dict)
    for request, problem, is_skipped in results:
        if not is_skipped:
            problems = by_source[request.source_id]
            problems[request.url] = problems.get(request.url) or problem
    columns = SOURCES.c["id", "alertmanagers", "alertmanager_problems"]
    query = select(*columns).where(SOURCES.c.id.in_(by_source))
    changed = {}
    for row in read_rows(db.engine, query):
        with skipped_rows(SOURCES.name).skip_if_malformed(row.id):
            text = _problems_text(row, by_source[row.id], now)
            if text != row.alertmanager_problems:
                changed[row.id] = text
    for source_id, text in changed.items():
        change = update(SOURCES).where(SOURCES.c.id == source_id)
        with db.engine.begin() as connection:
            connection.execute(change.values(alertmanager_problems=text))


def failing_alertmanagers(row: Any) -> list[AlertmanagerFailure]:
    """Return the failures in a row with ``alertmanagers`` and ``alertmanager_problems``.

    Alertmanagers that the source no longer has are left out.
    """
    problems = json.loads(row.alertmanager_problems)
    return [
        AlertmanagerFailure(
            url=url,
            problem=problems[url]["problem"],
            failing_since=dt.datetime.fromisoformat(problems[url]["failing_since"]),
        )
        for url in json.loads(row.alertmanagers)
        if url in problems
    ]


def _problems_text(row: Any, results: Mapping[str, str | None], now: dt.datetime) -> str:
    """Return the problems of a source after ``results``, the problems by URL."""
    before = {failing.url: failing for failing in failing_alertmanagers(row)}
    problems: dict[str, str | None] = {url: failing.problem for url, failing in before.items()}
    problems |= results
    return json.dumps(
        {
            url: {
                "problem": problem,
                "failing_since": iso_string(before[url].failing_since if url in before else now),
            }
            for url, problem in sorted(problems.items())
            if problem is not None
        }
    )


async def _send(
    client: HttpClient, request: AlertRequest, allowed: Sequence[Network]
) -> AlertResult:
    problem = None
    try:
        target = check_url(request.url, allowed, SOURCE_URLS)
        target = replace(target, path=target.path.rstrip("/") + _ALERTS_PATH)
        headers = [("Accept", "application/json"), ("Content-Type", "application/json")]
        status = await client.post(
            target, headers, orjson.dumps(request.alerts), MAX_NOTIFY_SECONDS
        )
        if status >= 300:
            problem = f"returned {status}"
    except HttpError as error:
        problem = str(error)
    fields = {"host": host_of(request.url), "alerts": len(request.alerts), "problem": problem}
    level = logging.WARNING if problem else logging.DEBUG
    logger.log(level, "alertmanager", extra={"fields": fields})
    return AlertResult(request, problem)
