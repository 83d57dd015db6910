"""An unknown path: a page for a browser, the JSON of the error for a program."""

import pytest
from flask.testing import FlaskClient

BROWSER = "text/html,application/xhtml+xml,application/xml;q=0.9,*/*;q=0.8"


def test_a_browser_gets_a_page_that_leads_somewhere(client: FlaskClient) -> None:
    response = client.get("/nope/<b>", headers={"Accept": BROWSER})
    assert (response.status_code, response.mimetype) == (404, "text/html")
    page = response.get_data(as_text=True)
    assert "/nope/&lt;b&gt;" in page
    assert 'href="/docs"' in page
    assert "default-src" in response.headers["Content-Security-Policy"]


@pytest.mark.parametrize("accept", ["*/*", "application/json", ""])
def test_a_program_gets_json(client: FlaskClient, accept: str) -> None:
    response = client.get("/nope", headers={"Accept": accept})
    assert (response.status_code, response.mimetype) == (404, "application/json")
    assert response.get_json()["error"]["message"] == "Not Found"


def test_a_post_gets_json_whatever_it_accepts(client: FlaskClient) -> None:
    response = client.post("/nope", headers={"Accept": BROWSER})
    assert (response.status_code, response.mimetype) == (404, "application/json")


def test_the_page_names_no_address_as_its_own_in_a_monitors_404(client: FlaskClient, key) -> None:
    headers = {"Accept": BROWSER, "Authorization": f"Bearer {key}"}
    response = client.get("/monitors/nobody", headers=headers)
    assert (response.status_code, response.mimetype) == (404, "application/json")
