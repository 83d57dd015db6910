"""Messages are signed as Standard Webhooks, by each secret."""

import pytest
from standardwebhooks import Webhook, WebhookVerificationError

from app.delivery.formats import standard
from app.delivery.webhook_secrets import new_secret
from tests.delivery.sending import PAYLOAD, SECRETS, message_to

URL = "https://example.com/hook"


def test_the_library_of_the_standard_verifies_the_signature_of_each_secret() -> None:
    message = message_to(URL, SECRETS)
    request = standard.render(message)
    headers = dict(request.headers)
    assert (request.url, request.body) == (URL, PAYLOAD)
    assert headers["webhook-id"] == message.message_id
    for secret in SECRETS:
        read = Webhook(secret).verify(request.body, headers)
        assert read["data"]["monitor"] == "cpu – Kühlung"
    with pytest.raises(WebhookVerificationError):
        Webhook(new_secret()).verify(request.body, headers)
    with pytest.raises(WebhookVerificationError):
        Webhook(SECRETS[0]).verify(request.body + " ", headers)


def test_a_message_without_a_secret_is_never_sent_unsigned() -> None:
    with pytest.raises(ValueError, match="needs a secret"):
        standard.render(message_to(URL, ()))
