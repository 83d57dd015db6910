"""What the service speaks besides its own API, a folder for each: other makers' APIs, and MCP."""

from app.api.dialects import azure_anomaly_detector, mcp, timegpt

DIALECTS = (azure_anomaly_detector.DIALECT, timegpt.DIALECT, mcp.DIALECT)
