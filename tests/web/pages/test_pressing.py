"""A pressed control is clicked although the page has moved it meanwhile."""

import contextlib
from collections.abc import Iterator

import pytest
from playwright.sync_api import Page, Route, expect

from tests.support.browser import Watch
from tests.web.pages.playing import MONTHLY, ROBUST, paste

pytestmark = pytest.mark.services

HIGH = {"width": 1280, "height": 1400}
FAR_PX = 180


@pytest.fixture
def high(playground: Page, live_key: str) -> Iterator[Page]:
    """Make the window higher than the form, and type a key."""
    usual = playground.viewport_size
    playground.set_viewport_size(HIGH)
    playground.fill("#key", live_key)
    yield playground
    playground.set_viewport_size(usual)


def _centre_of(page: Page, selector: str) -> tuple[float, float]:
    box = page.locator(selector).bounding_box()
    return box["x"] + box["width"] / 2, box["y"] + box["height"] / 2


@contextlib.contextmanager
def _table_read_late(page: Page) -> Iterator[None]:
    """Paste a table that is read after the block, which then has moved the buttons."""
    held: list[Route] = []
    page.route("**/read?*", lambda route: held.append(route), times=1)  # noqa: PLW0108 - not a builtin
    with page.expect_request("**/read?*"):
        paste(page, MONTHLY)
    expect(page.locator("#notes")).to_contain_text("Reading")  # what was here before is gone
    before = page.locator("#go").bounding_box()
    yield
    held[0].continue_()
    expect(page.locator("#fact-points")).to_have_text("48")
    after = page.locator("#go").bounding_box()
    assert abs(after["y"] - before["y"]) > before["height"] / 2


@pytest.mark.parametrize(("selector", "path"), [("#go", "/forecast"), ("#backtest", "/backtest")])
def test_a_button_that_a_reading_moves_while_it_is_pressed_is_clicked(
    high: Page, selector: str, path: str
) -> None:
    with _table_read_late(high):
        high.mouse.move(*_centre_of(high, selector))
        high.mouse.down()
    with high.expect_request(f"**{path}"):
        high.mouse.up()
    expect(high.locator("#go")).to_be_enabled()


@pytest.mark.parametrize("selector", [f"#{ROBUST}", f"label[for={ROBUST}]"])
def test_a_model_that_moves_while_it_is_pressed_is_chosen(high: Page, selector: str) -> None:
    high.fill("#horizon", "500")
    high.locator("#horizon").blur()
    expect(high.locator("#horizon-hint")).to_contain_text("Intervals have been tested")
    high.fill("#horizon", "12")
    before = high.locator(selector).bounding_box()
    high.mouse.move(*_centre_of(high, selector))
    high.mouse.down()  # which ends the typing: the hint goes
    expect(high.locator("#horizon-hint")).to_have_text("")
    after = high.locator(selector).bounding_box()
    assert before["y"] - after["y"] > before["height"] / 2
    high.mouse.up()
    expect(high.locator(f"#{ROBUST}")).to_be_checked()


def test_a_pointer_that_is_drawn_off_a_button_does_not_click_it(high: Page, watch: Watch) -> None:
    expect(high.locator("#reading[aria-busy]")).to_have_count(0)
    watch.forget()
    x, y = _centre_of(high, "#go")
    high.mouse.move(x, y)
    high.mouse.down()
    high.mouse.move(x, y - FAR_PX, steps=5)
    high.mouse.up()
    high.wait_for_timeout(100)
    assert watch.urls == []
    assert high.locator("#go").is_enabled()


@pytest.mark.parametrize("modifier", [None, "Control", "Meta", "Shift", "Alt"])
def test_a_link_that_moves_is_clicked_unless_a_modifier_is_held(
    high: Page, modifier: str | None
) -> None:
    link = high.locator("header nav a").last
    link.evaluate(
        "link => { link.onclick = event => { event.preventDefault(); link.id = 'clicked'; }; }"
    )
    link.hover()
    if modifier:
        high.keyboard.down(modifier)
    high.mouse.down()
    link.evaluate("link => { link.style = 'position: relative; top: 180px'; }")
    high.mouse.up()
    if modifier:
        high.keyboard.up(modifier)
    is_clicked = link.evaluate("link => link.id === 'clicked'")
    link.evaluate("link => { link.onclick = null; link.removeAttribute('id'); link.style = ''; }")
    assert is_clicked == (modifier is None)


def test_a_button_that_a_reading_moves_under_a_finger_is_clicked(high: Page) -> None:
    finger = high.context.new_cdp_session(high)
    touch = "Input.dispatchTouchEvent"
    with _table_read_late(high):
        x, y = _centre_of(high, "#go")
        finger.send(touch, {"type": "touchStart", "touchPoints": [{"x": x, "y": y}]})
    with high.expect_request("**/forecast"):
        finger.send(touch, {"type": "touchEnd", "touchPoints": []})
    expect(high.locator("#go")).to_be_enabled()
