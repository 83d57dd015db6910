"""Clients of the dashboard."""

import pytest
from flask import Flask

from tests.support.members import Browser, sign_in


@pytest.fixture
def admin(app: Flask) -> Browser:
    """A signed-in admin of the default account."""
    return sign_in(app)


@pytest.fixture
def viewer(app: Flask) -> Browser:
    """A signed-in viewer of the default account."""
    return sign_in(app, "vic@example.com", "viewer")
