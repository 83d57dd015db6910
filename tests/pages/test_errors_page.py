"""/docs/errors shows what the tests of the API send and compare: every error, with its remedy."""

import html
import json
import re

import pytest
from flask.testing import FlaskClient

from app.api.examples import ERROR_EXAMPLES

PATH = "/docs/errors"


@pytest.fixture
def articles(client: FlaskClient) -> dict[str, str]:
    """The text of each error on the page, without tags, by its name."""
    page = client.get(PATH).get_data(as_text=True)
    found = re.findall(r'<article id="([^"]+)".*?</article>', page, re.DOTALL)
    texts = re.findall(r"<article .*?</article>", page, re.DOTALL)
    plain = (html.unescape(re.sub(r"<[^>]+>", "", text)) for text in texts)
    return dict(zip(found, plain, strict=True))


def test_every_error_is_there_once(articles: dict[str, str]) -> None:
    assert sorted(articles) == sorted(example.name for example in ERROR_EXAMPLES)


def test_each_is_shown_with_its_answer_and_its_remedy(articles: dict[str, str]) -> None:
    for example in ERROR_EXAMPLES:
        text = articles[example.name]
        assert f"HTTP status: {example.status}" in text
        shown = json.loads(text[text.index("{\n") :])
        assert shown == example.response
        for words in (example.when, example.remedy, example.circumstance):
            assert words.replace("`", "") in text
        assert all(place in text for place in (*example.changes, *example.removed))


def test_a_status_names_the_endpoints_that_give_it(client: FlaskClient) -> None:
    section = client.get(PATH).text.split('<h2 id="status-422">')[1]
    line = re.sub(r"<[^>]+>", "", section.split("<p>")[1].split("</p>")[0])
    assert line == (
        "Given by: POST /forecast, POST /backtest, POST /anomalies, PUT /monitors/{name}, "
        "POST /monitors/{name}/points"
    )


def test_the_other_pages_and_the_document_link_to_it(client: FlaskClient) -> None:
    for path in ("/", "/docs"):
        assert f'href="{PATH}"' in client.get(path).get_data(as_text=True)
    assert f"({PATH})" in client.get("/openapi.json").get_json()["info"]["description"]
