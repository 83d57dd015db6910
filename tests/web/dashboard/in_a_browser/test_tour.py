"""The tour of the dashboard in Chromium: from an invitation to a key that is revoked."""

import json
import subprocess
from typing import Any

import pytest
from playwright.sync_api import Browser, Page, expect

from tests.support.accessibility import DESK, PHONE, violations
from tests.support.browser import Watch, watched_profile
from tests.support.programs import find_binary
from tests.support.server import Server
from tests.support.services import wait_until

pytestmark = pytest.mark.services

PASSWORD = "correct horse battery staple"


def accept_invitation(page: Page, server: Server, account: str, email: str) -> None:
    """Open the link of the operator, and choose a password."""
    link = server.flask("members", "invite", account, email, "--quiet", "--url", server.url)
    page.goto(link)
    page.fill("input[type=password]", PASSWORD)
    page.click("main button.primary")
    expect(page.get_by_role("heading", name="Overview")).to_be_visible()


def see(page: Page, path: str, text: str) -> None:
    """Reload a page until it has ``text``: counts are written every few seconds."""

    def is_shown() -> bool:
        page.goto(path)
        return text in page.locator("main").inner_text()

    wait_until(is_shown, f"{path} with {text}")


def curl(command: str) -> dict[str, object]:
    """Run the command that a page shows; return its output."""
    find_binary("curl")
    done = subprocess.run(["bash", "-c", command], check=True, capture_output=True, timeout=60)
    body: dict[str, object] = json.loads(done.stdout)
    return body


def new_key(page: Page) -> str:
    """Return the key that the page shows, by its button."""
    page.get_by_role("button", name="Copy the key", exact=True).click()
    expect(page.get_by_role("button", name="Copied the key")).to_be_visible()
    copied: str = page.evaluate("() => navigator.clipboard.readText()")
    return copied


def test_a_key_is_managed_from_the_invitation_to_the_sign_out(
    browser: Browser, server: Server
) -> None:
    permissions: dict[str, Any] = {"permissions": ["clipboard-read", "clipboard-write"]}
    with watched_profile(browser, server.url, **DESK, **permissions) as (page, watch):
        accept_invitation(page, server, "default", "ada@example.com")

        page.get_by_role("link", name="Create a key").click()
        page.fill("#label", "shop")
        page.click("text=Create the key")
        old = new_key(page)
        assert page.locator("#new-key").inner_text() == old
        assert curl(page.locator("#try").inner_text())["success"] is True
        page.reload()  # makes no second key: the page now shows the key
        expect(page.get_by_role("heading", name="shop")).to_be_visible()
        assert old not in page.content()

        assert server.request("/monitors", key=old).status == 200
        see(page, "/account", "2 calls today")
        page.get_by_role("link", name="Keys", exact=True).click()
        expect(page.get_by_role("row").nth(1)).to_contain_text("from 127.0.0.1")

        page.get_by_role("link", name="shop").click()
        page.select_option("#grace", "7d")
        page.click("text=Rotate the key")
        successor = new_key(page)
        assert successor != old
        for key in (old, successor):
            assert server.request("/verify", key=key).status == 200

        page.goto("/account/keys?state=rotated")
        page.get_by_role("link", name="shop").click()
        page.get_by_role("link", name="Revoke…").click()
        expect(page.locator("main")).to_contain_text("All calls with it get 401 from now on")
        page.click("text=Revoke the key")
        expect(page.get_by_role("status")).to_contain_text("Key revoked")
        assert server.request("/verify", key=old).status == 401
        assert server.request("/verify", key=successor).status == 200

        cookies = page.context.cookies()
        page.click("text=Sign out")
        expect(page.get_by_role("button", name="Sign in")).to_be_visible()
        page.context.add_cookies(cookies)  # type: ignore[arg-type]
        page.goto("/account/keys")
        expect(page.get_by_role("button", name="Sign in")).to_be_visible()
        watch.check()


def check(page: Page, watch: Watch) -> None:
    """Check that axe finds nothing, and that nothing is wider than the screen."""
    assert violations(page) == [], page.url
    watch.rejections.clear()


def assert_in_sight(page: Page, button: str) -> None:
    """Check that a button is within the width of the screen: nothing scrolls sideways."""
    box = page.get_by_text(button, exact=True).first.bounding_box()
    width = page.viewport_size["width"] if page.viewport_size else 0
    assert box is not None
    assert box["x"] >= 0
    assert box["x"] + box["width"] <= width, button


