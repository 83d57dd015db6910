"""Register the tables of every package with `Base.metadata`."""
# ruff: noqa: F401

from app.core.database import Base
from app.delivery import models as delivery
from app.identity.accounts import audit, models
from app.identity.limits.stores import windows
from app.identity.members import models as members
from app.identity.usage import models as usage
from app.watching.models import monitors, sources

__all__ = ["Base"]
