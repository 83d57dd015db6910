"""The account dashboard: the pages under ``/account``, for signed-in members.

Every page works without JavaScript. A change is a form: POST, then a redirect to a page that
reports the change. ``ACCOUNT_DASHBOARD=0`` turns the dashboard off.
"""

from importlib import import_module

from app.web.dashboard.blueprint import blueprint

__all__ = ["blueprint"]

# Modules that register views, filters and handlers of errors with the blueprint.
for _name in (
    "account.audit", "account.members", "account.oidc", "account.overview", "account.sign_in",
    "account.webhooks", "errors", "filters", "keys.pages", "monitors.changes", "monitors.pages",
    "sources.pages", "sources.query_pages",
):  # fmt: skip
    import_module(f"{__name__}.{_name}")
