"""The documented responses of dialects are the real ones."""

import pytest

from app.api.dialects import DIALECTS
from app.api.examples.recorded import ErrorExample
from tests.support.api import Api
from tests.support.examples import assert_shown, send

SHOWN_ERRORS = [example for dialect in DIALECTS for example in dialect.examples.errors]


@pytest.mark.parametrize("example", SHOWN_ERRORS, ids=lambda example: example.name)
def test_a_request_gets_the_error_that_is_shown(api: Api, example: ErrorExample) -> None:
    assert_shown(send(api, example), example)
