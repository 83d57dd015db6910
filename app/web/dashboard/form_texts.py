"""The texts next to the inputs of forms: for each form by field, the label and the hint below."""

FieldTexts = dict[str, tuple[str, str]]

_ALERTS: FieldTexts = {
    "false_alarm_rate": ("False alarm rate", "Of points: 0.001 is 1 in 1,000."),
    "direction": ("Alert on values", ""),
    "webhook": ("Webhook", ""),
    "alert_severity": ("Minimum severity", "0 to 100. 50 is more than chance reaches."),
    "alert_min_deviation": (
        "Minimum difference",
        "From the expected value, in the unit of the values: what would matter to you.",
    ),
    "upper": ("Upper limit", "An event opens before values are above it. Empty: none."),
    "lower": ("Lower limit", "An event opens before values are below it. Empty: none."),
    "horizon": ("Steps ahead", "How far the forecast reaches, at most 1,000."),
    "probability": ("Probability", "At which the event opens: 0.8 is 80 %."),
    "alert_for": ("Steps that it lasts", "1: immediately."),
    "alert_min_relative": (
        "Minimum relative difference",
        "Share of the expected value: 0.5 is 50 %.",
    ),
}
_LABELS: FieldTexts = {
    "labels": (
        "Labels of alerts (optional)",
        "One a line, such as team=shop: for the routes of Alertmanagers.",
    )
}
FORM_TEXTS: dict[str, FieldTexts] = {
    "credentials": {
        "type": ("Credentials", "Stored encrypted, sent only to this address, and never shown."),
        "token": ("Token", "For “A token”."),
        "username": ("User name", "For “A user name and a password”."),
        "password": ("Password", "For “A user name and a password”."),
    },
    "key": {
        "permissions": (
            "Permissions",
            "Grant only what the program needs. No permission includes another.",
        ),
        "label": ("Label", "The program that uses the key, such as shop, production."),
        "expires_at": ("Expires", ""),
    },
    "monitor": _ALERTS
    | {
        "data_frequency": ("Unit", ""),
        "step": ("Units between two points", "5 for five-minute data."),
    },
    "query": _ALERTS
    | _LABELS
    | {
        "query": (
            "PromQL",
            "Each series that it returns is watched. Ask for rates, shares and quantiles, by few "
            "labels: sum by (service) (rate(http_requests_total[5m])).",
        ),
        "step": (
            "Seconds between two points",
            "300: days and weeks are learned from two weeks of history, and an alert comes up to "
            "6 minutes after a fault. For a first try 60: 2 minutes after, from 3 days of history.",
        ),
        "history": ("History, in steps", "Read and learned when the query is new."),
        "delay": ("Delay, in seconds", "A step is read this long after it."),
        "max_series": ("Maximum series", "If it returns more, nothing is watched."),
    },
    "rotation": {"grace": ("The old key keeps working for", "")},
    "source": _LABELS
    | {
        "url": (
            "Address",
            "Such as https://prometheus.example.com; a path before /api is allowed. http:// and "
            "internal addresses only where the operator allows them.",
        ),
        "tenant": ("Tenant (optional)", "Sent as X-Scope-OrgID, for Mimir and Cortex."),
        "alertmanagers": (
            "Alertmanagers (optional)",
            "One address a line, all of a cluster: alerts that are open are sent to each.",
        ),
    },
    "webhook": {
        "url": (
            "Address",
            "https:// only, also in networks that the operator allows; for a private certificate "
            "the operator sets SSL_CERT_FILE. Whoever knows the address of a chat can post there, "
            "so keep it private.",
        ),
        "format": (
            "Receiver",
            "Slack, Google Chat, Teams and PagerDuty are detected from the address.",
        ),
    },
}
