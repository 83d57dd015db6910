"""Template filters and globals of the dashboard, except those for times."""

import orjson
from flask import current_app, request

from app.api.examples.recorded import REQUEST
from app.core.database import db
from app.core.text import short_number
from app.delivery.heartbeat import last_heartbeat
from app.identity.accounts.permissions import sorted_permissions
from app.web.dashboard.blueprint import blueprint
from app.web.dashboard.charts import sparkline
from app.web.dashboard.texts import format_time
from app.web.pages.error_list import mark_code

blueprint.add_app_template_filter(sparkline)
blueprint.add_app_template_filter(mark_code)
blueprint.add_app_template_filter(sorted_permissions, "sort_permissions")


@blueprint.app_template_filter()
def seconds_text(seconds: float | None) -> str:
    """Return seconds or milliseconds with two significant digits; None means unknown."""
    if seconds is None:
        return "–"
    rounded = float(f"{seconds:.2g}")
    return f"{short_number(rounded)} s" if rounded >= 1 else f"{short_number(rounded * 1000)} ms"


@blueprint.app_template_filter()
def sentence(text: object) -> str:
    """Return the message of an error as a sentence; a leading email address is not capitalized."""
    words = str(text)
    first, _, _ = words.partition(" ")
    end = "" if words.endswith(("?", "!", ".")) else "."
    return f"{words if '@' in first else words[:1].upper() + words[1:]}{end}"


@blueprint.app_template_global()
def first_call(key: str) -> str:
    """Return a curl command for a forecast; ``key`` may be a shell variable."""
    return (
        f"curl -s '{request.host_url}forecast' \\\n"
        f'  --oauth2-bearer "{key}" \\\n'
        "  -H 'Content-Type: application/json' \\\n"
        f"  -d '{orjson.dumps(REQUEST).decode()}'"
    )


@blueprint.app_template_global()
def has_docs() -> bool:
    return "pages.errors" in current_app.view_functions


@blueprint.app_template_global()
def worker_notice() -> str | None:
    """Return the notice that no worker runs, None while one does."""
    heartbeat = last_heartbeat(db.engine)
    if heartbeat and heartbeat.is_recent:
        return None
    since = f"since {format_time(heartbeat.beaten_at)}" if heartbeat else "yet"
    verb = "has run" if heartbeat else "runs"
    return (
        f"No worker {verb} {since}: sources are not read, messages are not sent, and late points "
        "are not noticed. Ask the operator of this service to start it; it catches up."
    )
