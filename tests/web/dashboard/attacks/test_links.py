"""Attacks on what may happen only once: links, sign-ins, the removal of the last admin but one."""

import threading
from collections.abc import Callable
from urllib.parse import quote

import pytest

from app.identity.members.models import Role
from app.web.dashboard.cookies import SESSION
from tests.support.keys import make_account
from tests.support.members import EMAIL, PASSWORD, invite, make_member, sign_in
from tests.web.dashboard.attacks.support import stored_data

NEW_PASSWORD = "another long password"
LINK = "/account/invitation"
pytestmark = pytest.mark.usefixtures("each_database")


def run_simultaneously(*calls: Callable[[], object]) -> list[object]:
    """Return the results of ``calls`` that start at the same moment."""
    results: list[object] = [None] * len(calls)
    start = threading.Barrier(len(calls))

    def run(number: int) -> None:
        start.wait()
        results[number] = calls[number]()

    threads = [threading.Thread(target=run, args=[number]) for number in range(len(calls))]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    return results


def test_one_of_concurrent_uses_of_a_link_counts(app) -> None:
    token = invite(app)

    def use(password: str) -> int:
        form = {"token": token, "password": password}
        return app.test_client().post(LINK, data=form).status_code

    passwords = [f"password number {number}" for number in range(4)]
    results = run_simultaneously(
        *(lambda password=password: use(password) for password in passwords)
    )
    assert sorted(results) == [303, 404, 404, 404]
    assert len(stored_data(app)["sessions"]) == 1
    form = {"email": EMAIL, "password": passwords[results.index(303)]}
    assert app.test_client().post("/account/sign-in", data=form).status_code == 303


def test_one_of_two_last_admins_who_remove_each_other_concurrently_stays(app) -> None:
    browsers = [sign_in(app), sign_in(app, "second@example.com")]
    results = run_simultaneously(
        lambda: browsers[0].post("/account/members/2/remove").status_code,
        lambda: browsers[1].post("/account/members/1/remove").status_code,
    )
    assert results.count(303) == 1
    assert len(stored_data(app)["members"]) == 1


def test_one_of_two_last_admins_who_leave_concurrently_stays(app) -> None:
    browsers = [sign_in(app), sign_in(app, "second@example.com")]
    results = run_simultaneously(
        lambda: browsers[0].post("/account/members/1/role", {"role": "viewer"}).status_code,
        lambda: browsers[1].post("/account/members/2/remove").status_code,
    )
    assert sorted(results) == [303, 400]
    assert [row["role"] for row in stored_data(app)["members"]].count("admin") == 1


def test_a_password_that_is_changed_while_a_link_is_used_is_one_of_the_two(app) -> None:
    browser, token = sign_in(app), invite(app)
    change = {"password": PASSWORD, "new_password": "chosen on the page"}
    use = {"token": token, "password": "chosen by the link"}
    results = run_simultaneously(
        lambda: browser.post("/account/password", change).status_code,
        lambda: app.test_client().post(LINK, data=use).status_code,
    )
    assert 303 in results
    opened = [
        app.test_client()
        .post("/account/sign-in", data={"email": EMAIL, "password": password})
        .status_code
        for password in (PASSWORD, change["new_password"], use["password"])
    ]
    assert sorted(opened) == [303, 403, 403]
    assert opened[0] == 403


def test_a_link_in_an_odd_spelling_is_not_made_a_link(app, client) -> None:
    token = invite(app)
    for odd in (
        *(f" {token}", f"{token} ", f"{token}=", f"{token}\n", f"{token}\x00", token[:-1]),
        *(token.swapcase(), token[::-1], quote(f"%{ord(token[0]):x}") + token[1:], f"{token}&"),
    ):
        assert client.get(LINK, query_string={"token": odd}).status_code in (400, 404), odd
        form = {"token": odd, "password": NEW_PASSWORD}
        assert client.post(LINK, data=form).status_code in (400, 404), odd
    form = {"token": ["x", token], "password": NEW_PASSWORD}
    assert client.post(LINK, data=form).status_code == 404
    assert client.post(LINK, data={"token": token, "password": NEW_PASSWORD}).status_code == 303


def test_no_program_that_looks_at_a_link_uses_it(app, client) -> None:
    token = invite(app)
    form = {"token": token, "password": NEW_PASSWORD}
    for method, status in (("GET", 200), ("HEAD", 200), ("OPTIONS", 405), ("PUT", 405)):
        for sent in ({"query_string": form}, {"query_string": {"token": token}, "data": form}):
            assert client.open(LINK, method=method, **sent).status_code == status
    assert client.get_cookie(SESSION) is None
    assert client.post(LINK, data=form).status_code == 303


def test_a_link_signs_in_whom_it_is_for_whoever_is_signed_in(app) -> None:
    """A viewer's own link signs in only the viewer."""
    viewer, token = sign_in(app, "vic@example.com", "viewer"), invite(app, "new@example.com")
    fields = {"email": EMAIL, "role": "admin", "member_id": "1", "account": "acme"}
    form = {"token": token, "password": NEW_PASSWORD} | fields
    assert viewer.client.post(LINK, data=form).status_code == 303
    page = viewer.get("/account").text
    assert ("new@example.com, viewer" in page, EMAIL in page) == (True, False)


def test_a_link_of_one_account_opens_no_other_of_the_same_address(app, client) -> None:
    make_account(app, "acme", None)
    make_member(app)
    form = {"token": invite(app, account="acme"), "password": NEW_PASSWORD, "account": "default"}
    assert client.post(LINK, data=form).status_code == 303
    assert "<strong>acme</strong>" in client.get("/account").text
    mine = {"email": EMAIL, "password": NEW_PASSWORD, "account": "default"}
    assert app.test_client().post("/account/sign-in", data=mine).status_code == 403


def test_a_link_gives_the_role_of_now_and_not_of_then(app, admin, client) -> None:
    token = invite(app, "second@example.com", role=Role.ADMIN)
    admin.post("/account/members/2/role", {"role": "viewer"})
    client.post(LINK, data={"token": token, "password": NEW_PASSWORD})
    assert "second@example.com, viewer" in client.get("/account").text


def test_used_replaced_and_unknown_links_get_the_same_response(app, client) -> None:
    used = invite(app)
    form = {"token": used, "password": NEW_PASSWORD}
    client.post(LINK, data=form)
    replaced = invite(app)
    invite(app)
    results = {
        (response.status_code, response.text)
        for token in (used, replaced, "A" * 43, "")
        for response in [app.test_client().get(LINK, query_string={"token": token})]
    }
    assert len(results) == 1


def test_racing_guesses_are_counted_each(app) -> None:
    make_member(app)

    def guess() -> int:
        form = {"email": EMAIL, "password": "wrong wrong wrong"}
        return app.test_client().post("/account/sign-in", data=form).status_code

    results = run_simultaneously(*[guess] * 20)
    assert results.count(403) <= 11  # two hashes are computed at a time
    assert set(results) == {403, 429}
