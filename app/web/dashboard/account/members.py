"""The page of members and sessions: who may sign in, and the member's own sessions."""

from flask import Response, abort, request

from app.api.callers.addresses import caller_network
from app.api.callers.limiter import limit_counters
from app.api.endpoints.endpoint import READ_METHODS
from app.api.errors.api_error import ApiError
from app.core.database.database_clock import database_time
from app.core.database.engine import read_session, write_session
from app.core.integers import MAX_ID
from app.identity.accounts.errors import AccountError, KeyLikeNameError
from app.identity.members import management, sessions
from app.identity.members.errors import MemberError
from app.identity.members.models import Role
from app.identity.members.passwords import hash_password
from app.identity.members.sign_in import authenticate_members, set_password
from app.identity.members.throttle import SignInThrottle, TooManyFailuresError
from app.web.dashboard.access import (
    actor,
    admin_transaction,
    admins_only,
    member,
    redirect_to,
    visitor,
)
from app.web.dashboard.account.sign_in import signed_out_redirect
from app.web.dashboard.blueprint import account_page, blueprint
from app.web.dashboard.cookies import SESSION_COOKIE
from app.web.dashboard.errors import failed_form, status_of

_NOTICES = {
    "role-changed": "Role saved.",
    "removed": "Member removed and signed out everywhere.",
    "session-ended": "Signed out in that browser.",
    "password-changed": "Password changed. Every other browser is signed out.",
}
_MEMBER_ID = f"<int(min=1, max={MAX_ID}):member_id>"
_SESSION_ID = f"<int(min=1, max={MAX_ID}):session_id>"


@blueprint.get("/members")
def members() -> Response:
    return _members_page()


@blueprint.post("/members/invite")
@admins_only
def invite_member() -> Response:
    """Create a link for a new member, or for a forgotten password; show it once."""
    try:
        with admin_transaction() as session:
            invited = management.invite_member(
                session,
                actor(),
                member().account_id,
                request.form.get("email", ""),
                _chosen_role() if request.form.get("role") else None,
            )
    except (MemberError, KeyLikeNameError) as error:
        return _members_page(problem=error)
    return _members_page(invited=invited.member.email, link=invited.link(request.url_root))


@blueprint.post(f"/members/{_MEMBER_ID}/role")
@admins_only
def change_role(member_id: int) -> Response:
    role = _chosen_role()
    try:
        with admin_transaction() as session:
            management.set_role(session, actor(), member().account_id, member_id, role)
    except MemberError as error:
        return _members_page(button_problem=error)
    return redirect_to("members", done="role-changed")


@blueprint.post(f"/members/{_MEMBER_ID}/remove")
@admins_only
def remove_member(member_id: int) -> Response:
    try:
        with admin_transaction() as session:
            management.remove_member(session, actor(), member().account_id, member_id)
    except MemberError as error:
        return _members_page(button_problem=error)
    return redirect_to("members", done="removed")


@blueprint.post(f"/sessions/{_SESSION_ID}/end")
def end_session(session_id: int) -> Response:
    """Sign the member out in one browser."""
    with write_session() as session:
        if not sessions.end_session(session, session_id, member().member_id):
            abort(404)
    if session_id == member().session_id:
        return signed_out_redirect("signed-out")
    return redirect_to("members", done="session-ended")


@blueprint.route("/password", methods=["GET", "POST"])
def password() -> Response:
    """Show the form to change the password; on POST, change it."""
    if request.method in READ_METHODS:
        return _password_page()
    signed_in = member()
    try:
        throttle = SignInThrottle(limit_counters(), caller_network(), signed_in.email)
        present = request.form.get("password", "")
        (account_member,) = authenticate_members(
            signed_in.email, present, signed_in.account_name, throttle, visitor()
        )
        new_hash = hash_password(request.form.get("new_password", ""), signed_in.email)
        with write_session() as session:
            token = set_password(session, account_member, new_hash, visitor(), "in the dashboard")
    except (TooManyFailuresError, MemberError) as error:
        return failed_form(_password_page, error)
    response = redirect_to("members", done="password-changed")
    SESSION_COOKIE.set(response, token)
    return response


def _password_page(status: int = 200, problem: object = None) -> Response:
    return account_page("password.html", status, problem=problem)


def _members_page(
    problem: AccountError | None = None,
    button_problem: AccountError | None = None,
    invited: str | None = None,
    link: str | None = None,
) -> Response:
    """Return the page; ``problem`` is about the invitation, ``button_problem`` about a button."""
    error = problem or button_problem
    with read_session() as session:
        records = management.list_members(session, member().account_id)
        member_sessions = sessions.list_sessions(session, member().member_id)
        now = database_time(session)
    return account_page(
        "members.html",
        status_of(error) if error else 200,
        notices=_NOTICES,
        problem=problem,
        button_problem=button_problem,
        email=request.form.get("email", "") if problem else "",
        invited=invited,
        link=link,
        roles=list(Role),
        members=records,
        sessions=member_sessions,
        now=now,
    )


def _chosen_role() -> Role:
    try:
        return Role(request.form.get("role", ""))
    except ValueError:
        issue = f"unknown role; send {' or '.join(Role)}"
        raise ApiError(400, "Bad request", issue) from None
