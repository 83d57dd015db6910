"""What templates of the dashboard write by filters, beside those of times."""

from flask import current_app

from app.accounts.permissions import sorted_permissions
from app.dashboard.blueprint import blueprint
from app.dashboard.charts import sparkline
from app.pages.error_list import mark_code

blueprint.add_app_template_filter(sparkline)
blueprint.add_app_template_filter(mark_code)
blueprint.add_app_template_filter(sorted_permissions, "sort_permissions")


@blueprint.app_template_filter()
def duration(seconds: float | None) -> str:
    """Return how long something took, in two digits; None is not known."""
    if seconds is None:
        return "–"
    return f"{seconds:.2g} s" if seconds >= 1 else f"{float(f'{seconds * 1000:.2g}'):.10g} ms"


@blueprint.app_template_global()
def documented() -> bool:
    """Return whether this service shows its documents."""
    return "pages.errors" in current_app.view_functions
