"""Each format is found by its name, documented, and renders every message."""

import json
from dataclasses import replace
from pathlib import Path
from urllib.parse import urlsplit

import pytest

from app.delivery import formats
from app.delivery.formats import DEFAULT_FORMAT, FORMATS, find_format
from app.delivery.formats.types import UnknownFormatError
from app.delivery.models import Webhook
from tests.delivery.sending import message_to

DATA = {"account": "acme", "monitor": "cpu"}
EVENT = {"id": 7, "kind": "overdue", "severity": 50.0, "opened_at": "2026-05-06T12:00:01Z"}
MESSAGES = [
    {"type": "event.opened", "timestamp": "t", "data": DATA | {"event": EVENT}},
    {"type": "event.closed", "timestamp": "t", "data": DATA | {"event": EVENT}},
    {"type": "webhook.test", "timestamp": "t", "data": {"webhook": "ops"}},
]


def test_every_module_is_a_format_and_the_default_comes_first_and_is_signed() -> None:
    modules = {path.stem for path in Path(formats.__file__).parent.glob("*.py")}
    assert {*FORMATS} == modules - {"__init__", "types"}
    assert next(iter(FORMATS)) == DEFAULT_FORMAT
    assert FORMATS[DEFAULT_FORMAT].is_signed


def test_an_unknown_format_is_an_error_that_names_it() -> None:
    with pytest.raises(UnknownFormatError, match="'pager'"):
        find_format("pager")


@pytest.mark.parametrize("name", FORMATS)
def test_a_format_fits_its_column_and_describes_itself(name: str) -> None:
    assert len(name) <= Webhook.__table__.c.format.type.length
    assert FORMATS[name].label
    assert not FORMATS[name].description.endswith(".")


@pytest.mark.parametrize("name", FORMATS)
@pytest.mark.parametrize("content", MESSAGES, ids=[str(message["type"]) for message in MESSAGES])
def test_a_format_renders_every_message_to_the_host_of_its_webhook(
    name: str, content: dict[str, object]
) -> None:
    url = FORMATS[name].example_url
    message = replace(message_to(url), format=name, payload=json.dumps(content), text="cpu: late")
    request = FORMATS[name].render(message)
    assert urlsplit(request.url).netloc == urlsplit(url).netloc
    assert isinstance(json.loads(request.body), dict)
    assert FORMATS[name].url_problem(url) is None
