"""The requests that PUT /webhooks/{name} rejects, and the fields that errors name."""

from typing import Any

import pytest

from app.delivery.formats import FORMATS
from tests.support.api import Api, details_of

HOOK = "https://example.com/hook"
SECRET = "ak_" + "0123456789abcdef" * 4
CHOICES = f"send one of {', '.join(FORMATS)}"
WRONG: list[tuple[dict[str, Any], str, str]] = [
    ({}, "url", "missing: send url, such as https://example.com/hook"),
    ({"url": None}, "url", "null was sent: send url, such as https://example.com/hook"),
    ({"url": 1}, "url", "Must be a string, such as https://example.com/hook"),
    ({"url": "http://example.com"}, "url", "send a URL that starts with https://"),
    ({"url": f"https://example.com/{SECRET}"}, "url", "the URL looks like an API key"),
    ({"url": "https://10.0.0.1/"}, "url", "the host is not a public address"),
    ({"url": "https://localhost/"}, "url", "localhost is not a public address"),
    ({"url": HOOK, "format": "slack"}, "format", f"unknown format: 'slack' was sent; {CHOICES}"),
    ({"url": HOOK, "format": None}, "format", "unknown format: null was sent"),
    ({"url": HOOK, "format": "pagerduty"}, "url", "send the integration key, 32 characters"),
    ({"url": HOOK, "secret": "whsec_x"}, "secret", "unknown field"),
]


@pytest.mark.parametrize(("body", "field", "issue"), WRONG)
def test_a_wrong_body_names_its_field(
    api: Api, body: dict[str, Any], field: str, issue: str
) -> None:
    details = details_of(api.send("PUT", "/webhooks/never-made", body), 400)
    assert details["field"] == field
    assert details["issue"].startswith(issue)
    assert api.request("GET", "/webhooks/never-made").status_code == 404


@pytest.mark.parametrize("name", ["Ops", "...", "a b", "o" * 101, "ö"])
def test_a_wrong_name_is_rejected_where_it_would_be_new_and_unknown_elsewhere(
    api: Api, name: str
) -> None:
    details = details_of(api.send("PUT", f"/webhooks/{name}", {"url": HOOK}), 400)
    assert details["issue"].startswith("not a valid webhook name: send 1 to 100 of a-z")
    for method, rest in (("GET", ""), ("DELETE", ""), ("POST", "/test"), ("POST", "/rotate")):
        issue = details_of(api.request(method, f"/webhooks/{name}{rest}"), 404)["issue"]
        assert issue.startswith("there is no webhook")
