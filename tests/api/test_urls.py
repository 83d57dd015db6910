"""URLs that parsers, proxies or servers read differently are rejected on entry."""

import pytest

from tests.support.api import Api, details_of

HOST = "https://example.com"
WRONG = [
    f"{HOST}/%0d%0aX-Evil:%201",
    f"{HOST}/%0D",
    f"{HOST}/%0a",
    f"{HOST}/%00",
    f"{HOST}/%7f",
    f"{HOST}/%1B",
    f"{HOST}/%",
    f"{HOST}/%zz",
    f"{HOST}/\r\nX-Evil: 1",
    f"{HOST}/\n",
    f"{HOST}\n",
    f"{HOST}/\x85",
    f"{HOST}/\u2028",
    f"{HOST}/a b",
    f" {HOST}/",
    f"{HOST}/ ",
    "https://user:password@example.com/",
    "https://user@example.com/",
    f"{HOST}/#part",
    f"{HOST}\\@127.0.0.1/",
    f"{HOST}/\\",
    "https://[fe80::1%25eth0]/",
    "https://[2001:db8::7%1]/",
    "https://example%2ecom/",
    "https://%65xample.com/",
]
# The path, a body with the URL, and the status of an invalid one.
PLACES = {
    "url": ("/sources/never-made", lambda url: {"url": url}, 422),
    "alertmanagers[0]": (
        "/sources/never-made",
        lambda url: {"url": HOST, "alertmanagers": [url]},
        422,
    ),
    "url of a webhook": ("/webhooks/never-made", lambda url: {"url": url}, 400),
}


@pytest.mark.parametrize("url", WRONG)
@pytest.mark.parametrize("place", PLACES)
def test_an_ambiguous_url_is_rejected_and_its_field_is_named(
    api: Api, place: str, url: str
) -> None:
    path, body, status = PLACES[place]
    details = details_of(api.send("PUT", path, body(url)), status)
    assert details["field"] == place.partition(" ")[0]
    assert "send" in details["issue"]
    assert api.request("GET", path).status_code == 404
