"""The texts about a key are about the key that is typed."""

import time
from collections.abc import Iterator

import pytest
from playwright.sync_api import Page, expect

pytestmark = pytest.mark.services

KEYS = ["ak_" + digit * 64 for digit in "abcd"]
ABOUT_KEY = "The key of your link may read. "
FIELDS = """async () => {
    document.querySelector("main").innerHTML = "<input id=key><p id=limits></p>";
    (await import(at("key.js"))).listenToKey();
}"""
SHOW = """async ([key, reset, about]) => {
    const {showLimits} = await import(at("key.js"));
    showLimits({limit: 100, remaining: 40, reset}, key, about);
}"""


@pytest.fixture
def key_page(script_page: Page) -> Iterator[Page]:
    """A page with only the field for the key and the text of its limits."""
    kept = script_page.locator("main").evaluate("main => main.innerHTML")
    script_page.evaluate(FIELDS)
    yield script_page
    script_page.evaluate("html => { document.querySelector('main').innerHTML = html; }", kept)


def test_whole_limits_leave_what_is_said_of_a_key_and_nothing_beside_another(
    key_page: Page,
) -> None:
    limits = key_page.locator("#limits")
    key_page.fill("#key", KEYS[0])
    key_page.evaluate(SHOW, [KEYS[0], time.time() + 2, ABOUT_KEY])
    expect(limits).to_contain_text(f"{ABOUT_KEY}40 of 100 requests left until")
    expect(limits).to_have_text(f"{ABOUT_KEY}100 of 100 requests left.")
    key_page.fill("#key", KEYS[1])
    expect(limits).to_be_empty()


def test_limits_of_a_key_that_is_no_longer_typed_are_not_shown(key_page: Page) -> None:
    key_page.fill("#key", KEYS[2])
    key_page.evaluate(SHOW, [KEYS[3], time.time() + 60, ABOUT_KEY])
    expect(key_page.locator("#limits")).to_be_empty()
