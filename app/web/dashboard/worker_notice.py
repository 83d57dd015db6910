"""The notice on pages about what a worker does, while none runs."""

from app.core.database import db
from app.delivery.heartbeat import MAX_AGE_SECONDS, last_heartbeat
from app.web.dashboard.blueprint import blueprint
from app.web.dashboard.times import format_time


@blueprint.app_template_global()
def worker_notice() -> str | None:
    """Return what does not happen as no worker runs, None while one does."""
    heartbeat = last_heartbeat(db.engine)
    if heartbeat and heartbeat[1] <= MAX_AGE_SECONDS:
        return None
    since = f"since {format_time(heartbeat[0])}" if heartbeat else "yet"
    verb = "has run" if heartbeat else "runs"
    return (
        f"No worker {verb} {since}: sources are not read, messages are not sent, and late points "
        "are not noticed. Ask the operator of this service to start it; it catches up."
    )
