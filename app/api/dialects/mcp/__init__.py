"""The Model Context Protocol, by which agents call endpoints as tools: streamable HTTP, stateless.

Revisions 2025-03-26 to 2026-07-28 of the specification (modelcontextprotocol.io).
"""

from app.api.dialects.mcp.errors import McpErrorSchema, error_code, error_head, error_message
from app.api.dialects.mcp.routes import EXAMPLES, PATH_PREFIX, blueprint
from app.api.endpoints.dialect import Dialect

DIALECT = Dialect(
    name="Mcp",
    prefix=PATH_PREFIX,
    blueprint=blueprint,
    error_code=error_code,
    error_message=error_message,
    error_head=error_head,
    error_schema=McpErrorSchema,
    examples=EXAMPLES,
    has_number_codes=True,
    details_name="data",
)
