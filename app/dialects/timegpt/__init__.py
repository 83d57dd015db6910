"""The API of TimeGPT, as Nixtla's SDK calls it: many series in a call, at its own paths."""

from app.api.dialects import Dialect
from app.dialects.timegpt.errors import TimeGptErrorSchema, error_code, error_head, error_message
from app.dialects.timegpt.examples import EXAMPLES
from app.dialects.timegpt.routes import PREFIX, blueprint

DIALECT = Dialect(
    name="TimeGPT",
    prefix=PREFIX,
    blueprint=blueprint,
    error_code=error_code,
    error_message=error_message,
    error_head=error_head,
    error_schema=TimeGptErrorSchema,
    examples=EXAMPLES,
)
