"""The cookies of a session and of a sign-in: out of reach of scripts and of plain HTTP."""

import datetime as dt

from flask import Response, request

from app.members import flows
from app.members.sessions import LONGEST

SESSION, FLOW = "forecast-session", "forecast-sign-in"
SECURE_PREFIX = "__Host-"
"""Browsers take a cookie of such a name from HTTPS alone, and from no neighbouring host."""


def session_token() -> str | None:
    """Return the session token that the current request brings."""
    return request.cookies.get(_name(SESSION))


def set_session(response: Response, token: str) -> None:
    """Make the browser keep ``token``."""
    _set(response, SESSION, token, LONGEST, "Strict")


def forget_session(response: Response) -> None:
    """Make the browser forget its token."""
    _forget(response, SESSION)


def flow_state() -> str | None:
    """Return the state of the sign-in that this browser has begun at the identity provider."""
    return request.cookies.get(_name(FLOW))


def set_flow(response: Response, state: str) -> None:
    """Make the browser keep ``state``; it must come along when the provider sends it back."""
    _set(response, FLOW, state, flows.LIFETIME, "Lax")


def forget_flow(response: Response) -> None:
    """Make the browser forget the sign-in."""
    _forget(response, FLOW)


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


def _forget(response: Response, name: str) -> None:
    response.delete_cookie(
        _name(name), path="/", secure=request.is_secure, httponly=True, samesite="Strict"
    )


def _name(name: str) -> str:
    return f"{SECURE_PREFIX}{name}" if request.is_secure else name
