"""The dashboard without public pages, and disabled."""

import pytest

from app.web.pages.assets import COLLECTIONS

SHEET = f"/static/pages/{COLLECTIONS['pages'].version}/account/account.css"


class TestWithoutPublicPages:
    @pytest.fixture
    def settings(self) -> dict[str, object]:
        return {"public_docs": False}

    def test_the_dashboard_works_without_public_docs(self, client) -> None:
        page = client.get("/account/sign-in")
        assert page.status_code == 200
        assert SHEET in page.get_data(as_text=True)
        assert client.get(SHEET).status_code == 200


class TestOff:
    @pytest.fixture
    def settings(self) -> dict[str, object]:
        return {"account_dashboard": False}

    def test_no_page_links_to_a_disabled_dashboard(self, client) -> None:
        assert "/account" not in client.get("/").get_data(as_text=True)
