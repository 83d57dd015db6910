"""Attacks on caching, framing and referrers of browsers; a failing or disabled dashboard."""

from pathlib import Path

import pytest

from app.core.database import db
from tests.support.api import error_of
from tests.support.keys import bearer, verify
from tests.support.members import sign_in
from tests.web.dashboard.attacks.support import paths, stored_data


def test_no_response_on_any_path_is_kept_framed_or_sniffed(full_app, admin, viewer) -> None:
    all_paths = {
        *paths(full_app, "GET"),
        *paths(full_app, "POST"),
        "/account/",
        "/account//keys",
        "/account/none",
        "/account/keys/9",
    }
    for path in all_paths:
        for browser in (admin.client, viewer.client, full_app.test_client()):
            for method in ("GET", "POST", "PUT", "OPTIONS", "TRACE"):
                headers = browser.open(path, method=method).headers
                context = (path, method, dict(headers))
                assert headers["Cache-Control"] == "no-store", context
                assert headers["X-Frame-Options"] == "DENY", context
                assert headers["X-Content-Type-Options"] == "nosniff", context
                assert headers["Referrer-Policy"] == "no-referrer", context
                parts = headers["Content-Security-Policy"].split("; ")
                policy = dict(part.split(" ", 1) for part in parts)
                for name in ("frame-ancestors", "base-uri", "default-src"):
                    assert policy[name] == "'none'", context
                for name in ("form-action", "script-src", "style-src"):
                    assert policy[name] == "'self'", context
                assert "Access-Control-Allow-Origin" not in headers, context


def test_nothing_outside_of_the_account_has_its_headers(full_app) -> None:
    for path in ("/accounts", "/forecast", "/account-keys"):
        assert "Cache-Control" not in full_app.test_client().get(path).headers, path


def test_no_page_allows_cross_origin_reads(full_app, admin) -> None:
    sent = {"Origin": "https://evil.example", "Access-Control-Request-Method": "POST"}
    for path in paths(full_app, "GET"):
        for method in ("GET", "OPTIONS"):
            headers = admin.client.open(path, method=method, headers=sent).headers
            assert not [name for name, _value in headers if name.startswith("Access-Control")]


def test_no_script_or_style_is_in_a_page(full_app, admin) -> None:
    """The policy would block them, and so break a page that needs them."""
    for path in paths(full_app, "GET"):
        page = admin.get(path).text.lower()
        for inline in ("<style", " style=", " onclick=", " onsubmit=", "javascript:", "<script>"):
            assert inline not in page, (path, inline)


def test_a_database_that_is_unavailable_is_an_error_page_and_ends_no_session(
    full_app, database_url, admin
) -> None:
    file, before = Path(database_url.removeprefix("sqlite:///")), stored_data(full_app)
    pages = [path for path in paths(full_app, "GET") if "sign-in" not in path]
    with full_app.app_context():
        db.engine.dispose()
    away = file.rename(f"{file}.away")
    file.mkdir()
    try:
        for path in pages:
            if "/oidc/" in path or path == "/account/invitation":
                continue
            page = admin.get(path)
            assert (page.status_code, page.mimetype) == (500, "text/html"), path
            for word in ("Traceback", "sqlite", "SELECT", str(file)):
                assert word not in page.text, path
            assert "Set-Cookie" not in page.headers
        assert admin.post("/account/sign-out").status_code == 500
    finally:
        file.rmdir()
        away.rename(file)
        with full_app.app_context():
            db.engine.dispose()
    assert admin.get("/account").status_code == 200
    assert stored_data(full_app) == before


class TestSwitchedOff:
    @pytest.fixture
    def settings(self) -> dict[str, object]:
        return {"account_dashboard": False}

    def test_no_path_is_there_for_whoever_asks_and_keys_work_on(self, app, key, make_key) -> None:
        browser = sign_in(app)
        for path in ("", "/sign-in", "/keys", "/keys/1", "/keys/new", "/members", "/audit.csv"):
            error_of(browser.get(f"/account{path}"), 404)
            error_of(browser.post(f"/account{path}"), 404)
        client = app.test_client()
        assert verify(client, key).status_code == 200
        assert client.get("/keys", headers=bearer(make_key("admin"))).status_code == 200


class TestWithoutPublicPages:
    @pytest.fixture
    def settings(self) -> dict[str, object]:
        return {"public_docs": False}

    def test_every_page_is_there_and_links_to_nothing_that_is_not(self, full_app, admin) -> None:
        for path in paths(full_app, "GET"):
            page = admin.get(path)
            assert page.status_code in (200, 404), path
            assert 'href="/docs' not in page.text, path
            assert 'href="/playground' not in page.text, path
