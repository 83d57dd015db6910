"""/docs/errors shows what the tests of the API send and compare: every error, with its remedy."""

import html
import json
import re

import pytest
from flask.testing import FlaskClient
from playwright.sync_api import Browser, Page, expect

from app.api.dialects import DIALECTS
from app.api.endpoints.endpoint import endpoints_of
from app.api.errors.statuses import STATUSES
from app.api.examples.recorded import EXAMPLES
from tests.support.browser import profile
from tests.support.server import Server

PATH = "/docs/errors"
ERRORS = [*EXAMPLES.errors, *(error for dialect in DIALECTS for error in dialect.examples.errors)]
SHOWN_ARTICLES = "article:visible"


@pytest.fixture
def articles(client: FlaskClient) -> dict[str, str]:
    """The text of each error on the page, without tags, by its name."""
    page = client.get(PATH).get_data(as_text=True)
    texts = re.findall(r"<article .*?</article>", page, re.DOTALL)
    results = [re.findall(r'<div id="([^"]+)"', text)[0] for text in texts]
    plain = (html.unescape(re.sub(r"<[^>]+>", "", text)) for text in texts)
    return dict(zip(results, plain, strict=True))


def test_every_error_is_there_once(articles: dict[str, str]) -> None:
    assert sorted(articles) == sorted(example.name for example in ERRORS)


def test_each_is_shown_with_its_response_and_its_remedy(articles: dict[str, str]) -> None:
    for example in ERRORS:
        text = articles[example.name]
        assert f"HTTP status: {example.status}" in text
        body = json.loads(text[text.index("{\n") :])
        assert body == example.response
        for words in (example.when, example.remedy, example.circumstance):
            assert words.replace("`", "") in text
        assert all(place in text for place in (*example.changes, *example.removed))


def test_a_status_names_the_endpoints_that_give_it(client: FlaskClient) -> None:
    section = client.get(PATH).text.split('<h2 id="status-422">')[1]
    line = re.sub(r"<[^>]+>", "", section.split('<p class="by">')[1].split("</p>")[0])
    before, _, endpoint_names = line.partition("Given by: ")
    assert before == "From the service. "
    declared = [
        str(endpoint)
        for endpoint in endpoints_of(client.application).values()
        if 422 in endpoint.error_statuses
    ]
    assert sorted(endpoint_names.split(", ")) == sorted(declared)
    assert {"POST /forecast", "PUT /monitors/{name}"} <= {*declared}
    assert "GET /verify" not in declared


def test_the_other_pages_and_the_document_link_to_it(client: FlaskClient) -> None:
    for path in ("/", "/docs"):
        assert f'href="{PATH}"' in client.get(path).get_data(as_text=True)
    assert f"({PATH})" in client.get("/openapi.json").get_json()["info"]["description"]


@pytest.fixture
def errors(page: Page) -> Page:
    """The page in a browser, without a search and with everything folded."""
    page.goto("about:blank")
    page.goto(PATH)
    expect(page.locator("#hits")).to_have_text(f"{len(ERRORS)} errors.")
    return page


@pytest.mark.services
class TestInABrowser:
    def test_all_statuses_are_in_sight_folded(self, errors: Page) -> None:
        expect(errors.locator("h2:visible")).to_have_count(len(STATUSES))
        expect(errors.locator(SHOWN_ARTICLES)).to_have_count(0)

    @pytest.mark.parametrize("code", ["429", "RATE_LIMIT_EXCEEDED"])
    def test_a_search_finds_a_status_or_a_code(self, errors: Page, code: str) -> None:
        errors.get_by_label("Find an error").fill(code)
        number = sum(error.status == 429 for error in ERRORS)
        expect(errors.locator(SHOWN_ARTICLES)).to_have_count(number)
        expect(errors.locator("h2:visible")).to_have_text("429 RATE_LIMIT_EXCEEDED")
        expect(errors.get_by_role("status")).to_have_text(f"{number} of {len(ERRORS)} errors.")

    def test_a_search_finds_a_field_and_words_of_the_issue(self, errors: Page) -> None:
        wanted = [
            example
            for example in ERRORS
            if "forecast_horizon" in (text := json.dumps(example.response)) and "whole" in text
        ]
        errors.get_by_label("Find an error").fill("whole FORECAST_HORIZON")
        shown = errors.locator(SHOWN_ARTICLES)
        for example in wanted:
            expect(shown.filter(has=errors.locator(f"#{example.name}"))).to_have_count(1)
        for text in shown.evaluate_all("(all) => all.map((one) => one.textContent.toLowerCase())"):
            assert "whole" in text
            assert "forecast_horizon" in text

    def test_an_empty_search_result_is_reported_and_clearing_restores_all(
        self, errors: Page
    ) -> None:
        box = errors.get_by_label("Find an error")
        box.fill("Zebra crossing")
        expect(errors.get_by_role("status")).to_contain_text("Nothing found for “Zebra crossing”")
        expect(errors.locator("h2:visible")).to_have_count(0)
        box.fill("")
        expect(errors.locator("h2:visible")).to_have_count(len(STATUSES))

    def test_a_link_unfolds_what_it_points_to_and_ends_a_search_that_hides_it(
        self, errors: Page
    ) -> None:
        target = errors.locator("#limit-used-up")
        errors.get_by_label("Find an error").fill("403")
        errors.get_by_role("link", name="limit that is used up").click()
        expect(target).to_be_in_viewport()
        expect(errors.locator(SHOWN_ARTICLES).filter(has=target)).to_have_count(1)

    def test_a_keyboard_folds_and_unfolds(self, errors: Page) -> None:
        errors.get_by_label("Find an error").focus()
        for key in ("Tab", "Tab", "Enter", "Tab", "Enter"):  # past the button, a status, an error
            errors.keyboard.press(key)
        expect(errors.locator("pre:visible")).to_have_count(1)
        errors.keyboard.press("Enter")
        expect(errors.locator("pre:visible")).to_have_count(0)

    def test_one_press_unfolds_all(self, errors: Page) -> None:
        errors.get_by_role("button", name="Unfold all").click()
        expect(errors.locator("pre:visible")).to_have_count(len(ERRORS))
        errors.get_by_role("button", name="Fold all").click()
        expect(errors.locator(SHOWN_ARTICLES)).to_have_count(0)

    def test_without_scripts_all_can_be_read(self, browser: Browser, server: Server) -> None:
        with profile(browser, server.url, java_script_enabled=False) as context:
            page = context.new_page()
            page.goto(f"{PATH}#limit-used-up")
            expect(page.locator("#limit-used-up")).to_be_in_viewport()
            expect(page.locator("form")).to_be_hidden()
