"""Secrets that sign webhooks, and the ids of messages, from the system's randomness."""

import base64
import secrets

SECRET_PREFIX = "whsec_"
SECRET_BYTES = 32  # the standard admits 24 to 64
MESSAGE_BYTES = 18  # 24 characters of base64


def new_secret() -> str:
    """Return a new secret, as Standard Webhooks writes symmetric ones."""
    return SECRET_PREFIX + base64.b64encode(secrets.token_bytes(SECRET_BYTES)).decode("ascii")


def new_message_id() -> str:
    """Return a new id of a message; it stays the same whenever the message is sent again."""
    return "msg_" + secrets.token_urlsafe(MESSAGE_BYTES)
