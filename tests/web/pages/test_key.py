"""The texts about a key are about the key that is typed."""

import re
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
# Asks for limits three times; the first response has the status. Returns the number of requests.
LEARN = """async status => {
    const {learnLimits} = await import(at("key.js"));
    const {fetch} = window;
    const headers = {"X-RateLimit-Limit": 100, "X-RateLimit-Remaining": 40,
        "X-RateLimit-Reset": Math.ceil(Date.now() / 1000) + 60};
    let requests = 0;
    window.fetch = async () => new Response("{}", {status: requests++ ? 200 : status, headers});
    for (let i = 0; i < 3; i++) await learnLimits("/verify");
    window.fetch = fetch;
    return requests;
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


@pytest.mark.parametrize(
    ("status", "requests", "shown"),
    [(503, 2, "^40 of 100 requests left until"), (401, 1, "^$")],
    ids=["unavailable", "unknown key"],
)
def test_limits_are_asked_for_again_after_a_failure_that_may_pass(
    key_page: Page, status: int, requests: int, shown: str
) -> None:
    key_page.fill("#key", f"ak_{status}".ljust(67, "0"))
    assert key_page.evaluate(LEARN, status) == requests
    expect(key_page.locator("#limits")).to_have_text(re.compile(shown))
