"""All settings are reachable, the key and the button are visible, a press is never lost."""

import datetime as dt
from collections.abc import Iterator

import pytest
from playwright.sync_api import Page, expect

from tests.support.browser import Watch
from tests.web.pages.playing import LINES, paste, submit, wide_table

pytestmark = pytest.mark.services

LAPTOP = {"width": 1280, "height": 720}
PHONE = {"width": 390, "height": 844}
# Elements that cannot be scrolled to, or that others then cover.
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
IS_SEEN = """part => {
    const {left, top, width, height} = part.getBoundingClientRect();
    return part.contains(document.elementFromPoint(left + width / 2, top + height / 2));
}"""
SHIFTED = """() => new Promise(done => {
    let sum = 0;
    new PerformanceObserver(list => {
        sum = list.getEntries().reduce((all, {value}) => all + value, sum);
    }).observe({type: "layout-shift", buffered: true});
    requestAnimationFrame(() => setTimeout(() => done(sum), 0));
})"""
OUT_OF_SIGHT = """selector => [...document.querySelectorAll(selector)].filter(control => {
        const {left, top, right, bottom} = control.getBoundingClientRect();
        return left < 0 || top < 0 || right > innerWidth || bottom > innerHeight;
    }).map(control => control.id)"""


@pytest.fixture(autouse=True)
def usual_size(page_and_watch: tuple[Page, Watch]) -> Iterator[None]:
    """Restore the size of the page after a test."""
    page, _watch = page_and_watch
    usual = page.viewport_size
    yield
    page.set_viewport_size(usual)


def test_on_a_laptop_key_and_button_stay_in_view_and_cover_no_setting(
    playground: Page,
) -> None:
    playground.set_viewport_size(LAPTOP)
    paste(playground, "\n".join([*LINES[:18], *LINES[19:]]))  # a question asks about its gap
    for tab in ("forecast", "anomalies"):
        playground.click(f"#tab-{tab}")
        # Later it would move the settings.
        expect(playground.locator("#questions")).not_to_be_empty()
        for place in (0, 10_000):
            playground.evaluate("place => scrollTo(0, place)", place)
            assert playground.evaluate(OUT_OF_SIGHT, SENDING) == []
            assert playground.evaluate(COVERED, f"{SETTINGS}, {SENDING}") == []
            assert playground.evaluate(OUT_OF_SIGHT, SENDING) == []


@pytest.mark.parametrize("size", [LAPTOP, PHONE])
def test_a_key_that_works_leaves_the_height_to_the_settings(
    playground: Page, live_key, size
) -> None:
    playground.set_viewport_size(size)
    submit(playground, live_key)
    key, go = (playground.locator(at).bounding_box() for at in ("#key", "#go"))
    assert key
    assert go
    assert abs(key["y"] - go["y"]) < 4
    assert key["width"] > 60
    expect(playground.get_by_label("API key")).to_be_editable()
    assert playground.locator(".send").evaluate("send => send.offsetHeight") < 135


def test_on_a_laptop_the_settings_are_all_in_sight_and_scroll_only_with_the_page(
    playground: Page,
) -> None:
    playground.set_viewport_size(LAPTOP)
    playground.evaluate("() => scrollTo(0, 0)")
    scrolled = """form => [form, ...form.querySelectorAll("*")]
        .filter(part => !part.matches("textarea, input, select, .hidden, .error"))
        .filter(part => part.scrollHeight > part.clientHeight + 1)
        .filter(part => /auto|scroll/.test(getComputedStyle(part).overflowY))
        .map(part => part.id || part.className)"""
    assert playground.locator("form").evaluate(scrolled) == []
    for setting in ("horizon", "frequency", "confidence"):
        expect(playground.locator(f"#{setting}")).to_be_in_viewport(ratio=1)
    for setting in playground.locator(f"{SETTINGS}:visible:not([type=file])").all():
        assert setting.evaluate(IS_SEEN), setting.get_attribute("id")
    assert playground.evaluate(OUT_OF_SIGHT, SENDING) == []


def test_on_a_phone_the_button_stays_where_the_finger_is(playground: Page, live_key: str) -> None:
    playground.set_viewport_size(PHONE)
    submit(playground, live_key)
    expect(playground.locator("#sentence")).not_to_be_empty()
    playground.fill("#horizon", "7")  # reported when the press takes the focus away
    expect(playground.locator("#horizon")).to_be_focused()
    assert playground.evaluate(OUT_OF_SIGHT, SENDING) == []
    box = playground.locator("#go").bounding_box()
    playground.mouse.move(box["x"] + box["width"] - 8, box["y"] + box["height"] - 8)
    with playground.expect_request("**/forecast") as sent:
        playground.mouse.down()
        expect(playground.locator("#status")).to_have_text("The settings have changed since.")
        moved = playground.locator("#go").bounding_box()
        assert (moved["y"], moved["height"]) == (box["y"], box["height"])
        playground.mouse.up()
    assert sent.value.post_data_json["forecast_horizon"] == 7
    expect(playground.locator("#go")).to_be_enabled()
    assert playground.evaluate(COVERED, f"{SETTINGS}, {SENDING}") == []


