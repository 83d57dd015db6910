"""The APIs of other makers that the service speaks, a folder for each."""

from app.api.dialects import azure_anomaly_detector, timegpt

DIALECTS = (azure_anomaly_detector.DIALECT, timegpt.DIALECT)
