"""The interactive document at /docs in a real browser: its "try it" works with a pasted key."""

import json
import re

import pytest
from playwright.sync_api import Page, expect

from tests.support.browser import Watch
from tests.support.series import airline

pytestmark = pytest.mark.services


@pytest.fixture
def docs(page: Page) -> Page:
    page.goto("/docs")
    expect(page.locator(".opblock")).not_to_have_count(0)
    return page


def authorize(docs: Page, key: str) -> None:
    """Paste a key as a person does."""
    docs.click(".btn.authorize")
    docs.fill(".modal-ux input", key)
    docs.click(".modal-ux .btn.authorize")
    docs.click(".modal-ux .close-modal")


def execute(docs: Page, path: str) -> tuple[int, dict]:
    """Send the request of an endpoint; gives the status and the body that the page shows."""
    block = docs.locator(".opblock", has=docs.locator(f'[data-path="{path}"]'))
    row = block.locator(".live-responses-table .response")
    if row.count():  # the answer before, which is not to be taken for the next one
        block.locator(".btn-clear").click()
        expect(row).to_have_count(0)
    block.locator(".btn.execute").click()
    expect(row).to_be_visible()
    status = row.locator(".response-col_status").inner_text().split()[0]
    return int(status), json.loads(row.locator("pre").first.inner_text())


def test_a_forecast_can_be_tried_with_a_pasted_key(docs: Page, live_key: str) -> None:
    authorize(docs, live_key)
    docs.click('[data-path="/forecast"]')
    docs.locator('[data-param-name="X-Model-Id"] select').select_option("forecast-model-2")
    docs.fill(".body-param__text", json.dumps(airline()))
    status, answer = execute(docs, "/forecast")
    assert status == 200
    assert len(answer["median"]) == airline()["forecast_horizon"]


def test_the_key_can_be_verified_and_is_not_kept(docs: Page, live_key: str, watch: Watch) -> None:
    docs.click('[data-path="/verify"]')
    assert execute(docs, "/verify")[0] == 401
    watch.expect_refusals(401)
    authorize(docs, live_key)
    assert execute(docs, "/verify")[1]["success"] is True
    kept = docs.evaluate("() => JSON.stringify([{...localStorage}, {...sessionStorage}])")
    assert live_key not in kept + docs.url + docs.evaluate("() => document.cookie")
    assert not any(live_key in url for url in watch.urls)
    docs.reload()
    docs.click('[data-path="/verify"]')
    assert execute(docs, "/verify")[0] == 401
    watch.expect_refusals(401)


def test_every_operation_of_the_document_is_on_the_page(docs: Page, page: Page) -> None:
    document = page.evaluate("async () => (await fetch('/openapi.json')).json()")
    wanted = {
        (method.upper(), path)
        for path, operations in document["paths"].items()
        for method in operations
        if method in ("get", "post", "put", "patch", "delete")
    }
    shown = {
        tuple(re.sub("\u200b", "", text).split("\n")[:2])
        for text in docs.locator(".opblock-summary").all_inner_texts()
    }
    assert {(method, path) for method, path in shown} == wanted
