"""An adaptive card, for webhooks of Microsoft Teams (the app Workflows).

https://learn.microsoft.com/microsoftteams/platform/webhooks-and-connectors/how-to/connectors-using
https://adaptivecards.io/explorer/AdaptiveCard.html
"""

from typing import Any

from app.delivery.formats.types import Message, MessageFormat, MessageRequest, to_json

_CARD_VERSION = "1.4"  # the newest that Teams reads on all of its clients


def render(message: Message) -> MessageRequest:
    """Return the message as a card: one line and, if there is a link, a button that opens it."""
    # A text run has no markup: labels of a series cannot become links.
    line = {"type": "TextRun", "text": message.summary, "weight": "Bolder"}
    card: dict[str, Any] = {
        "$schema": "http://adaptivecards.io/schemas/adaptive-card.json",
        "type": "AdaptiveCard",
        "version": _CARD_VERSION,
        "body": [{"type": "RichTextBlock", "inlines": [line]}],
    }
    if message.link is not None:
        button = {"type": "Action.OpenUrl", "title": "Open the monitor", "url": message.link}
        card["actions"] = [button]
    attachment = {
        "contentType": "application/vnd.microsoft.card.adaptive",
        "contentUrl": None,
        "content": card,
    }
    return MessageRequest(message.url, to_json({"type": "message", "attachments": [attachment]}))


FORMAT = MessageFormat(
    label="Microsoft Teams",
    description="an adaptive card for the webhooks of Microsoft Teams (Workflows)",
    render=render,
    hosts=("logic.azure.com", "api.powerplatform.com", "webhook.office.com"),
)
