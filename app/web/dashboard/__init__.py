"""The account dashboard: the pages under ``/account``, for signed-in members.

Every page works without JavaScript. A change is a form: POST, then a redirect to a page that
reports the change. ``ACCOUNT_DASHBOARD=0`` turns the dashboard off.
"""

from app.web.dashboard import (
    audit,
    errors,
    filters,
    key_changes,
    keys,
    members,
    monitor_changes,
    monitors,
    oidc,
    overview,
    sign_in,
    source_queries,
    sources,
    webhooks,
    worker_notice,
)
from app.web.dashboard.blueprint import blueprint

__all__ = [
    "audit",
    "blueprint",
    "errors",
    "filters",
    "key_changes",
    "keys",
    "members",
    "monitor_changes",
    "monitors",
    "oidc",
    "overview",
    "sign_in",
    "source_queries",
    "sources",
    "webhooks",
    "worker_notice",
]
