"""Invalid requests about keys get an error that names the field, and change nothing."""

from typing import Any

import pytest

from tests.support.api import Api, first_defect

GOOD: dict[str, Any] = {"permissions": ["read"]}

BAD_NEW: dict[str, tuple[str, Any]] = {
    "no permissions": ("permissions", ...),
    "null permissions": ("permissions", None),
    "an empty array of them": ("permissions", []),
    "a string of them": ("permissions", "read,write"),
    "too many": ("permissions", ["read"] * 5),
    "very many": ("permissions", ["read"] * 100_000),
    "a null label": ("label", None),
    "a label that is a number": ("label", 5),
    "a long label": ("label", "x" * 10_000),
    "a label of lines": ("label", "a\nb"),
    "a label with NUL": ("label", "a\0b"),
    "a label that moves the cursor": ("label", "a\x1b[2Jb"),
    "a label that turns around": ("label", "a\u202eb"),
    "an expiry that is a number": ("expires_at", 1893456000),
    "an expiry in words": ("expires_at", "tomorrow"),
    "an empty expiry": ("expires_at", ""),
    "an expiry beyond the year 9999": ("expires_at", "10000-01-01T00:00:00Z"),
    "one beyond it only in UTC": ("expires_at", "9999-12-31T23:59:59-01:00"),
    "an expiry on no day": ("expires_at", "2099-02-30"),
    "a long expiry": ("expires_at", "2" * 10_000),
    "an unknown field": ("account", "acme"),
    "an owner": ("account_id", 2),
    "a state": ("state", "active"),
}


@pytest.mark.parametrize(("field", "value"), BAD_NEW.values(), ids=BAD_NEW)
def test_a_new_key_is_rejected_by_its_field(api: Api, field: str, value: Any) -> None:
    before = api.request("GET", "/keys").data
    body = {name: item for name, item in (GOOD | {field: value}).items() if item is not ...}
    reported, issue, _provided = first_defect(api.send("POST", "/keys", body), 400)
    assert reported == field
    assert len(issue) < 200
    assert len(api.request("GET", "/keys").get_json()["keys"]) == before.count(b'"prefix"')


@pytest.mark.parametrize("name", ["execute", "READ", "", None, 1, ["read"]])
def test_an_unknown_permission_is_reported_with_its_index(api: Api, name: Any) -> None:
    response = api.send("POST", "/keys", {"permissions": ["read", name]})
    assert first_defect(response, 400)[0] == "permissions[1]"


@pytest.mark.parametrize(
    ("field", "value"),
    [case for case in BAD_NEW.values() if case[0] != "permissions"] + [("permissions", ["read"])],
)
def test_a_change_is_rejected_by_its_field(api: Api, field: str, value: Any) -> None:
    before = api.request("GET", "/keys/1").get_json()
    assert first_defect(api.send("PATCH", "/keys/1", {field: value}), 400)[0] == field
    after = api.request("GET", "/keys/1").get_json()
    assert (after["label"], after["expires_at"]) == (before["label"], before["expires_at"])


@pytest.mark.parametrize(
    "grace",
    [
        "-1h", "-0h", "+1h", "24", "h", "", "1.5h", " 1h", "1h ", "1H", "1 h", "1h30m", "PT1H",
        *("1y", "٣h", "0x1h", "1e3h", "91d", "2161h", "13w", "999999999w", "9" * 10_000 + "s"),
        24, 0, None, True, ["24h"], {},
    ],
)  # fmt: skip
def test_a_grace_of_another_form_or_over_ninety_days_is_rejected(api: Api, grace: Any) -> None:
    field, issue, _provided = first_defect(
        api.send("POST", "/keys/1/rotate", {"grace": grace}), 400
    )
    assert field == "grace"
    assert "90d" in issue
    assert api.verify().status_code == 200


def test_all_defects_are_reported_together(api: Api) -> None:
    response = api.send("POST", "/keys", {"permissions": ["all"], "label": "a\n.", "expires_at": 1})
    errors = response.get_json()["error"]["details"]["errors"]
    assert [error["field"] for error in errors] == ["permissions[0]", "label", "expires_at"]


def test_a_label_may_be_as_long_as_it_says_and_of_any_script(api: Api) -> None:
    for label in ("x" * 200, "日本 🎉", "<script>alert(1)</script>", "'; DROP TABLE api_keys --"):
        created = api.send("POST", "/keys", GOOD | {"label": label}).get_json()
        assert created["label"] == label
