"""The pages of keys: the list, one key, made, changed, rotated and revoked."""

from typing import Any

import pytest
from flask import Flask
from flask.testing import FlaskClient

from tests.support.keys import verify
from tests.support.members import Browser, text_of
from tests.support.usage import flush
from tests.web.dashboard.keys.keyring import labels, make, rotate, time_ago


def test_the_list_shows_what_there_is_to_know_of_a_key(
    app: Flask, admin: Browser, client: FlaskClient
) -> None:
    key_id, key = make(app, "shop", "read,admin", expires_at=time_ago(days=-20, minutes=-1))
    verify(client, key, environ_base={"REMOTE_ADDR": "192.0.2.7"})
    flush(app)
    page = admin.get("/account/keys")
    text = text_of(page)
    for part in ("shop", f"{key[:11]}…", "Active", "read", "admin", "in 20 days", "192.0.2.7"):
        assert part in text
    assert "just now" in text
    assert f'href="/account/keys/{key_id}"' in page.get_data(as_text=True)
    assert 'class="spark"' in page.get_data(as_text=True)
    assert key not in page.get_data(as_text=True)


def test_the_list_is_filtered_by_state(app: Flask, admin: Browser) -> None:
    make(app, "active")
    make(app, "revoked", revoked_at=time_ago(days=1))
    make(app, "expired", expires_at=time_ago(days=1))
    make(app, "warned", expires_at=time_ago(days=-1))
    rotated, _ = make(app, "rotated")
    rotate(app, rotated)

    def labels_in(state: str) -> set[str]:
        return set(labels(admin.get("/account/keys", query_string={"state": state})))

    assert labels_in("working") == {"active", "warned", "rotated"}
    assert labels_in("all") == {"active", "warned", "rotated", "revoked", "expired"}
    assert labels_in("revoked") == {"revoked"}
    assert labels_in("expired") == {"expired"}
    assert labels_in("rotated") == {"rotated"}
    assert labels_in("warned") == {"warned"}
    assert labels_in("no such") == labels_in("working")


def test_the_list_is_searched_by_label_and_by_the_start_of_a_key(
    app: Flask, admin: Browser
) -> None:
    make(app, "Shop, production")
    _, key = make(app, "warehouse")
    assert labels(admin.get("/account/keys?search=SHOP")) == ["Shop, production"]
    assert labels(admin.get(f"/account/keys?search={key[:9]}")) == ["warehouse"]
    nothing = admin.get("/account/keys?search=nobody")
    assert labels(nothing) == []
    assert "None of the 2 keys" in text_of(nothing)


def test_a_whole_key_that_was_found_somewhere_is_found_and_not_repeated(
    app: Flask, admin: Browser
) -> None:
    make(app, "shop")
    _, key = make(app, "leaked")
    page = admin.get(f"/account/keys?search={key}")
    assert labels(page) == ["leaked"]
    assert key not in page.get_data(as_text=True)


@pytest.mark.parametrize(
    ("query", "order"),
    [
        ("", "cab"),
        ("sort=created&direction=asc", "bac"),
        ("sort=label", "abc"),
        ("sort=label&direction=desc", "cba"),
        ("sort=expires", "bca"),
        ("sort=used", "bac"),
        ("sort=calls", "acb"),
        ("sort=no+such&direction=no+such", "cab"),
    ],
)
def test_the_list_is_sorted_as_its_address_says(
    app: Flask, admin: Browser, client: FlaskClient, query: str, order: str
) -> None:
    keys: dict[str, dict[str, Any]] = {
        "a": {"created_at": time_ago(days=2), "last_used_at": time_ago(days=1)},
        "b": {"created_at": time_ago(days=3), "expires_at": time_ago(days=-1)},
        "c": {
            "created_at": time_ago(days=1),
            "expires_at": time_ago(days=-2),
            "last_used_at": time_ago(days=9),
        },
    }
    keys_by_label = {label: make(app, label, **columns) for label, columns in keys.items()}
    if "calls" in query:
        for label in "aac":
            verify(client, keys_by_label[label][1])
        flush(app)
    if "used" in query:
        verify(client, keys_by_label["b"][1])
    assert "".join(labels(admin.get(f"/account/keys?{query}"))) == order


def test_a_long_list_has_pages_that_keep_filter_and_order(app: Flask, admin: Browser) -> None:
    for number in range(60):
        make(app, f"key {number:02}")
    make(app, "other")
    first = admin.get("/account/keys?search=key&sort=label")
    assert labels(first) == [f"key {number:02}" for number in range(50)]
    following = "/account/keys?search=key&amp;sort=label&amp;page=2"
    assert following in first.get_data(as_text=True)
    second = admin.get(following.replace("&amp;", "&"))
    assert labels(second) == [f"key {number:02}" for number in range(50, 60)]
    assert labels(admin.get("/account/keys?search=key&sort=label&page=99")) == labels(second)


@pytest.mark.parametrize("page", ["0", "-1", "x", "1" * 5000, "²"])
def test_a_page_that_is_not_a_number_is_the_first(app: Flask, admin: Browser, page: str) -> None:
    make(app, "shop")
    assert labels(admin.get("/account/keys", query_string={"page": page})) == ["shop"]


def test_a_revoked_key_ended_when_it_was_revoked(app: Flask, admin: Browser) -> None:
    ends = {"grace_ends_at": time_ago(hours=-23), "revoked_at": time_ago(days=3)}
    key_id, _ = make(app, "old", **ends)
    page = text_of(admin.get(f"/account/keys/{key_id}"))
    assert "Ended 3 days ago" in page
    assert f"Id, for the API and commands {key_id}" in page
    text = page + text_of(admin.get("/account/keys?state=all"))
    assert "3 days ago" in text
    assert "in 23 hours" not in text
    assert "Never" not in text.replace("Last used Never", "").replace("0 Never", "")