def test_axe_finds_nothing_on_any_page_of_keys(browser: Browser, server: Server) -> None:
    account = "seen"
    server.flask("accounts", "create", account)
    with watched_profile(browser, server.url, **PHONE) as (page, watch):
        accept_invitation(page, server, account, "ada@example.com")
        check(page, watch)
        page.goto("/account/keys/new")
        page.fill("#label", "x" * 300)
        page.uncheck("#may-read")
        page.click("text=Create the key")
        expect(page.locator("#label")).to_be_focused()
        check(page, watch)
        page.fill("#label", "shop")
        page.check("#may-admin")
        page.select_option("#expires_in", "30d")
        page.click("text=Create the key")
        check(page, watch)
        key = page.locator("#new-key").inner_text()
        assert server.request("/verify", key=key).status == 200
        assert server.request("/forecast", {}, key).status == 403
        see(page, "/account", "2 calls today")
        check(page, watch)
        page.goto("/account/keys")
        check(page, watch)
        page.get_by_role("link", name="shop").click()
        page.click("text=Rotate the key")
        page.locator("main").get_by_role("link", name="page of the new key").click()
        check(page, watch)
        page.get_by_role("link", name="Revoke the old key").click()
        check(page, watch)


def test_axe_finds_nothing_on_the_pages_of_members_and_their_sign_in(
    browser: Browser, server: Server
) -> None:
    account, email = "people", "grace@example.com"
    server.flask("accounts", "create", account)
    with watched_profile(browser, server.url, **PHONE) as (page, watch):
        link = server.flask("members", "invite", account, email, "--quiet", "--url", server.url)
        page.goto(link)
        check(page, watch)
        page.fill("input[type=password]", "short")
        page.get_by_role("button", name="Show the password").click()
        expect(page.locator("#password")).to_have_attribute("type", "text")
        expect(page.locator("#password")).to_be_focused()
        check(page, watch)
        page.get_by_role("button", name="Show the password").click()
        expect(page.locator("#password")).to_have_attribute("type", "password")
        page.click("main button.primary")
        check(page, watch)
        accept_invitation(page, server, account, email)
        page.goto("/account/members")
        page.get_by_role("textbox", name="Email address").fill("lee@example.com")
        page.click("text=Create a link")
        expect(page.locator("main")).to_contain_text("Link for lee@example.com")
        check(page, watch)
        assert_in_sight(page, "Make admin")
        page.goto("/account/audit")
        expect(page.locator(".trail tbody tr").first).to_be_in_viewport()
        check(page, watch)
        page.goto("/account/password")
        check(page, watch)
        page.goto("/account/nowhere")
        check(page, watch)
        page.goto("/account/members")
        page.get_by_role("button", name="Sign out", exact=True).first.click()
        page.fill("[name=email]", email)
        page.fill("[name=password]", "no password of this one")
        page.click("main button.primary")
        expect(page.locator("main")).to_contain_text("do not match")
        check(page, watch)


def test_the_list_follows_what_is_typed_and_works_by_keyboard(
    browser: Browser, server: Server
) -> None:
    server.flask("accounts", "create", "typed")
    for label in ("shop", "warehouse"):
        options = ("--account", "typed", "--permissions", "read", "--label", label)
        server.flask("keys", "create", *options)
    with watched_profile(browser, server.url, **DESK) as (page, watch):
        accept_invitation(page, server, "typed", "ada@example.com")
        page.goto("/account/keys")
        rows = page.locator("tbody tr")
        expect(rows).to_have_count(2)
        page.focus("#search")
        page.keyboard.type("ware")
        expect(rows).to_have_count(1)
        expect(page.get_by_role("status")).to_contain_text("1 of 2 keys")
        expect(page).to_have_url(
            f"{server.url}/account/keys?search=ware&state=working&sort=created&direction=desc"
        )
        page.keyboard.press("Control+A")
        page.keyboard.press("Delete")
        expect(rows).to_have_count(2)
        page.get_by_role("link", name="Key", exact=True).focus()
        page.keyboard.press("Enter")
        expect(page.get_by_role("columnheader", name="Key")).to_have_attribute(
            "aria-sort", "ascending"
        )
        expect(rows.first).to_contain_text("shop")
        watch.check()
