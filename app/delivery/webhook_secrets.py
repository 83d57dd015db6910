"""Random secrets that sign webhooks, and random message ids."""

import base64
import secrets

_SECRET_PREFIX = "whsec_"
_SECRET_BYTES = 32  # the standard allows 24 to 64
_MESSAGE_BYTES = 18  # 24 characters of base64


def new_secret() -> str:
    """Return a new secret in the form of symmetric secrets of Standard Webhooks."""
    return _SECRET_PREFIX + base64.b64encode(secrets.token_bytes(_SECRET_BYTES)).decode("ascii")


def new_message_id() -> str:
    """Return a new message id; retries of a message keep its id."""
    return "msg_" + secrets.token_urlsafe(_MESSAGE_BYTES)
