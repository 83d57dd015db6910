"""The pictures of the documents: their account can be made."""

import pytest
from flask import Flask

from docs import sample_account
from tests.support.keys import record_of
from tests.support.members import sign_in


@pytest.fixture
def has_dashboard() -> bool:
    return True


def test_the_account_of_the_pictures_has_keys_with_calls_and_people(app: Flask, key: str) -> None:
    sample_account.fill(app, record_of(app, key).account_id)
    browser = sign_in(app, account=sample_account.NAME)
    keys = browser.get("/account/keys").text
    assert "shop, production" in keys
    assert "Expires in 9 days" in keys
    assert "kim@shop.example" in browser.get("/account/members").text
