"""The requests and responses shown to developers; numbers are rounded to one decimal."""

from app.api.examples import Examples

EXAMPLES = Examples(__package__)
FORECAST = EXAMPLES.success("forecast", "Two series of a year, monthly")
CROSS_VALIDATION = EXAMPLES.success("cross_validation", "The last two quarters of two series")
DETECTION = EXAMPLES.success("anomaly_detection", "Five weeks of daily values with a spike")
ONLINE_DETECTION = EXAMPLES.success("online_anomaly_detection", "The last five of 35 days")
