"""The cookies of sessions and sign-ins: not readable by scripts, never sent over plain HTTP."""

import datetime as dt

from flask import Response, request

from app.identity.members import flows
from app.identity.members.sessions import MAX_SESSION_AGE

SESSION, FLOW = "forecast-session", "forecast-sign-in"
# Browsers accept a cookie with this prefix only over HTTPS and only for this host.
_SECURE_PREFIX = "__Host-"


def session_token() -> str | None:
    return request.cookies.get(_name(SESSION))


def set_session(response: Response, token: str) -> None:
    _set(response, SESSION, token, MAX_SESSION_AGE, "Strict")


def delete_session(response: Response) -> None:
    _delete(response, SESSION)


def flow_state() -> str | None:
    """Return the state of this browser's sign-in at the identity provider."""
    return request.cookies.get(_name(FLOW))


def set_flow(response: Response, state: str) -> None:
    """Set the sign-in cookie to ``state``; the browser returns it with the provider's redirect."""
    _set(response, FLOW, state, flows.FLOW_LIFETIME, "Lax")


def delete_flow(response: Response) -> None:
    _delete(response, FLOW)


def _set(response: Response, name: str, value: str, age: dt.timedelta, same_site: str) -> None:
    response.set_cookie(
        _name(name),
        value,
        max_age=age,
        path="/",
        secure=request.is_secure,
        httponly=True,
        samesite=same_site,
    )


def _delete(response: Response, name: str) -> None:
    response.delete_cookie(
        _name(name), path="/", secure=request.is_secure, httponly=True, samesite="Strict"
    )


def _name(name: str) -> str:
    return f"{_SECURE_PREFIX}{name}" if request.is_secure else name
