"""``forecast-service usage``: the calls of an account over time."""

import csv
import datetime as dt
import sys
from typing import Any

import click

from app.core.database import utcnow
from app.core.database.engine import read_session
from app.identity.accounts import accounts
from app.identity.usage.buckets import UsageInterval
from app.identity.usage.rows import Span, usage_row_body, usage_rows
from app.ops.cli.groups import DatabaseGroup
from app.ops.cli.output import print_rows
from app.ops.cli.parameters import DURATION, TIMESTAMP, json_option

_COLUMNS = ("start", "key_id", "prefix", "endpoint", "status_class", "calls")


class Since(click.ParamType[dt.datetime]):
    """A time in ISO 8601, or how long ago it was, such as 7d or 24h."""

    name = "duration or iso8601"

    def convert(
        self, value: Any, param: click.Parameter | None, ctx: click.Context | None
    ) -> dt.datetime:
        if isinstance(value, dt.datetime):
            return value
        if value[-1:].isdigit() or value.upper().endswith("Z"):
            return TIMESTAMP.convert(value, param, ctx)
        try:
            return utcnow() - DURATION.convert(value, param, ctx)
        except OverflowError:
            self.fail(f"{value!r} is before the year 1; send a shorter duration", param, ctx)


usage = DatabaseGroup("usage", help="Calls per account over time.")


@usage.command("show")
@click.argument("account")
@click.option(
    "--since",
    type=Since(),
    default="24h",
    show_default=True,
    help="Start: how long ago, such as 24h or 7d, or 2027-01-31T00:00:00Z. 90 days are kept.",
)
@click.option(
    "--interval",
    type=click.Choice([interval.value for interval in UsageInterval]),
    default=UsageInterval.HOUR.value,
    show_default=True,
    help="Length of the intervals in which calls are counted; days are in UTC.",
)
@json_option
@click.option("--csv", "as_csv", is_flag=True, help="Print CSV for spreadsheets.")
def show(account: str, since: dt.datetime, interval: str, *, as_json: bool, as_csv: bool) -> None:
    """Show the calls of ACCOUNT by hour or day, key, endpoint and status class."""
    if as_json and as_csv:
        raise click.UsageError("give --json or --csv, not both")
    with read_session() as session:
        account_id = accounts.get_account(session, account).id
    span = Span.around(since, utcnow(), UsageInterval(interval))
    rows = [usage_row_body(row) for row in usage_rows(account_id, span)]
    if as_csv:
        writer = csv.DictWriter(sys.stdout, _COLUMNS, lineterminator="\n")
        writer.writeheader()
        writer.writerows(rows)
    else:
        print_rows(rows, _COLUMNS, as_json)
