"""Labels, hints and defaults of forms are those that the records declare."""

import re

import pytest

from app.web.dashboard.form_fields import FIELDS, RECORDS, body_of, default_texts, texts_of
from tests.support.members import Browser

SOURCE = {"name": "prod", "url": "https://prometheus.example.com", "credentials": "none"}
PATHS = {
    "monitor": "/account/new-monitor",
    "query": "/account/sources/prod/new-query",
    "source": "/account/new-source",
    "webhook": "/account/webhooks",
}


@pytest.mark.parametrize("form", RECORDS)
def test_a_form_has_the_declared_fields_with_their_texts(form: str, admin: Browser) -> None:
    admin.post("/account/new-source", SOURCE)
    page = admin.get(PATHS[form]).text
    for name, field in FIELDS[form].items():
        assert f'<label for="{name}">{field.label}</label>' in page
        assert field.hint in page
        assert re.search(rf'<(input|select|textarea) id="{name}" name="{name}"', page)
        is_number = re.search(rf'id="{name}" name="{name}" type="number"', page) is not None
        assert is_number == field.is_number


def test_the_texts_of_the_defaults_are_read_back_as_the_defaults() -> None:
    texts = default_texts("query")
    settings = RECORDS["query"](query="up", **body_of("query", texts))
    assert settings == RECORDS["query"]("up")
    assert texts_of("query", settings) == texts | {"query": "up"}
