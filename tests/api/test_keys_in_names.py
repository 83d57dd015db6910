"""An API key as a name is rejected, not repeated and not stored."""

import pytest
from sqlalchemy import update

from app.identity.accounts.models import Account, ApiKey
from tests.delivery.deliveries import add_monitor
from tests.support import cli
from tests.support.api import Api
from tests.support.databases import dump_values
from tests.support.monitors import SETTINGS, Monitor, points

SECRET = "ak_" + "0123456789abcdef" * 4
PREFIX = SECRET[:11]
LABEL = f"for {SECRET}"
ISSUE = "looks like an API key, which others would see; send another"
REQUESTS = {
    "monitor": ("PUT", f"/monitors/{SECRET}", SETTINGS, "name", SECRET),
    "a part": ("PUT", f"/monitors/cpu-{SECRET}.x", SETTINGS, "name", f"cpu-{SECRET}.x"),
    "name of a webhook": (
        "PUT",
        f"/webhooks/{SECRET}",
        {"url": "https://example.com"},
        "name",
        SECRET,
    ),
    "webhook": (
        "PUT",
        "/webhooks/ops",
        {"url": f"https://example.com/{SECRET}"},
        "url",
        f"https://example.com/{SECRET}",
    ),
    "label": ("POST", "/keys", {"permissions": ["read"], "label": LABEL}, "label", LABEL),
    "new label": ("PATCH", "/keys/1", {"label": LABEL}, "label", LABEL),
}


@pytest.fixture
def api(app, make_key):
    return Api(app, make_key("read", "write", "admin", "delete"))


@pytest.fixture(autouse=True)
def nothing_is_stored(database_url, request):
    """Check after each test that the database does not have the key."""
    yield
    if "names_with_keys" not in request.fixturenames:
        assert SECRET not in dump_values(database_url)


@pytest.fixture
def names_with_keys(api, engine) -> None:
    """Names that contain a key, from before such names were rejected."""
    add_monitor(engine, {"is_learning": False}, name=SECRET)
    with engine.begin() as connection:
        connection.execute(update(Account).values(name=f"account {SECRET}"))
        connection.execute(update(ApiKey).values(label=LABEL))


@pytest.mark.parametrize("request_", REQUESTS.values(), ids=REQUESTS)
def test_a_key_as_a_name_is_rejected_as_other_defects_of_the_field(api, request_) -> None:
    method, path, body, field, provided = request_
    response = api.send(method, path, body)
    assert response.status_code == 400
    details = response.get_json()["error"]["details"]
    assert details["field"] == field
    assert details["issue"].endswith(ISSUE)
    assert details["provided"] == provided.replace(SECRET, f"{PREFIX}…")
    assert SECRET not in response.get_data(as_text=True)


@pytest.mark.parametrize(("method", "rest"), [("GET", ""), ("DELETE", ""), ("GET", "/events")])
def test_a_monitor_named_like_a_key_is_unknown_as_others_are(api, method, rest) -> None:
    response = api.request(method, f"/monitors/{SECRET}{rest}")
    assert response.status_code == 404
    issue = response.get_json()["error"]["details"]["issue"]
    assert issue.startswith(f"there is no monitor '{PREFIX}…'")


@pytest.mark.parametrize(
    ("words", "what"),
    [
        (("keys", "create", "--permissions", "read", "--label", LABEL), "the label"),
        (("keys", "set-label", "1", LABEL), "the label"),
        (("accounts", "create", f"acme {SECRET}"), "the account's name"),
        (("members", "invite", "default", f"{SECRET}@example.com"), "the address"),
    ],
)
def test_commands_reject_it_in_one_line_that_does_not_repeat_it(app, api, words, what) -> None:
    assert cli.run_failing(app, *words) == f"Error: {what} {ISSUE}"


def test_a_name_that_was_stored_before_is_cut_in_metrics(app, names_with_keys) -> None:
    text = Api(app).request("GET", "/metrics").get_data(as_text=True)
    labels = f'{{account="account {PREFIX}…",monitor="{PREFIX}…"}}'
    assert f"forecast_monitor_state{labels} 1.0" in text
    assert SECRET not in text


def test_a_label_that_was_stored_before_is_cut_in_lists(api, names_with_keys) -> None:
    (key,) = api.request("GET", "/keys").get_json()["keys"]
    assert key["label"] == f"for {PREFIX}…"


def test_a_monitor_that_was_stored_before_can_be_found_fed_and_deleted(
    api, names_with_keys
) -> None:
    (listed,) = api.request("GET", "/monitors").get_json()["monitors"]
    monitor = Monitor(api, listed["name"])
    assert monitor.post(points([1.0])).status_code == 200
    assert api.request("DELETE", monitor.path).status_code == 204
