"""The document, fetched once."""

import pytest

from tests.support.api import Api, assert_standard_headers
from tests.support.contract import Document


@pytest.fixture(scope="module")
def document(anonymous_api: Api) -> Document:
    response = anonymous_api.request("GET", "/openapi.json")
    assert response.status_code == 200
    assert response.mimetype == "application/json"
    assert_standard_headers(response)
    return response.get_json()
