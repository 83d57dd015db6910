"""``forecast-service webhooks``: list messages, retry failed ones."""

import click
from sqlalchemy import ColumnElement, select, update

from app.core.database import utcnow
from app.core.database.engine import read_session, write_session
from app.delivery.models import NOT_ENDED, DeliveryState, Webhook, WebhookDelivery
from app.identity.accounts.models import Account
from app.ops.cli.groups import DatabaseGroup, WrongOptionError
from app.ops.cli.output import listed_row, print_rows
from app.ops.cli.parameters import json_option

_DEFAULT_LIST_ROWS = 100
_COLUMNS = (
    "id", "account", "webhook", "type", "state", "attempts", "created_at",
    "next_attempt_at", "last_problem",
)  # fmt: skip
_STATE_FILTERS: dict[str, ColumnElement[bool]] = {
    DeliveryState.PENDING: NOT_ENDED,
    DeliveryState.DELIVERED: WebhookDelivery.delivered_at.is_not(None),
    DeliveryState.FAILED: WebhookDelivery.failed_at.is_not(None),
}

webhooks = DatabaseGroup("webhooks", help="Messages to webhooks: list, retry.")


@webhooks.command("list")
@click.option(
    "--state",
    type=click.Choice([state.value for state in DeliveryState]),
    help="Only deliveries in this state.",
)
@click.option("--limit", type=click.IntRange(1), default=_DEFAULT_LIST_ROWS, show_default=True)
@json_option
def list_deliveries(state: str | None, limit: int, as_json: bool) -> None:
    """List deliveries, newest first; they are kept for a week."""
    query = (
        select(WebhookDelivery, Webhook.name, Account.name)
        .join(Webhook, Webhook.id == WebhookDelivery.webhook_id)
        .join(Account, Account.id == Webhook.account_id)
        .order_by(WebhookDelivery.id.desc())
        .limit(limit)
    )
    if state is not None:
        query = query.where(_STATE_FILTERS[state])
    with read_session() as session:
        rows = [
            listed_row(delivery, _COLUMNS, account=account, webhook=webhook)
            for delivery, webhook, account in session.execute(query)
        ]
    print_rows(rows, _COLUMNS, as_json)


@webhooks.command("retry")
@click.argument("delivery_ids", metavar="[ID]...", type=click.IntRange(1), nargs=-1)
@click.option("--failed", "all_failed", is_flag=True, help="Retry all failed deliveries.")
def retry(delivery_ids: tuple[int, ...], all_failed: bool) -> None:
    """Retry deliveries now: those with the given IDs, or all that have failed.

    A delivery older than a day is tried once.
    """
    if bool(delivery_ids) == all_failed:
        raise WrongOptionError("give ids from `forecast-service webhooks list`, or --failed")
    chosen = (
        _STATE_FILTERS[DeliveryState.FAILED] if all_failed else WebhookDelivery.id.in_(delivery_ids)
    )
    due_now = {"next_attempt_at": utcnow(), "delivered_at": None, "failed_at": None}
    with write_session() as session:
        due = session.scalars(
            update(WebhookDelivery).where(chosen).values(due_now).returning(WebhookDelivery.id)
        ).all()
        missing = sorted({*delivery_ids} - {*due})
        if missing:
            raise click.ClickException(f"there is no delivery {missing[0]}; nothing is retried")
    click.echo(f"{len(due)} to be retried.")
