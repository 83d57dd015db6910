"""The univariate API of Azure's Anomaly Detector, a retired service, at its own paths."""

from app.api.dialects.azure_anomaly_detector.errors import AzureErrorSchema, error_code, error_head
from app.api.dialects.azure_anomaly_detector.routes import EXAMPLES, PATH_PREFIX, blueprint
from app.api.endpoints.dialect import Dialect

DIALECT = Dialect(
    name="Azure",
    prefix=PATH_PREFIX,
    blueprint=blueprint,
    key_header="Ocp-Apim-Subscription-Key",
    error_code=error_code,
    error_message=lambda error: error.issue_with_path,
    error_head=error_head,
    error_schema=AzureErrorSchema,
    examples=EXAMPLES,
    media_types=("text/json",),  # Databricks notebooks of its documentation send it
)
