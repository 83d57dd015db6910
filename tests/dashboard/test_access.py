"""Who reaches a page, and whose form changes something."""

from tests.support.members import EMAIL, PASSWORD, make_member, text_of


def test_signing_in_and_out(app, client) -> None:
    make_member(app)
    assert client.get("/account").location == "/account/sign-in?next=/account"
    answer = client.post("/account/sign-in", data={"email": EMAIL, "password": PASSWORD})
    assert (answer.status_code, answer.location) == (303, "/account")
    page = client.get("/account")
    assert page.status_code == 200
    assert EMAIL in text_of(page)


def test_sign_out_ends_the_session(admin) -> None:
    assert admin.get("/account").status_code == 200
    assert admin.post("/account/sign-out").status_code == 303
    admin.client.set_cookie("forecast-session", admin.token, domain="localhost")
    assert admin.get("/account").status_code == 302


def test_a_form_without_the_sessions_token_changes_nothing(admin) -> None:
    assert admin.client.post("/account/sign-out").status_code == 403
    assert admin.get("/account").status_code == 200
