"""/monitors: made, changed, shown and deleted; their secret and what was sent to their webhook."""

import functools

from app.accounts.permissions import Permission
from app.accounts.transaction import reading as looking
from app.api.declaration import Example, Json
from app.api.endpoint import endpoint
from app.api.errors import ApiError
from app.api.examples import MONITOR, MONITOR_REQUEST
from app.api.identity import caller
from app.api.jobs import run_job
from app.api.monitors.blueprint import ABSENT, MONITORING, NEEDS, blueprint
from app.api.monitors.response import delivery_body, monitor_body
from app.api.monitors.response_schemas import (
    DeliveriesSchema,
    MonitorSchema,
    MonitorsSchema,
    PutMonitorSchema,
    WebhookSecretSchema,
)
from app.api.monitors.schemas import (
    MonitorOrder,
    MonitorRequestSchema,
    NameSchema,
    NewNameSchema,
)
from app.api.notices import NOTICE_HEADER, notice_headers
from app.api.problems import Tree, validation_error
from app.engine.jobs import Job
from app.monitors import reading, registry
from app.monitors.records import GridFixedError, MonitorSettings, NoWebhookError
from app.observability.requests import Work
from app.webhooks import outbox

LEARN_JOB = Job(
    "app.anomalies.streaming.jobs:learn_history",
    noun="history",
    remedy="send the request again, with a shorter history or without it",
)
LABEL = "monitor"
DELIVERIES_SHOWN = 100
PUT_DESCRIPTION = """\
Makes a monitor, or replaces the settings of the one of this name; the same request may be sent
again. What is left out has its default again: without `webhook_url` nothing is sent any more.

The first points of a new monitor are learned from and not judged. A `series` is learned from
beforehand: a history of the same step, two seasons or more, of which the newest points are kept.
It is learned from as long as the monitor has no points.

`data_frequency` and `step` cannot change once there are points. `false_alarm_rate` and `direction`
hold from the next point on.

Events are sent to `webhook_url` as [Standard Webhooks](https://www.standardwebhooks.com), signed
with `webhook_secret`, which the response shows once, where it is new."""


@endpoint(
    blueprint,
    "PUT",
    "/monitors/<name>",
    permission=Permission.WRITE,
    # Only a history waits for an engine; what else is asked of this path must not wait with it.
    computes=False,
    variables=NewNameSchema,
    body=MonitorRequestSchema,
    response=PutMonitorSchema,
    successes={201: "The monitor was created.", 200: "The monitor was changed, or is as it was."},
    response_headers=NOTICE_HEADER,
    tag=MONITORING,
    description=PUT_DESCRIPTION + NEEDS.format(permission=Permission.WRITE),
    example=Example("Five-minute latencies, judged on the upper side", MONITOR, MONITOR_REQUEST),
    other_errors=ABSENT,  # another request may delete it at this moment
)
def put_monitor(order: MonitorOrder, name: str) -> tuple[Json, dict[str, str], int]:
    """Make a monitor, or change its settings."""
    history = order.history
    work = Work(LABEL, len(history.values)) if history else None
    learn = functools.partial(run_job, LEARN_JOB, work=work)
    account = caller().account_id
    try:
        put = registry.put_monitor(account, name, order.settings, history, learn)
    except GridFixedError:
        raise _grid_fixed(order, reading.get_monitor(account, name).settings) from None
    body = monitor_body(put.monitor)
    if put.webhook_secret is not None:
        body["webhook_secret"] = put.webhook_secret
    return body, notice_headers(put.notices), 201 if put.is_new else 200


def _grid_fixed(order: MonitorOrder, fixed: MonitorSettings) -> ApiError:
    """The error of another frequency or step than that of the points there are."""
    asked = {"data_frequency": order.settings.data_frequency, "step": order.settings.step}
    has = {"data_frequency": fixed.data_frequency, "step": fixed.step}
    issues: Tree = {
        field: [
            f"fixed: the monitor has points, and its {field} is {has[field]}; send that, delete "
            "the monitor first, or use another name"
        ]
        for field in asked
        if asked[field] != has[field]
    }
    return validation_error([(MonitorRequestSchema(), issues, asked)])


@endpoint(
    blueprint,
    "GET",
    "/monitors",
    permission=Permission.READ,
    response=MonitorsSchema,
    successes={200: "The monitors."},
    tag=MONITORING,
    description="Lists the monitors of the key's account." + NEEDS.format(permission="read"),
)
def list_monitors() -> Json:
    """List the monitors of the account."""
    found = reading.list_monitors(caller().account_id)
    return {"monitors": [monitor_body(monitor) for monitor in found]}


@endpoint(
    blueprint,
    "GET",
    "/monitors/<name>",
    permission=Permission.READ,
    variables=NameSchema,
    response=MonitorSchema,
    successes={200: "The monitor."},
    tag=MONITORING,
    description="Shows its settings, its state and its newest point."
    + NEEDS.format(permission="read"),
    other_errors=ABSENT,
)
def get_monitor(name: str) -> Json:
    """Show a monitor."""
    return monitor_body(reading.get_monitor(caller().account_id, name))


@endpoint(
    blueprint,
    "DELETE",
    "/monitors/<name>",
    permission=Permission.DELETE,
    variables=NameSchema,
    response=None,
    successes={204: "It is deleted."},
    tag=MONITORING,
    description="Deletes a monitor, its points, its events and what was to be sent of them."
    + NEEDS.format(permission="delete"),
    other_errors=ABSENT,
)
def delete_monitor(name: str) -> None:
    """Delete a monitor and all that it has learned."""
    registry.delete_monitor(caller().account_id, name)


@endpoint(
    blueprint,
    "POST",
    "/monitors/<name>/rotate-secret",
    permission=Permission.WRITE,
    variables=NameSchema,
    response=WebhookSecretSchema,
    successes={201: "The new secret."},
    tag=MONITORING,
    description="Makes a new secret for the webhook. For 24 hours the former one signs beside it, "
    "so that receivers can change over." + NEEDS.format(permission="write"),
    other_errors=ABSENT,
)
def rotate_webhook_secret(name: str) -> Json:
    """Make a new secret for the webhook."""
    try:
        return {"webhook_secret": registry.rotate_webhook_secret(caller().account_id, name)}
    except NoWebhookError:
        issue = "the monitor has no webhook_url; set one by PUT, which gives the secret"
        raise ApiError(400, "There is no webhook", {"issue": issue}) from None


@endpoint(
    blueprint,
    "GET",
    "/monitors/<name>/deliveries",
    permission=Permission.READ,
    variables=NameSchema,
    response=DeliveriesSchema,
    successes={200: "The messages."},
    tag=MONITORING,
    description=f"Lists the newest {DELIVERIES_SHOWN} messages that were or are to be sent to the "
    "monitor's `webhook_url`." + NEEDS.format(permission="read"),
    other_errors=ABSENT,
)
def list_deliveries(name: str) -> Json:
    """List what was sent to the webhook."""
    monitor = reading.get_monitor(caller().account_id, name)
    with looking() as session:
        newest = outbox.newest(session, monitor.id, DELIVERIES_SHOWN)
        return {"deliveries": [delivery_body(delivery) for delivery in newest]}
