"""/monitors: create, change, show and delete monitors; the messages about them."""

import functools
from dataclasses import replace

from app.api.callers.current_caller import current_actor, current_caller
from app.api.computing.current import watching_context
from app.api.computing.engine_jobs import run_job
from app.api.endpoints.endpoint import Result, Success
from app.api.errors.api_error import INVALID_SERIES, ApiError, defect_error
from app.api.errors.validation import Tree, validation_error
from app.api.examples.recorded import EXAMPLES
from app.api.monitors.blueprint import MONITOR_RESOURCE
from app.api.monitors.response import monitor_body
from app.api.monitors.response_schemas import DeliveriesSchema
from app.api.monitors.schemas import MonitorRequest, MonitorRequestSchema
from app.api.request_state import JobDetails
from app.api.responses.headers import NOTICE_HEADER, notice_headers
from app.api.responses.json import Json
from app.api.webhooks.schemas import no_webhook_error
from app.delivery.webhook_records import NoSuchWebhookError
from app.watching.monitors import monitor_registry
from app.watching.monitors.queries import monitor_queries
from app.watching.monitors.queries.quality import read_quality
from app.watching.monitors.settings.errors import GridFixedError, ShortUnitError
from app.watching.monitors.settings.monitor_settings import GridSettings, MonitorSettings
from app.watching.monitors.storage import messages
from app.watching.monitors.storage.detector_fitter import LEARN_JOB
from app.watching.sources import source_reader

_PUT_DESCRIPTION = """\
Creates a monitor, or replaces the settings of the monitor with this name. The request is
idempotent. Fields left out are reset to their defaults: without `webhook`, nothing is sent.

A new monitor learns from its first points without judging them. With `series` it learns from a
history first: at least two seasons with the same step, of which the newest points are stored. The
history is used only if the monitor has no points yet.

`data_frequency` and `step` cannot change once the monitor has points. `false_alarm_rate` and
`direction` apply from the next point.

Events that last `alert_for` points and reach `alert_severity`, `alert_min_deviation` and
`alert_min_relative` are alerts, from the point on at which they do; all events are recorded.
Overdue points are always an alert. Alerts are sent to `webhook`, the name of a webhook of the
account (`PUT /webhooks/{name}`). Until `muted_until` nothing is sent; then the alerts that are
still open are.

With `limit`, a forecast that passes it opens an event `limit_ahead`
(`GET /monitors/{name}/forecast`)."""


@MONITOR_RESOURCE.put_endpoint(
    description=_PUT_DESCRIPTION,
    body=MonitorRequestSchema(),
    success_headers=NOTICE_HEADER,
    example=EXAMPLES.success("monitor", "Five-minute latencies, judged on the upper side"),
    errors=[409],
)
def put_monitor(request: MonitorRequest, name: str) -> Result:
    """Create a monitor, or change its settings."""
    history = request.history
    details = JobDetails(MONITOR_RESOURCE.noun, len(history.values)) if history else None
    learn = functools.partial(run_job, LEARN_JOB, details=details)
    try:
        put = monitor_registry.put_monitor(
            watching_context(),
            current_actor(),
            current_caller().account_id,
            name=name,
            settings=request.settings,
            history=history,
            learn=learn,
        )
    except NoSuchWebhookError as error:
        raise no_webhook_error(MonitorRequestSchema(), error.name) from None
    except ShortUnitError as error:
        raise defect_error(*INVALID_SERIES, "step", str(error), error.step) from None
    except GridFixedError as error:
        raise _grid_fixed_error(request.settings, error.fixed) from None
    status = 201 if put.is_new else 200
    return Result(monitor_body(put.monitor), notice_headers(put.notices), status)


def _grid_fixed_error(settings: MonitorSettings, fixed: GridSettings) -> ApiError:
    """Return the error for a frequency or step that differs from the stored points'."""
    sent = vars(settings)
    issues: Tree = {
        field: [
            f"cannot change: the monitor has points, and its {field} is {value}; send that "
            "value, delete the monitor first, or use another name"
        ]
        for field, value in vars(fixed).items()
        if sent[field] != value
    }
    return validation_error([(MonitorRequestSchema(), issues, sent)])


def list_monitors(account_id: int) -> list[Json]:
    monitors = monitor_queries.list_monitors(account_id)
    feeds = source_reader.find_feeds(account_id)
    return [monitor_body(monitor, feeds.get(monitor.name)) for monitor in monitors]


def get_monitor(account_id: int, name: str) -> Json:
    monitor = monitor_queries.get_monitor(account_id, name)
    feeds = source_reader.find_feeds(account_id, name) if monitor.fed_by else {}
    return monitor_body(replace(monitor, quality=read_quality(account_id, name)), feeds.get(name))


MONITOR_RESOURCE.declare_list(list_monitors, tool="list_monitors")
MONITOR_RESOURCE.declare_get(
    get_monitor,
    "Shows the settings, the state and the newest point of a monitor, and how well it has forecast "
    "its newest points.",
)
MONITOR_RESOURCE.declare_delete(
    lambda account_id, name: monitor_registry.delete_monitor(current_actor(), account_id, name),
    "Deletes a monitor with its points, events and pending messages.",
    effect=" and everything that it has learned",
    errors=[409],
)


@MONITOR_RESOURCE.endpoint(
    "GET",
    "/monitors/<name>/deliveries",
    successes={200: Success("The messages.", DeliveriesSchema())},
    description=f"Lists the newest {messages.MAX_DELIVERIES} messages about the monitor's "
    "alerts, sent or pending.",
)
def list_deliveries(name: str) -> Json:
    """List the messages about a monitor."""
    monitor = monitor_queries.get_monitor(current_caller().account_id, name)
    return {"deliveries": messages.list_deliveries(monitor.id)}
