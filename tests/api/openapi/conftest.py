"""The document, asked for once."""

import pytest

from tests.support.api import Api, assert_standard_headers
from tests.support.contract import Document


@pytest.fixture(scope="module")
def document(anonymous: Api) -> Document:
    answer = anonymous.request("GET", "/openapi.json")
    assert answer.status_code == 200
    assert answer.mimetype == "application/json"
    assert_standard_headers(answer)
    return answer.get_json()
