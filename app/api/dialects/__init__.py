"""The protocols in addition to the service's own API, a folder for each: APIs of other vendors, and MCP."""

from app.api.dialects import azure_anomaly_detector, mcp, timegpt

DIALECTS = (azure_anomaly_detector.DIALECT, timegpt.DIALECT, mcp.DIALECT)
