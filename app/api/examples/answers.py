"""A request, the forecast it gets, and what /verify says of the key that sent it.

The numbers of the forecast are rounded here to one decimal.
"""

from typing import Any

Json = dict[str, Any]

MODEL = "forecast-model-2"
REQUEST: Json = {
    "series": [
        {
            "timestamps": [f"2024-{month:02}-01T00:00:00Z" for month in range(1, 13)],
            "values": [112, 118, 132, 129, 121, 135, 148, 148, 136, 119, 124, 138],
        }
    ],
    "forecast_horizon": 3,
    "data_frequency": "Monthly",
    "forecast_frequency": "Monthly",
    "confidence": 0.9,
}
FORECAST: Json = {
    "forecast_timestamps": [f"2025-{month:02}-01T00:00:00Z" for month in range(1, 4)],
    "lower_bound": [109.0, 103.6, 100.3],
    "median": [136.5, 135.0, 134.2],
    "upper_bound": [164.1, 166.3, 168.0],
}
VERIFICATION: Json = {
    "success": True,
    "message": "API key is valid",
    "timestamp": "2026-01-01T00:00:00.000Z",
    "apiKey": {"permissions": ["read", "write"]},
    "rateLimit": {"limit": "100", "remaining": "100", "resetTime": "1767225660000"},
}
