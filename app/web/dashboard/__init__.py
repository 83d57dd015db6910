"""The account dashboard: the pages under ``/account``, for signed-in members.

Every page works without JavaScript. A change is a form: POST, then a redirect to a page that
reports the change. ``ACCOUNT_DASHBOARD=0`` turns the dashboard off.
"""

from importlib import import_module

from app.web.dashboard.blueprint import blueprint

__all__ = ["blueprint"]

# Modules that register views, filters and handlers of errors with the blueprint.
for _name in (
    "appended_tables", "audit", "errors", "filters", "key_changes", "keys", "members",
    "monitor_changes", "monitors", "oidc", "overview", "sign_in", "source_queries", "sources",
    "webhooks", "worker_notice",
):  # fmt: skip
    import_module(f"{__name__}.{_name}")
