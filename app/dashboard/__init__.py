"""The account dashboard: the pages under ``/account``, for members who have signed in.

Every page works without JavaScript. A change is a form: POST, then a redirect to a page that says
what was done. ``ACCOUNT_DASHBOARD=0`` turns all of it off.
"""

from app.dashboard import (
    audit,
    errors,
    filters,
    key_changes,
    keys,
    members,
    monitors,
    oidc,
    overview,
    sign_in,
)
from app.dashboard.blueprint import blueprint

__all__ = [
    "audit",
    "blueprint",
    "errors",
    "filters",
    "key_changes",
    "keys",
    "members",
    "monitors",
    "oidc",
    "overview",
    "sign_in",
]
