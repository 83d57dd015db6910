"""A real browser: Debian's headless Chromium, driven by Playwright, and watched."""

import contextlib
import time
from collections.abc import Iterator
from urllib.parse import urlsplit

from playwright.sync_api import (
    Browser,
    BrowserContext,
    ConsoleMessage,
    Page,
    expect,
    sync_playwright,
)

from tests.support.programs import find_binary, find_node

# The browser's own network traffic is off: it connects only to the server under test.
FLAGS = [
    "--no-sandbox",  # containers run as root
    "--disable-gpu",
    "--disable-quic",
    "--no-first-run",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
]
PATIENCE_MS = 20_000  # on a busy machine
REJECTED = "Failed to load resource: the server responded with a status of "


@contextlib.contextmanager
def chromium() -> Iterator[Browser]:
    """Run Chromium within a block."""
    binary = find_binary("chromium")
    find_node()  # which drives it
    expect.set_options(timeout=PATIENCE_MS)
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=binary, args=FLAGS)
        try:
            yield browser
        finally:
            browser.close()


class Watch:
    """Notes what goes wrong on a page: errors of scripts, console errors, requests elsewhere.

    A response that is not 2xx is a console error of the browser; ``rejections`` has its status, and
    the test that provoked it says so with ``expect_rejections``.
    """

    def __init__(self, page: Page, home: str) -> None:
        self.problems: list[str] = []
        self.rejections: list[int] = []
        self.urls: list[str] = []
        self._home = urlsplit(home).netloc
        self._page = page
        page.on("pageerror", lambda error: self.problems.append(f"script error: {error.stack}"))
        page.on("console", self._on_console)
        page.on("request", lambda request: self._on_request(request.url))

    def _on_console(self, message: ConsoleMessage) -> None:
        if message.text.startswith(REJECTED):
            self.rejections.append(int(message.text.removeprefix(REJECTED).split(" ")[0]))
        elif message.type in ("error", "warning"):
            self.problems.append(f"console {message.type}: {message.text}")

    def _on_request(self, url: str) -> None:
        self.urls.append(url)
        parts = urlsplit(url)
        if parts.scheme not in ("data", "blob") and parts.netloc != self._home:
            self.problems.append(f"request elsewhere: {url}")

    def expect_rejections(self, *statuses: int) -> None:
        """Wait for this many responses other than 2xx, check their statuses, and reset them."""
        deadline = time.monotonic() + PATIENCE_MS / 1000
        while len(self.rejections) < len(statuses) and time.monotonic() < deadline:
            self._page.wait_for_timeout(20)  # events of the page arrive only while Playwright waits
        assert self.rejections == [*statuses], self.rejections
        self.rejections.clear()

    def forget(self) -> None:
        """Reset the recorded events."""
        for notes in (self.problems, self.rejections, self.urls):
            notes.clear()

    def check(self) -> None:
        """Fail if an error was recorded."""
        assert self.problems == [], self.problems
        assert self.rejections == []


@contextlib.contextmanager
def profile(browser: Browser, home: str, **options: object) -> Iterator[BrowserContext]:
    """Open a new browser profile within a block; ``home`` is the server under test."""
    context = browser.new_context(base_url=home, reduced_motion="reduce", **options)
    try:
        yield context
    finally:
        context.close()


@contextlib.contextmanager
def watched_profile(browser: Browser, home: str, **options: object) -> Iterator[tuple[Page, Watch]]:
    """Open a page in a new profile within a block; it must have no errors."""
    with profile(browser, home, **options) as context, watched_page(context, home) as watched:
        yield watched


@contextlib.contextmanager
def watched_page(context: BrowserContext, home: str) -> Iterator[tuple[Page, Watch]]:
    """Open a page within a block; it must have no errors."""
    page = context.new_page()
    try:
        watch = Watch(page, home)
        yield page, watch
        watch.check()
    finally:
        page.close()
