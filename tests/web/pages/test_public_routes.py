"""The pages and what they load: served whole by the service, guarded, cached, limited, can be off.

No browser here; what a browser makes of them is tested in the other modules of this package.
"""

import gzip
import hashlib
import posixpath
import re
from html.parser import HTMLParser

import pytest
from flask.testing import FlaskClient

from app.web.pages.asset_routes import NAVIGATION
from app.web.pages.assets import COLLECTIONS, FOLDER
from app.web.pages.sample_series import SAMPLE_SERIES
from tests.support.api import assert_standard_headers, error_of
from tests.support.keys import bearer, verify

ASSETS = {
    f"{collection}/{name}": f"/static/{collection}/{assets.version}/{name}"
    for collection, assets in COLLECTIONS.items()
    for name in assets.files
}
PATHS = ["/", ASSETS["pages/base.css"]]
MAX_LOAD_BYTES = 110_000  # compressed
LIMITED = [*PATHS, "/openapi.json"]


@pytest.fixture
def pages(app) -> list[str]:
    """Return the paths of all pages."""
    with app.test_request_context():
        return [app.url_for(endpoint) for endpoint in NAVIGATION]


class Loads(HTMLParser):
    """The URLs that a page makes a browser fetch, and its inline scripts and styles."""

    def __init__(self, text: str) -> None:
        super().__init__()
        self.fetched: list[str] = []
        self.inline: list[str] = []
        self.feed(text)

    def handle_starttag(self, tag: str, attributes: list[tuple[str, str | None]]) -> None:
        values = dict(attributes)
        target = values.get("href" if tag == "link" else "src")
        if target is not None:
            self.fetched.append(target)
        inline = tag == "style" or (tag == "script" and target is None)
        if inline or any(name == "style" or name.startswith("on") for name in values):
            self.inline.append(self.get_starttag_text() or tag)


def test_a_page_loads_nothing_that_the_service_does_not_serve(client: FlaskClient, pages) -> None:
    for path in pages:
        loads = Loads(client.get(path).get_data(as_text=True))
        assert loads.fetched
        for target in loads.fetched:
            assert target.startswith("/static/")
            assert client.get(target).status_code == 200


def test_a_page_has_no_inline_script_style_or_handler(client: FlaskClient, pages) -> None:
    for path in pages:
        assert Loads(client.get(path).get_data(as_text=True)).inline == []


def test_the_modules_import_only_modules_that_are_served(client: FlaskClient) -> None:
    modules = {name for name in COLLECTIONS["pages"].files if name.endswith(".js")}
    scripts, imported = set(), set()
    for template in FOLDER.parent.rglob("*.html"):
        text = template.read_text()
        scripts |= set(re.findall(r"""asset_url\('pages', '([^']+\.js)'\)""", text))
        scripts |= set(re.findall(r'script = "([^"]+)"', text))
    for name in modules:
        text = client.get(ASSETS[f"pages/{name}"]).get_data(as_text=True)
        matches = re.findall(r'from "(\.[^"]+)"', text)
        imported |= {posixpath.normpath(f"{name}/../{path}") for path in matches}
    assert not scripts & imported
    assert scripts | imported == modules


def test_the_playground_is_light_to_load_but_for_the_chart(client: FlaskClient) -> None:
    # Modules of the account, and of the pages of documents, are not loaded.
    folders = ("pages/playground/", "pages/charts/")
    modules = [path for name, path in ASSETS.items() if name.startswith(folders)]
    modules += [ASSETS[f"pages/{name}.js"] for name in ("civil", "dom", "words")]
    loads = Loads(client.get("/").get_data(as_text=True))
    example = ASSETS[f"pages/sample-series/{SAMPLE_SERIES[0].file}"]
    targets = {"/", example, *modules, *loads.fetched} - {ASSETS["plotly/plotly.min.js"]}
    zipped = {"Accept-Encoding": "gzip"}
    sizes = [len(client.get(target, headers=zipped).data) for target in targets]
    assert sum(sizes) < MAX_LOAD_BYTES


def test_a_page_is_the_same_compressed_or_not(client: FlaskClient, pages) -> None:
    for path in pages:
        plain = client.get(path)
        zipped = client.get(path, headers={"Accept-Encoding": "gzip"})
        assert gzip.decompress(zipped.get_data()) == plain.get_data()
        assert zipped.headers["Vary"] == plain.headers["Vary"] == "Accept-Encoding"
        assert zipped.headers["ETag"] != plain.headers["ETag"]
        known = {"Accept-Encoding": "gzip", "If-None-Match": zipped.headers["ETag"]}
        assert client.get(path, headers=known).status_code == 304


def test_every_page_forbids_what_comes_from_elsewhere(client: FlaskClient, pages) -> None:
    for path in [*pages, ASSETS["pages/base.css"]]:
        headers = client.get(path).headers
        policy = dict(part.split(" ", 1) for part in headers["Content-Security-Policy"].split("; "))
        assert policy["default-src"] == "'none'"
        assert policy["script-src"] == policy["connect-src"] == "'self'"
        assert policy["frame-ancestors"] == policy["form-action"] == policy["base-uri"] == "'none'"
        inline = path == "/docs"  # Scalar puts its styles into the page by its script
        assert policy["style-src"] == ("'self' 'unsafe-inline'" if inline else "'self'")
        assert headers["X-Content-Type-Options"] == "nosniff"
        assert headers["Referrer-Policy"] == "no-referrer"
        assert_standard_headers(client.get(path))


