"""Check who is signed in, what they may change, and that a form comes from their session.

Every view of the blueprint is for members, and every form needs their session's token, unless the
view is in ``PUBLIC_VIEWS``.
"""

import contextlib
import functools
import hashlib
import hmac
from collections.abc import Callable, Iterator
from typing import Any, ParamSpec
from urllib.parse import unquote, urlsplit

from flask import Response, make_response, redirect, request, url_for
from markupsafe import Markup
from sqlalchemy import Connection
from sqlalchemy.orm import Session

from app.api.callers.addresses import caller_address
from app.api.endpoints.endpoint import READ_METHODS
from app.api.errors.api_error import ApiError
from app.api.request_state import request_state
from app.core.database import db
from app.core.database.engine import write_session
from app.identity.accounts.audit import Actor
from app.identity.members import sessions
from app.identity.members.sessions import Visitor
from app.web.dashboard.blueprint import blueprint
from app.web.dashboard.cookies import SESSION_COOKIE

# Views without a session: the ways to sign in, and the page for unknown paths.
PUBLIC_VIEWS = frozenset(
    {
        "dashboard.sign_in",
        "dashboard.sign_in_by_password",
        "dashboard.invitation",
        "dashboard.start_oidc",
        "dashboard.finish_oidc",
        "dashboard.unknown_page",
    }
)
P = ParamSpec("P")
PageView = Callable[P, Response]

blueprint.add_app_template_global(request_state)  # pages show its member


@blueprint.before_request
def require_member() -> Response | None:
    """Redirect visitors who are not signed in, unless the view is in ``PUBLIC_VIEWS``.

    In the other views, ``member()`` is the member. A form that is not of this session gets 403.
    """
    if request.endpoint in PUBLIC_VIEWS:
        return None
    is_read = request.method in READ_METHODS
    token = SESSION_COOKIE.read()
    signed_in = sessions.find_session(db.engine, token) if token else None
    if signed_in is None:
        if not is_read:
            raise signed_out_error()
        page = request.full_path.rstrip("?")
        return make_response(redirect(url_for("dashboard.sign_in", next=page)))
    request_state().member = signed_in
    if not is_read and not _has_csrf_token():
        issue = "this form does not belong to this session; open the page again and resend it"
        raise ApiError(403, "Forbidden", issue)
    return None


def admins_only(view: PageView[P]) -> PageView[P]:
    """Reject members who may not change anything."""

    @functools.wraps(view)
    def view_for_admins(*args: P.args, **kwargs: P.kwargs) -> Response:
        if not member().can_change:
            raise _viewer_error()
        return view(*args, **kwargs)

    return view_for_admins


@contextlib.contextmanager
def admin_transaction() -> Iterator[Session]:
    """Open a transaction for a change, with a check that the member is still an admin.

    Raise ApiError, 403, if the session has ended or the role has changed since the request began;
    pass on errors of the database.
    """
    with write_session() as session:
        _check_role(session.connection())
        yield session


def member() -> sessions.FoundSession:
    """Return the member of the current request, in a view that is not in ``PUBLIC_VIEWS``."""
    if (signed_in := request_state().member) is None:
        raise RuntimeError("a view for members was called without one")
    return signed_in


def actor() -> Actor:
    """Return the member as the author of a change, who must still be an admin when it is made."""
    return Actor(email=member().email, address=visitor().address, check_rights=_check_role)


def _check_role(connection: Connection) -> None:
    role = sessions.current_role(connection, member().session_id, member().account_id)
    if role is None:
        raise signed_out_error()
    if not role.can_change:
        raise _viewer_error()


def visitor() -> Visitor:
    """Return the origin of the current request, without an address if none may be stored."""
    return Visitor(caller_address(), request.headers.get("User-Agent", ""), SESSION_COOKIE.read())


def csrf_token(token: str) -> str:
    return hashlib.sha256(f"csrf:{token}".encode()).hexdigest()


def signed_out_error() -> ApiError:
    issue = "this session has ended, so nothing was changed; sign in and send the form again"
    return ApiError(403, "Signed out", issue)


def _viewer_error() -> ApiError:
    issue = "your role is viewer, which cannot change anything; ask an admin of this account"
    return ApiError(403, "Forbidden", issue)


def _has_csrf_token() -> bool:
    token = request.form.get("csrf_token", "")
    return hmac.compare_digest(token.encode(), csrf_token(member().token).encode())


@blueprint.app_template_global()
def csrf_field() -> Markup:
    """Return the hidden field of every form of a member."""
    token = csrf_token(member().token)
    return Markup('<input type="hidden" name="csrf_token" value="{}">').format(token)


def dashboard_path_or_home(path: str | None) -> str:
    """Return ``path`` if it is a page of the dashboard, else the dashboard's first page."""
    home = url_for("dashboard.overview")
    if not path or not path.isprintable() or "\\" in path:
        return home
    try:
        parts = urlsplit(path)
    except ValueError:
        return home
    is_own = not parts.scheme and not parts.netloc and f"{parts.path}/".startswith(f"{home}/")
    return path if is_own and ".." not in unquote(parts.path) else home


def redirect_to(view: str, **values: Any) -> Response:
    return make_response(redirect(url_for(f"dashboard.{view}", **values), 303))
