"""The header of responses that show a secret once."""

from app.api.declaration import Json

NO_STORE = {"Cache-Control": "no-store"}


def no_store_header(secret: str) -> dict[str, Json]:
    """Return the declaration of the header, for a response with ``secret`` in its body."""
    return {
        "Cache-Control": {
            "description": f"The {secret} must not be cached.",
            "schema": {"type": "string", "const": NO_STORE["Cache-Control"]},
        }
    }
