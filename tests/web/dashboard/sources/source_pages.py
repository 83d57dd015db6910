"""What tests of the pages of sources share."""

import ipaddress

from cryptography.fernet import Fernet
from werkzeug.test import TestResponse

from tests.support.fake_prometheus import FakePrometheus
from tests.support.members import Browser

KEY = Fernet.generate_key().decode()
TOKEN = "s3cret-token"
NAME = "prod"
QUERY = {"name": "rate", "query": "rate(x[5m])", "step": "60", "max_series": "100"}
BAD_LABEL = '<script>alert(1)</script> "it\'s"\n{{7*7}}'
SOURCE_SETTINGS: dict[str, object] = {
    "source_allowed_networks": (ipaddress.ip_network("127.0.0.0/8"),),
    "secrets_key": (KEY,),
}


def add_source(admin: Browser, prometheus: FakePrometheus, **more: str) -> TestResponse:
    form = {"name": NAME, "url": prometheus.url, "credentials": "none"}
    return admin.post("/account/new-source", form | more)


def add_query(admin: Browser, source: str = NAME, **more: str) -> TestResponse:
    return admin.post(f"/account/sources/{source}/new-query", QUERY | more)
