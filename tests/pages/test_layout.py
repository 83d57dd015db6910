"""Every setting can be reached, the key and the button are always seen, a press is never lost."""

from collections.abc import Iterator

import pytest
from playwright.sync_api import Page, expect

from tests.pages.playing import LINES, ask, paste

pytestmark = pytest.mark.services

LAPTOP = {"width": 1280, "height": 720}
PHONE = {"width": 390, "height": 844}
# What cannot be scrolled to, or lies under something else when it is.
COVERED = """selector => [...document.querySelectorAll(selector)]
    .filter(control => control.checkVisibility() && control.offsetWidth > 1)
    .filter(control => {
        control.scrollIntoView({block: "nearest"});
        const {left, top, width, height} = control.getBoundingClientRect();
        const seen = document.elementFromPoint(left + width / 2, top + height / 2);
        return !(control === seen || control.contains(seen));
    }).map(control => control.id)"""
SETTINGS = ".settings :is(input, select, textarea, button)"
SENDING = ":is(#key, #go, #backtest:not([hidden]))"
OUT_OF_SIGHT = """selector => [...document.querySelectorAll(selector)].filter(control => {
        const {left, top, right, bottom} = control.getBoundingClientRect();
        return left < 0 || top < 0 || right > innerWidth || bottom > innerHeight;
    }).map(control => control.id)"""


@pytest.fixture
def sized(playground: Page) -> Iterator[Page]:
    """The playground, which gets its size back."""
    usual = playground.viewport_size
    yield playground
    playground.set_viewport_size(usual)


@pytest.mark.parametrize("tab", ["forecast", "anomalies"])
def test_on_a_laptop_the_key_and_the_button_are_always_seen_and_cover_no_setting(
    sized: Page, tab: str
) -> None:
    sized.set_viewport_size(LAPTOP)
    paste(sized, "\n".join([*LINES[:18], *LINES[19:]]))  # whose gap is asked about
    sized.click(f"#tab-{tab}")
    expect(sized.locator("#questions")).not_to_be_empty()  # later it would move the settings
    end = sized.locator("#settings-end")
    for place in (0, 10_000):
        sized.locator("form .settings").evaluate("pane => pane.scrollTo(0, 0)")
        expect(sized.locator("form.more")).to_have_count(1)
        sized.evaluate("place => scrollTo(0, place)", place)
        assert sized.evaluate(OUT_OF_SIGHT, SENDING) == []
        assert sized.evaluate(COVERED, f"{SETTINGS}, {SENDING}") == []
        assert sized.evaluate(OUT_OF_SIGHT, SENDING) == []
        end.scroll_into_view_if_needed()
        expect(sized.locator("form.more")).to_have_count(0)


def test_on_a_phone_the_button_stays_where_the_finger_is(sized: Page, live_key) -> None:
    sized.set_viewport_size(PHONE)
    ask(sized, live_key)
    expect(sized.locator("#sentence")).not_to_be_empty()
    sized.fill("#horizon", "7")  # told when the press takes the focus away
    expect(sized.locator("#horizon")).to_be_focused()
    assert sized.evaluate(OUT_OF_SIGHT, SENDING) == []
    box = sized.locator("#go").bounding_box()
    sized.mouse.move(box["x"] + box["width"] - 8, box["y"] + box["height"] - 8)
    with sized.expect_request("**/forecast") as sent:
        sized.mouse.down()
        expect(sized.locator("#status")).to_have_text("The settings have changed since.")
        moved = sized.locator("#go").bounding_box()
        assert (moved["y"], moved["height"]) == (box["y"], box["height"])
        sized.mouse.up()
    assert sent.value.post_data_json["forecast_horizon"] == 7
    expect(sized.locator("#go")).to_be_enabled()
    assert sized.evaluate(COVERED, f"{SETTINGS}, {SENDING}") == []
