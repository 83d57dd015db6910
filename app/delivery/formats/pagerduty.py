"""PagerDuty: ``event.opened`` triggers an alert, ``event.closed`` resolves it.

https://developer.pagerduty.com/docs/send-alert-event (Events API v2). The integration key is
the parameter ``routing_key`` of the webhook's URL, and is sent in the body.
"""

from typing import Any
from urllib.parse import parse_qsl, urlencode, urlsplit

from app.delivery.formats.types import Message, MessageFormat, MessageRequest, MessageType, to_json
from app.timeseries.words import truncate

_KEY_PARAMETER = "routing_key"
_KEY_LENGTH = 32
_MAX_SUMMARY_LENGTH = 1_024
# Events of at least this severity are critical: twice the evidence of a default alert.
_CRITICAL_SEVERITY = 75.0
_ADDRESS = f"https://events.pagerduty.com/v2/enqueue?{_KEY_PARAMETER}="
KEY_PROBLEM = f"send the integration key, {_KEY_LENGTH} characters, in the address: {_ADDRESS}…"


def render(message: Message) -> MessageRequest:
    """Return a message as an event; both messages about an alert have the same ``dedup_key``."""
    content = message.content()
    data = content["data"]
    url, key = _address_and_key(message.url)
    event = data.get("event")
    body: dict[str, Any] = {_KEY_PARAMETER: key, "event_action": "trigger"}
    if event is None:
        return MessageRequest(url, to_json(body | _test_alert(message, content)))
    body["dedup_key"] = f"{data['account']}/{data['monitor']}/{event['id']}/{event['opened_at']}"
    if content["type"] == MessageType.CLOSED:
        return MessageRequest(url, to_json(body | {"event_action": "resolve"}))
    severity = "critical" if event["severity"] >= _CRITICAL_SEVERITY else "warning"
    payload = _payload(message, data["monitor"], severity, event["opened_at"])
    payload |= {"class": event["kind"], "custom_details": data}
    if message.link is not None:
        body["links"] = [{"href": message.link, "text": "The monitor"}]
    return MessageRequest(url, to_json(body | {"payload": payload}))


def url_problem(url: str) -> str | None:
    return None if len(_address_and_key(url)[1] or "") == _KEY_LENGTH else KEY_PROBLEM


def _test_alert(message: Message, content: dict[str, Any]) -> dict[str, Any]:
    source = content["data"]["webhook"]
    return {
        "dedup_key": f"{source}/{content['type']}",
        "payload": _payload(message, source, "info", content["timestamp"]),
    }


def _payload(message: Message, source: str, severity: str, timestamp: str) -> dict[str, Any]:
    return {
        "summary": truncate(message.summary, _MAX_SUMMARY_LENGTH),
        "source": source,
        "severity": severity,
        "timestamp": timestamp,
    }


def _address_and_key(url: str) -> tuple[str, str | None]:
    parts = urlsplit(url)
    parameters = parse_qsl(parts.query, keep_blank_values=True)
    others = [(name, value) for name, value in parameters if name != _KEY_PARAMETER]
    key = next((value for name, value in parameters if name == _KEY_PARAMETER), None)
    return parts._replace(query=urlencode(others)).geturl(), key


FORMAT = MessageFormat(
    label="PagerDuty",
    description="a PagerDuty alert (Events API v2), which `event.closed` resolves; the address "
    f"has the integration key: `{_ADDRESS}…`",
    render=render,
    example_url=_ADDRESS + "k" * _KEY_LENGTH,
    url_problem=url_problem,
    hosts=("events.pagerduty.com", "events.eu.pagerduty.com"),
)
