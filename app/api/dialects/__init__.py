"""The protocols other than the service's own API, a folder for each: other APIs, and MCP."""

from app.api.dialects import azure_anomaly_detector, mcp, timegpt

DIALECTS = (azure_anomaly_detector.DIALECT, timegpt.DIALECT, mcp.DIALECT)
