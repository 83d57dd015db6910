"""The API of TimeGPT, as Nixtla's SDK calls it: many series in a call, at its own paths."""

from app.api.dialects.timegpt import account_routes, routes, unsupported_routes
from app.api.dialects.timegpt.declaration import EXAMPLES, PATH_PREFIX, blueprint
from app.api.dialects.timegpt.errors import TimeGptErrorSchema, error_code, error_head
from app.api.endpoints.dialect import Dialect

DIALECT = Dialect(
    name="TimeGPT",
    prefix=PATH_PREFIX,
    blueprint=blueprint,
    error_code=error_code,
    error_message=lambda error: error.issue_with_path,
    error_head=error_head,
    error_schema=TimeGptErrorSchema,
    examples=EXAMPLES,
)

__all__ = ["DIALECT", "account_routes", "routes", "unsupported_routes"]