@pytest.mark.parametrize("name", ASSETS)
def test_an_asset_is_the_same_compressed_or_not_and_kept_for_good(client, name) -> None:
    plain = client.get(ASSETS[name])
    zipped = client.get(ASSETS[name], headers={"Accept-Encoding": "gzip, br"})
    assert (plain.status_code, zipped.status_code) == (200, 200)
    assert "Content-Encoding" not in plain.headers
    assert zipped.headers["Content-Encoding"] == "gzip"
    assert gzip.decompress(zipped.get_data()) == plain.get_data()
    assert plain.headers["ETag"] != zipped.headers["ETag"]
    for response in (plain, zipped):
        assert response.headers["Cache-Control"] == "public, max-age=31536000, immutable"
        assert response.headers["Vary"] == "Accept-Encoding"
        assert response.mimetype in (
            "text/javascript",
            "text/css",
            "text/csv",
            "image/svg+xml",
            "application/json",
        )


def test_under_a_prefix_the_viewer_reads_and_asks_what_is_under_it(client: FlaskClient) -> None:
    page = client.get("/docs", environ_overrides={"SCRIPT_NAME": "/forecasts"}).text
    assert 'data-document="/forecasts/openapi.json" data-root="/forecasts"' in page


def test_the_viewer_is_the_file_that_its_readme_names_and_its_license_is_there() -> None:
    script = COLLECTIONS["scalar"].files["standalone.js"]
    digest = hashlib.sha256(script.read_bytes()).hexdigest()
    assert digest in script.with_name("README.md").read_text()
    assert "Scalar" in script.with_name("LICENSE").read_text()
    assert set(COLLECTIONS["scalar"].files) == {"standalone.js"}


def test_cached_pages_are_not_sent_again(client: FlaskClient, pages) -> None:
    for path in [*pages, ASSETS["pages/base.css"]]:
        known = client.get(path).headers["ETag"]
        second = client.get(path, headers={"If-None-Match": known})
        assert (second.status_code, second.get_data()) == (304, b"")
        assert_standard_headers(second)


def test_the_version_of_another_release_is_served_but_not_kept(client: FlaskClient) -> None:
    response = client.get("/static/pages/000000000000/base.css")
    assert (response.status_code, response.headers["Cache-Control"]) == (200, "no-cache")


@pytest.mark.parametrize(
    "path",
    [
        *(
            "/static/pages/1/nothing.js",
            "/static/plotly/1/widgetbundle.js",
            "/static/flask/1/app.py",
        ),
        *("/static/pages/1/../routes.py", "/static/pages/1/..%2froutes.py"),
        *("/static/pages/1//etc/passwd", "/static/"),
    ],
)
def test_paths_outside_the_asset_folders_are_404(client: FlaskClient, path: str) -> None:
    error_of(client.get(path), 404)


@pytest.mark.parametrize("path", LIMITED)
class TestLimits:
    """Requests for pages count only against the page budget of the address."""

    @pytest.fixture
    def settings(self) -> dict[str, object]:
        return {"pages_per_minute": 3, "anonymous_per_minute": 2}

    def test_beyond_the_limit_is_429_with_or_without_a_key(self, client, key, path) -> None:
        headers = [None, bearer(key), None]
        left = [client.get(path, headers=sent).headers["X-RateLimit-Remaining"] for sent in headers]
        assert left == ["2", "1", "0"]
        for sent in (None, bearer(key)):
            error = error_of(client.get(path, headers=sent), 429)
            assert error["details"]["limit"] == 3

    def test_addresses_are_distinguished(self, client, path) -> None:
        for _ in range(4):
            last = client.get(path)
        other = client.get(path, environ_overrides={"REMOTE_ADDR": "192.0.2.9"})
        assert (last.status_code, other.status_code) == (429, 200)

    def test_pages_use_nothing_of_the_limit_of_the_key_or_of_the_address(
        self, client, key, path
    ) -> None:
        for _ in range(4):
            client.get(path, headers=bearer(key))
        assert verify(client, key).get_json()["rateLimit"]["remaining"] == "100"
        assert [verify(client, None).status_code for _ in range(3)] == [401, 401, 429]
        assert verify(client, None, environ_overrides={"REMOTE_ADDR": "::1"}).status_code == 401


class TestOff:
    """PUBLIC_DOCS=0, without the dashboard."""

    @pytest.fixture
    def settings(self) -> dict[str, object]:
        return {"public_docs": False, "account_dashboard": False}

    @pytest.mark.parametrize("path", [*LIMITED, "/docs", "/docs/errors"])
    def test_no_page_no_document_no_asset_is_there(self, client, path) -> None:
        response = client.get(path)
        error_of(response, 404)
        assert response.headers["X-RateLimit-Limit"] == "60"

    def test_endpoints_are_served_without_the_pages(self, client: FlaskClient, key: str) -> None:
        assert verify(client, key).status_code == 200
