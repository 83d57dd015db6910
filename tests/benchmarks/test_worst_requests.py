"""The table of the worst requests is of all endpoints that there are."""

import re
from dataclasses import replace

import pytest
from flask import Flask

from app.api.endpoints.endpoint import Endpoint, endpoints_of
from benchmarks import worst_bodies, worst_pages
from benchmarks.worst_pages import pages_of
from benchmarks.worst_requests import NAME, PAGE, merge_rows, missing_cases
from docs.tables import ROOT


@pytest.fixture
def has_dashboard() -> bool:
    return True


@pytest.fixture
def endpoints(app: Flask) -> list[Endpoint]:
    return [*endpoints_of(app).values()]


def test_every_endpoint_has_a_worst_request(endpoints: list[Endpoint]) -> None:
    assert missing_cases(endpoints) == []


def test_a_new_endpoint_with_a_body_is_measured_before_it_is_released(
    endpoints: list[Endpoint],
) -> None:
    (known,) = (endpoint for endpoint in endpoints if endpoint.name == "POST /forecast")
    assert missing_cases([replace(known, path="/new")]) == ["POST /new"]


def test_no_request_is_kept_of_an_endpoint_that_has_gone(endpoints: list[Endpoint]) -> None:
    kept = worst_bodies.ACCEPTED.keys() | worst_bodies.QUERIES.keys()
    assert kept - {endpoint.name for endpoint in endpoints} == set()


def test_the_page_shows_what_every_endpoint_and_page_costs(
    app: Flask, endpoints: list[Endpoint]
) -> None:
    table = (ROOT / PAGE).read_text().partition(f"<!-- {NAME}:")[2]
    listed = re.findall(r"^\| `([A-Z]+ /[^`]*)`", table, re.MULTILINE)
    assert {*listed} == {endpoint.name for endpoint in [*endpoints, *pages_of(app)]}


def test_the_rows_of_one_endpoint_replace_its_own_and_no_others() -> None:
    rows = "| `A` | 1 |\n| `C` | 2 |\n| `C` | 3 |\n"
    page = f"x\n<!-- {NAME}: -->\n| Request |\n|---|\n{rows}<!-- end -->"
    assert merge_rows(page, "| `C` | 4 |\n") == "| `A` | 1 |\n| `C` | 4 |\n"
    assert (
        merge_rows(page, "| `B` | 5 |\n") == "| `A` | 1 |\n| `B` | 5 |\n| `C` | 2 |\n| `C` | 3 |\n"
    )


def test_every_form_that_is_measured_is_one_of_the_service(app: Flask) -> None:
    posted = {rule.rule for rule in app.url_map.iter_rules() if "POST" in (rule.methods or ())}
    assert worst_pages.FORMS.keys() <= posted


def test_every_page_has_a_path_to_request(app: Flask) -> None:
    paths = {page.filled_path() for page in pages_of(app)}
    assert {"/metrics", "/account", "/account/monitors/worst"} <= paths
    assert not [path for path in paths if "<" in path]
