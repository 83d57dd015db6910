"""Signing in and out."""

from flask import Response, redirect, request, url_for

from app.accounts.transaction import transaction
from app.dashboard.access import as_response, from_own_form, member, own_path, signed_in
from app.dashboard.blueprint import blueprint, page
from app.dashboard.cookies import forget_session, set_session
from app.members import sessions
from app.members.sign_in import members_opened

WRONG = "This address and password open no account. Check both and try again."


@blueprint.route("/sign-in", methods=["GET", "POST"])
def sign_in() -> Response:
    """Show the form; signed in by it, go where the member wanted to."""
    email, wanted = request.form.get("email", ""), own_path(request.values.get("next"))
    if request.method == "GET":
        return page("sign_in.html", next=wanted, email="")
    with transaction() as session:
        opened = members_opened(session, email, request.form.get("password", ""))
        if not opened:
            return page("sign_in.html", 403, next=wanted, email=email, problem=WRONG)
        token = sessions.open_session(
            session, opened[0], request.remote_addr, request.headers.get("User-Agent", "")
        )
    response = as_response(redirect(wanted, 303))
    set_session(response, token)
    return response


@blueprint.post("/sign-out")
@signed_in
@from_own_form
def sign_out() -> Response:
    """End the current session."""
    with transaction() as session:
        sessions.end(session, member().session_id, member().member_id)
    response = as_response(redirect(url_for("dashboard.sign_in"), 303))
    forget_session(response)
    return response
