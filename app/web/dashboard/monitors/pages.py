"""The pages of monitors: their list, and one with its chart, settings, events and deliveries."""

import itertools
from collections import Counter
from collections.abc import Collection, Mapping
from dataclasses import dataclass, replace
from typing import Any

from flask import Response, request, url_for

from app.api.errors.api_error import ApiError
from app.api.monitors.forecast_schemas import MonitorForecastSchema
from app.api.monitors.forecasting import compute_monitor_forecast
from app.api.monitors.response import point_bodies
from app.api.responses.json import Json, json_response
from app.core.api_keys import redact_stored_names
from app.core.database import utcnow
from app.core.text import short_number, short_timestamp
from app.delivery.webhook_queries import list_webhooks
from app.watching.feeds import Feed
from app.watching.monitors.queries import activity, monitor_queries
from app.watching.monitors.queries.quality import read_quality
from app.watching.monitors.settings.monitor_records import LIMIT_KINDS, Monitor
from app.watching.monitors.settings.states import State
from app.watching.monitors.storage.messages import event_body, list_deliveries
from app.watching.sources import source_reader
from app.web.dashboard.access import member
from app.web.dashboard.blueprint import account_page, blueprint
from app.web.dashboard.form_fields import texts_of
from app.web.dashboard.forms import Form
from app.web.dashboard.monitors.pasted_tables import FieldQuestions
from app.web.dashboard.monitors.texts import (
    DIRECTIONS,
    example_timestamp,
    monitor_texts,
    shown_states,
    state_text,
    title_of,
)
from app.web.dashboard.mutes import MUTE_CHOICES

LIST_ROWS = 100
# Numbers of the newest points, events and deliveries on the page of a monitor; its chart needs the
# events of all of its points.
_CHART_POINTS = 300
_CHART_CONFIDENCE = 0.95
_MAX_PAGE_EVENTS, _CHART_EVENTS = 20, 100
_WORST_FIRST = (
    State.ANOMALOUS,
    *reversed(LIMIT_KINDS),
    State.OVERDUE,
    State.ABSENT,
    State.LEARNING,
    State.NORMAL,
)
_NOTICES = {
    "monitor-changed": "Settings saved.",
    "monitor-created": "Monitor created: it learns from its first points.",
    "monitor-created-with-history": "Monitor created. The points that you pasted are its "
    "history and are not judged: it judges those after them. To try it, append a table below.",
    "points-appended": "Points appended: the newest are below.",
    "points-known": "The monitor has all of these points already: nothing was changed.",
    "points-differ": "Some values differ from those that the monitor has: these stay as they are. "
    "The other points were appended.",
    "monitor-muted": "Monitor muted: nothing is sent about it.",
    "monitor-unmuted": "Monitor unmuted: open alerts are sent.",
    "monitor-deleted": "Monitor deleted.",
}
_ALERTING = "alerting"  # in place of a state: the monitors with an open alert


@blueprint.app_template_filter()
def capped_count(number: int) -> str:
    """Return a count of `activity`, which stops counting at a maximum."""
    return f"{number}+" if number == activity.MAX_COUNTED else str(number)


@blueprint.app_template_global()
def open_alert_count() -> int:
    """Return how many alerts of the account are open."""
    return sum(activity.count_open_alerts(member().account_id).values())


@blueprint.get("/monitors")
def monitors() -> Response:
    """Return the list of monitors, only those in the state or with the text in the query."""
    account_id = member().account_id
    state = request.args.get("state")
    after = request.args.get("after", "")
    find = request.args.get("find", "").strip()
    limits = activity.open_limits(account_id)
    feeds = source_reader.find_feeds(account_id)
    states = {
        name: shown_states(states_of_monitor, limits.get(name))
        for name, states_of_monitor in monitor_queries.list_states(account_id).items()
    }
    numbers = Counter(itertools.chain(*states.values()))
    alerting = activity.count_open_alerts(account_id)
    matching = [
        name
        for name in _matching_names(states, feeds, alerting, state=state, find=find)
        if name > after
    ]
    query: dict[str, Any] = {"state": state, "find": find or None}
    return account_page(
        "monitors.html",
        notices=_NOTICES,
        states=[(str(worst), numbers[worst]) for worst in _WORST_FIRST if numbers[worst]],
        alerting=len(alerting),
        state=state,
        find=find,
        total=len(states),
        rows=_monitor_rows(matching[:LIST_ROWS], states, feeds),
        first=url_for("dashboard.monitors", **query) if after else None,
        next=url_for("dashboard.monitors", **query, after=matching[LIST_ROWS - 1])
        if len(matching) > LIST_ROWS
        else None,
        api_url=url_for("monitors.list_monitors", _external=True),
    )


