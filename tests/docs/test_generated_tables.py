"""The tables that are made from the code are those that the code makes now."""

from flask import Flask

from docs import list_endpoints, list_formats, list_members, list_promises, list_settings
from docs.tables import ROOT, Table


def assert_current(table: Table) -> None:
    assert (ROOT / table.page).read_text() == table.page_with_it(), f"run `make {table.name}`"


def test_the_page_lists_the_members_that_take_part() -> None:
    assert_current(list_members.table())


def test_the_page_lists_every_endpoint_with_its_permission(app: Flask) -> None:
    assert_current(list_endpoints.table(app))


def test_the_page_lists_every_format_of_webhooks() -> None:
    assert_current(list_formats.table())


def test_the_page_lists_every_setting_with_its_default_and_meaning() -> None:
    assert_current(list_settings.table())


def test_each_promise_has_the_figures_that_the_pages_have() -> None:
    assert_current(list_promises.table())
