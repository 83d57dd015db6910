"""POST /read: a file with a table in; its series, and what the table leaves open, out."""

from app.api.read.routes import blueprint

__all__ = ["blueprint"]
