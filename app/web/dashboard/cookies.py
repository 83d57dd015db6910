"""The cookies of sessions and sign-ins: not readable by scripts, never sent over plain HTTP."""

import datetime as dt
from dataclasses import dataclass

from flask import Response, request

from app.identity.members import flows
from app.identity.members.sessions import MAX_SESSION_AGE

SESSION, FLOW = "forecast-session", "forecast-sign-in"
# Browsers accept a cookie with this prefix only over HTTPS and only for this host.
_SECURE_PREFIX = "__Host-"


@dataclass(frozen=True)
class Cookie:
    bare_name: str
    max_age: dt.timedelta
    same_site: str

    @property
    def name(self) -> str:
        return f"{_SECURE_PREFIX}{self.bare_name}" if request.is_secure else self.bare_name

    def read(self) -> str | None:
        return request.cookies.get(self.name)

    def set(self, response: Response, value: str) -> None:
        response.set_cookie(
            self.name,
            value,
            max_age=self.max_age,
            path="/",
            secure=request.is_secure,
            httponly=True,
            samesite=self.same_site,
        )

    def delete(self, response: Response) -> None:
        response.delete_cookie(
            self.name, path="/", secure=request.is_secure, httponly=True, samesite="Strict"
        )


SESSION_COOKIE = Cookie(SESSION, MAX_SESSION_AGE, "Strict")
# The state of a sign-in at the identity provider: a browser sends it with the provider's redirect.
FLOW_COOKIE = Cookie(FLOW, flows.FLOW_LIFETIME, "Lax")
