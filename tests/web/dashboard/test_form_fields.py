"""Fields and defaults of forms are those that the records declare, with their texts."""

import re

import pytest

from app.watching.sources.source_records import QuerySettings
from app.web.dashboard.form_fields import FIELDS, body_of, default_texts, texts_of
from tests.support.members import Browser

SOURCE = {"name": "prod", "url": "https://prometheus.example.com", "credentials": "none"}
PATHS = {
    "credentials": "/account/new-source",
    "key": "/account/keys/new",
    "monitor": "/account/new-monitor",
    "query": "/account/sources/prod/new-query",
    "rotation": "/account/keys/1",
    "source": "/account/new-source",
    "webhook": "/account/webhooks",
}
# Inputs with their own choices that replace a field.
INPUTS = {("credentials", "type"): "credentials", ("key", "expires_at"): "expires_in"}


@pytest.mark.parametrize("form", FIELDS)
def test_a_form_has_the_declared_fields_with_their_texts(form: str, admin: Browser) -> None:
    admin.post("/account/new-source", SOURCE)
    admin.post("/account/keys/new", {"permissions": "read"})
    page = admin.get(PATHS[form]).text
    for name, field in FIELDS[form].items():
        assert f">{field.label}</" in page
        assert field.hint in page
        input_name = INPUTS.get((form, name), name)
        assert re.search(rf'<(input|select|textarea) [^>]*name="{input_name}"', page)
        is_number = re.search(rf'name="{input_name}" type="number"', page) is not None
        assert is_number == field.is_number


def test_the_texts_of_the_defaults_are_read_back_as_the_defaults() -> None:
    texts = default_texts("query")
    settings = QuerySettings(query="up", **body_of("query", texts))
    assert settings == QuerySettings("up")
    assert texts_of("query", settings) == texts | {"query": "up"}
