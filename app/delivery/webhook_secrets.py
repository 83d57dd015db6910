"""Random secrets that sign webhooks, and random message ids."""

import base64
import secrets

SECRET_PREFIX = "whsec_"
SECRET_BYTES = 32  # the standard allows 24 to 64
MESSAGE_BYTES = 18  # 24 characters of base64


def new_secret() -> str:
    """Return a new secret in the form of symmetric secrets of Standard Webhooks."""
    return SECRET_PREFIX + base64.b64encode(secrets.token_bytes(SECRET_BYTES)).decode("ascii")


def new_message_id() -> str:
    """Return a new message id; retries of a message keep its id."""
    return "msg_" + secrets.token_urlsafe(MESSAGE_BYTES)
