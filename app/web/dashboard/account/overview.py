"""The first page of an account: limits, calls over time, what fails, keys that need attention."""

import datetime as dt
from collections.abc import Sequence
from dataclasses import dataclass

from flask import Response, request

from app.identity.accounts.models import Account, ApiKey
from app.identity.usage import queries
from app.identity.usage.buckets import UsageInterval
from app.web.dashboard.access import member
from app.web.dashboard.blueprint import account_page, blueprint
from app.web.dashboard.charts import OUTCOMES, outcome_totals, stacked_bars
from app.web.dashboard.explained_failures import explain_all
from app.web.dashboard.keys.rows import KeyRow, fetch_account_keys
from app.web.dashboard.live_windows import LiveWindow, live_windows

_MAX_LIMITS_SHOWN = 3  # each key with its own limits needs a read of the limit store
_MAX_FAILURES_SHOWN = 8
_MAX_FAILING_KEYS = 3
_MAX_WARNINGS_SHOWN = 5


@dataclass(frozen=True)
class Range:
    """A period to show, the interval of one bar, and the interval of one point of the latency.

    ``length`` leaves out the present ``step``, which is shown, too.
    """

    title: str
    length: dt.timedelta
    step: UsageInterval
    latency_step: UsageInterval


_RANGES = {
    "24h": Range("24 hours", dt.timedelta(hours=23), UsageInterval.HOUR, UsageInterval.HOUR),
    "7d": Range("7 days", dt.timedelta(days=7, hours=-1), UsageInterval.HOUR, UsageInterval.DAY),
    "90d": Range("90 days", dt.timedelta(days=89), UsageInterval.DAY, UsageInterval.DAY),
}
_DEFAULT_RANGE = "24h"


@blueprint.get("")
def overview() -> Response:
    account_id = member().account_id
    chosen = request.args.get("range", _DEFAULT_RANGE)
    period = _RANGES.get(chosen, _RANGES[_DEFAULT_RANGE])
    account_keys = fetch_account_keys(account_id)
    account, rows, now = account_keys.account, account_keys.rows, account_keys.now
    since = now - period.length
    outcomes = queries.fetch_outcomes(account_id, since, now, period.step)
    by_id = {row.record.id: row for row in rows}
    failures = queries.fetch_failures(account_id, since, limit=_MAX_FAILURES_SHOWN)
    return account_page(
        "overview.html",
        account=account,
        now=now,
        limits=_limits_by_key(account, rows),
        calls_today=queries.count_calls_today(account_id),
        ranges=_RANGES,
        period=period,
        outcomes=outcomes,
        outcome_titles=OUTCOMES,
        chart=stacked_bars(outcomes),
        totals=outcome_totals(outcomes),
        latency=queries.fetch_latency(account_id, since, period.latency_step),
        failures=explain_all(failures),
        failing={
            failure: [by_id[key_id] for key_id in key_ids if key_id in by_id]
            for failure, key_ids in queries.find_failing_keys(
                account_id, since, failures, _MAX_FAILING_KEYS
            ).items()
        },
        warned=[row for row in rows if row.warnings][:_MAX_WARNINGS_SHOWN],
        warnings=sum(1 for row in rows if row.warnings),
        working=sum(row.is_working for row in rows),
        never_called=not any(row.record.usage_count for row in rows),
    )


def _limits_by_key(
    account: Account, rows: Sequence[KeyRow]
) -> list[tuple[ApiKey | None, list[LiveWindow]]]:
    if account.tier is not None:
        return [(None, live_windows(account))]
    return [(key, live_windows(account, key)) for key in _busiest_keys(rows)]


def _busiest_keys(rows: Sequence[KeyRow]) -> list[ApiKey]:
    """Return the keys with the most calls today, one per lineage, which shares its limits."""
    called = [row for row in rows if row.is_working and row.calls and row.calls[-1]]
    by_lineage: dict[str, ApiKey] = {}
    for row in sorted(called, key=lambda row: -row.calls[-1]):
        by_lineage.setdefault(row.record.lineage, row.record)
    return list(by_lineage.values())[:_MAX_LIMITS_SHOWN]
