"""The callers and the site that tests of HTTP share."""

from tests.api.conftest import anonymous, api, narrow, shared_app

__all__ = ["anonymous", "api", "narrow", "shared_app"]
