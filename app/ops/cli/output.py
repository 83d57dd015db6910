"""Print accounts, keys and events: as tables, or as JSON for programs."""

import contextlib
import datetime as dt
import os
import sys
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

import click
import orjson

from app.core.database import iso_string
from app.identity.accounts.key_records import Usage
from app.identity.accounts.keys import CreatedKey
from app.identity.accounts.models import ApiKey
from app.identity.accounts.permissions import sorted_permissions
from app.identity.accounts.texts import expiry_text

KEY_COLUMNS = (
    "id", "prefix", "account", "label", "permissions", "state", "usage_count",
    "shared_usage_count", "last_used_at", "expires_at",
)  # fmt: skip


def key_list_row(record: ApiKey, shared: Usage, now: dt.datetime) -> dict[str, Any]:
    """Return a key's row in lists at ``now``; ``shared`` is the usage of its whole lineage."""
    return listed_row(
        record,
        KEY_COLUMNS,
        account=record.account.name,
        permissions=sorted_permissions(record.permissions),
        state=record.state(now),
        shared_usage_count=shared.count,
    )


def key_details(
    record: ApiKey, shared: Usage, predecessor_id: int | None, now: dt.datetime
) -> dict[str, Any]:
    """Return all details of a key; ``predecessor_id`` is the key that it replaced."""
    return key_list_row(record, shared, now) | {
        "shared_last_used_at": shared.last_used_at,
        "created_at": record.created_at,
        "grace_ends_at": record.grace_ends_at,
        "revoked_at": record.revoked_at,
        "predecessor_id": predecessor_id,
        "successor_id": record.successor_id,
    }


def listed_row(record: object, columns: Sequence[str], **other: Any) -> dict[str, Any]:
    """Return the values of ``columns``: those in ``other``, else the attributes of the record."""
    return {name: other[name] if name in other else getattr(record, name) for name in columns}


def print_details(row: dict[str, Any], as_json: bool = False) -> None:
    if as_json:
        print_json(row)
        return
    width = max(map(len, row)) + 1
    for name, value in row.items():
        click.echo(f"{name + ':':{width}} {_cell(value)}")


@contextlib.contextmanager
def abort_if_unprinted() -> Iterator[None]:
    """Fail, and so roll the transaction back, if a secret cannot be printed in the block."""
    try:
        yield
    except OSError as error:
        raise click.ClickException(f"{output_problem(error)}; nothing was changed") from None


def output_problem(error: OSError) -> str:
    """Return the problem of a failed write to stdout, and drop all further output."""
    sys.stdout = Path(os.devnull).open("w")  # noqa: SIM115
    return f"the output cannot be written: {error.strerror}"


def print_created_key(created: CreatedKey, quiet: bool) -> None:
    """Print a new key: only the key if ``quiet``, else with its details."""
    if quiet:
        click.echo(created.key)
        return
    record = created.record
    granted = ", ".join(sorted_permissions(record.permissions))
    expiry = expiry_text(record.expires_at)
    click.echo(f"Key {record.id} of account {record.account.name} ({granted}), valid {expiry}:")
    click.echo(created.key)
    click.echo("Store it now: only its hash is kept, so it cannot be shown again.")


def print_rows(rows: Sequence[dict[str, Any]], columns: Sequence[str], as_json: bool) -> None:
    if as_json:
        print_json(list(rows))
        return
    table = [list(columns)] + [[_cell(row[name]) for name in columns] for row in rows]
    widths = [max(map(len, column)) for column in zip(*table, strict=True)]
    for line in table:
        cells = (cell.ljust(width) for cell, width in zip(line, widths, strict=True))
        click.echo("  ".join(cells).rstrip())


def print_json(value: Any) -> None:
    options = orjson.OPT_INDENT_2 | orjson.OPT_PASSTHROUGH_DATETIME
    click.echo(orjson.dumps(value, default=iso_string, option=options))


def _cell(value: Any) -> str:
    if isinstance(value, list):
        return ",".join(value)
    if isinstance(value, dt.datetime):
        return iso_string(value)
    return "-" if value in (None, "") else str(value)