def _matching_names(
    states: Mapping[str, list[str]],
    feeds: Mapping[str, Feed],
    alerting: Collection[str],
    *,
    state: str | None,
    find: str,
) -> list[str]:
    """Return the monitors in a state with a text in their name or title, in order of name."""

    def is_match(name: str) -> bool:
        text = f"{name} {title_of(name, feeds.get(name))}".lower()
        is_chosen = name in alerting if state == _ALERTING else state in (None, *states[name])
        return is_chosen and find.lower() in text

    # Sorted here: databases sort "-" and "." differently, and `after` needs one order.
    return [name for name in sorted(states) if is_match(name)]


@dataclass(frozen=True)
class ListedMonitor:
    """A monitor of the list; ``value`` and ``time`` are of its newest point, if it has one."""

    name: str
    title: str
    states: list[str]
    why: str
    value: str | None
    time: str | None
    has_webhook: bool
    activity: activity.ActivityCounts


def _monitor_rows(
    names: list[str], states: Mapping[str, list[str]], feeds: Mapping[str, Feed]
) -> list[ListedMonitor]:
    shown = monitor_queries.list_monitors(member().account_id, names)
    counts = activity.count_activity([monitor.id for monitor in shown])
    rows = []
    for monitor in sorted(shown, key=lambda monitor: monitor.name):
        name, last = monitor.name, monitor.last_point
        row = ListedMonitor(
            name=name,
            title=title_of(name, feeds.get(name)),
            states=states[name],
            why=state_text(monitor),
            value=short_number(last.value) if last else None,
            time=short_timestamp(last.timestamp, monitor.settings.has_days) if last else None,
            has_webhook=monitor.settings.webhook is not None,
            activity=counts.get(monitor.id, activity.ActivityCounts()),
        )
        rows.append(row)
    return rows


@blueprint.get("/monitors/<name>", endpoint="monitor")
def show_monitor(name: str) -> Response:
    """Return the page of one monitor; a script draws the chart and refreshes the page."""
    return monitor_page(name)


def monitor_page(
    name: str,
    status: int = 200,
    settings_form: Form | None = None,
    mute_form: Form | None = None,
    append_form: Form | None = None,
    questions: FieldQuestions | None = None,
) -> Response:
    """Return the page of a monitor, with forms that have errors."""
    monitor = _get_monitor(name)
    feed = source_reader.find_feeds(member().account_id, name).get(name)
    return account_page(
        "monitor.html",
        status,
        notices=_NOTICES,
        monitor=monitor_texts(
            monitor,
            feed,
            _newest_points(name, _CHART_POINTS),
            _newest_events(name, _MAX_PAGE_EVENTS),
            list_deliveries(monitor.id),
            read_quality(member().account_id, name),
            activity.open_limits(member().account_id).get(name),
        ),
        feed=feed,
        settings_form=settings_form or Form(texts_of("monitor", monitor.settings)),
        directions=DIRECTIONS,
        webhooks=webhook_names(),
        append_form=append_form or Form({"table": ""}),
        questions=questions or {},
        mute_form=mute_form or Form({"mute": "1h"}),
        mutes=MUTE_CHOICES,
        api_url=url_for("monitors.list_monitors", _external=True),
        example_timestamp=example_timestamp(monitor.settings, utcnow()),
    )


@blueprint.get("/monitors/<name>/chart")
def monitor_chart(name: str) -> Response:
    """Return the newest points, oldest first, and events as JSON for the chart."""
    monitor = _get_monitor(name)
    return json_response(
        {
            "false_alarm_rate": monitor.settings.false_alarm_rate,
            "points": _newest_points(name, _CHART_POINTS)[::-1],
            "events": _newest_events(name, _CHART_EVENTS),
        }
    )


@blueprint.get("/monitors/<name>/forecast")
def monitor_forecast_chart(name: str) -> Response:
    """Return the forecast that the limit was compared with last; empty where there is none."""
    if _get_monitor(name).settings.limit is None:
        return json_response({})
    try:
        forecast = compute_monitor_forecast(
            member().account_id, name, None, _CHART_CONFIDENCE, is_evaluated=True
        )
    except ApiError as error:
        return json_response({"problem": error.message})
    return json_response(MonitorForecastSchema().dump(forecast.content))


def _get_monitor(name: str) -> Monitor:
    monitor = monitor_queries.get_monitor(member().account_id, name)
    return replace(monitor, name=redact_stored_names(monitor.name))


def _newest_points(name: str, limit: int) -> list[Json]:
    points = monitor_queries.read_points(
        member().account_id, name, after=None, limit=limit, newest_first=True
    )
    return point_bodies(points.items)


def _newest_events(name: str, limit: int) -> list[Json]:
    events = monitor_queries.read_events(
        member().account_id, name, after=None, limit=limit, newest_first=True
    )
    return [event_body(event) for event in events.items]


def webhook_names() -> list[str]:
    return [webhook.name for webhook in list_webhooks(member().account_id)]


def only_webhook() -> dict[str, str]:
    """Return the default webhook of a new form: the account's, if it has only one."""
    names = webhook_names()
    return {"webhook": names[0]} if len(names) == 1 else {}
