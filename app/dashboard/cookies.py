"""The cookie of a session: out of reach of scripts, of other sites, of plain HTTP."""

from flask import Response, request

from app.members.sessions import LONGEST

SECURE_NAME = "__Host-forecast-session"
"""Browsers take a cookie of this name from HTTPS alone, and from no neighbouring host."""
LOOPBACK_NAME = "forecast-session"


def session_token() -> str | None:
    """Return the session token that the current request brings."""
    return request.cookies.get(_name())


def set_session(response: Response, token: str) -> None:
    """Make the browser keep ``token``."""
    response.set_cookie(
        _name(),
        token,
        max_age=LONGEST,
        path="/",
        secure=request.is_secure,
        httponly=True,
        samesite="Strict",
    )


def forget_session(response: Response) -> None:
    """Make the browser forget its token."""
    response.delete_cookie(
        _name(), path="/", secure=request.is_secure, httponly=True, samesite="Strict"
    )


def _name() -> str:
    return SECURE_NAME if request.is_secure else LOOPBACK_NAME