@pytest.mark.parametrize("width", [390, 360])
@pytest.mark.parametrize("path", ["/", "/docs/errors"])
def test_on_a_phone_the_header_takes_one_row(page: Page, path: str, width: int) -> None:
    page.set_viewport_size(PHONE | {"width": width})
    page.goto(path)
    header = page.locator("header.bar")
    assert header.bounding_box()["height"] < 64
    assert page.get_by_role("button", name="theme").bounding_box()["x"] < width - 40


@pytest.mark.parametrize("size", [LAPTOP, PHONE], ids=["laptop", "phone"])
def test_missing_days_are_one_sentence_in_sight_with_the_choice_beside_it(
    playground: Page, watch: Watch, live_key: str, size
) -> None:
    playground.set_viewport_size(size)
    days = [dt.date(2024, 1, 1) + dt.timedelta(day) for day in range(120) if day % 6 != 4]
    paste(playground, "\n".join(f"{day},{n % 9}" for n, day in enumerate(days)))
    question = playground.locator(".question.asks")
    expect(question).to_have_count(1)
    expect(question).to_contain_text("Missing: 20 values from 2024-01-05 to 2024-04-28.")
    playground.evaluate("() => scrollTo(0, 0)")
    choice = playground.get_by_label("Fill with")
    for part in (question.locator("p"), choice):
        expect(part).to_be_in_viewport(ratio=1)
        assert part.evaluate(IS_SEEN)
    submit(playground, live_key)
    expect(playground.locator(".error > *")).to_have_count(1)
    expect(choice).to_be_focused()
    assert not [url for url in watch.urls if url.endswith("/forecast")]
    choice.select_option("straight lines")
    expect(playground.locator("#fact-missing")).to_have_text("20, filled")
    expect(choice).to_be_focused()
    expect(playground.locator("#horizon")).to_have_value("28")


def test_on_a_phone_the_fill_of_two_columns_is_above_the_key(playground: Page) -> None:
    playground.set_viewport_size(PHONE)
    hours = [f"2024-01-{day:02} {hour:02}:30" for day in range(1, 29) for hour in range(8, 20)]
    rows = [f"{time},{n * n % 9},{270 + n % 7}" for n, time in enumerate(hours)]
    paste(playground, "\n".join(["time,Calls offered,AHT (s)", *rows]))
    expect(playground.locator(".question.asks")).to_contain_text("in 1 more series")
    playground.evaluate("() => scrollTo(0, 0)")
    choice = playground.get_by_label("Fill with").bounding_box()
    bar = playground.locator(".send").bounding_box()
    assert choice["y"] + choice["height"] <= bar["y"]


@pytest.mark.parametrize("size", [LAPTOP, PHONE], ids=["laptop", "phone"])
@pytest.mark.parametrize(("path", "most"), [("/", 0.01), ("/#anomalies", 0.1)])
def test_nothing_moves_while_a_page_loads(page: Page, size, path: str, most: float) -> None:
    page.set_viewport_size(size)
    page.goto("about:blank")
    page.goto(path)
    if path == "/":
        expect(page.locator("#status")).to_contain_text("recorded")
    expect(page.locator("#as-code")).to_be_visible()
    expect(page.locator("#chart .scatterlayer").first).to_be_attached()
    assert page.evaluate(SHIFTED) <= most


@pytest.mark.parametrize("width", [390, 360, 320])
def test_on_a_phone_each_entry_of_the_menu_is_in_sight(playground: Page, width: int) -> None:
    playground.set_viewport_size({"width": width, "height": 844})
    playground.evaluate("() => scrollTo(0, 0)")
    entries = playground.locator(".bar :is(nav a, #theme)")
    assert entries.count() == 5
    hidden = f"entries => entries.filter(entry => !({IS_SEEN})(entry)).map(entry => entry.id)"
    assert entries.evaluate_all(hidden) == []


def test_on_a_phone_the_forecast_of_a_chosen_series_is_in_view(
    playground: Page, live_key: str
) -> None:
    playground.set_viewport_size(PHONE)
    paste(playground, wide_table(["North", "South", "East", "West"]))
    expect(playground.locator("#several-title")).to_have_text("4 series")
    submit(playground, live_key)
    for part in ("#sentence", "#chart"):
        expect(playground.locator(part)).to_be_in_viewport(ratio=1)


def test_on_a_phone_a_problem_of_a_setting_is_above_the_key(
    playground: Page, live_key: str
) -> None:
    playground.set_viewport_size(PHONE)
    playground.fill("#key", live_key)
    playground.locator("#key").blur()
    playground.fill("#horizon", "5000")
    playground.click("#go")
    problem = playground.locator("#horizon-error p")
    expect(problem).to_be_in_viewport(ratio=1)
    end, key = problem.bounding_box(), playground.locator(".send").bounding_box()
    assert end["y"] + end["height"] <= key["y"]


def test_on_a_phone_no_column_of_a_backtest_is_cut(playground: Page, live_key: str) -> None:
    playground.set_viewport_size(PHONE)
    playground.fill("#key", live_key)
    playground.click("#backtest")
    expect(playground.locator("#backtest-result")).to_be_in_viewport()
    table = playground.locator("#errors")
    assert table.evaluate("table => table.offsetWidth <= table.parentElement.clientWidth")
    expect(table.get_by_role("columnheader", name="Within")).to_be_visible()
    expect(table.get_by_text("Time", exact=True)).to_be_hidden()
