"""Microsoft Teams gets an adaptive card without markup of others."""

import json
from dataclasses import replace
from typing import Any

from app.delivery.formats import teams
from tests.delivery.sending import message_to

URL = "https://prod-1.westeurope.logic.azure.com:443/workflows/1/triggers/manual/paths/invoke?sig=x"
LINK = "https://forecast.example.com/account/monitors/cpu"


def card_of(text: str) -> dict[str, Any]:
    request = teams.render(replace(message_to(URL), text=text))
    assert (request.url, request.headers) == (URL, ())
    message = json.loads(request.body)
    (attachment,) = message.pop("attachments")
    assert message == {"type": "message"}
    assert attachment["contentType"] == "application/vnd.microsoft.card.adaptive"
    card: dict[str, Any] = attachment["content"]
    assert (card["type"], card["version"]) == ("AdaptiveCard", "1.4")
    return card


def test_a_card_has_the_line_as_it_is_and_a_button_to_the_page() -> None:
    card = card_of(f"cpu: spike, [click](https://x.example) **now**\n{LINK}")
    assert card["body"] == [
        {
            "type": "RichTextBlock",
            "inlines": [
                {
                    "type": "TextRun",
                    "text": "cpu: spike, [click](https://x.example) **now**",
                    "weight": "Bolder",
                }
            ],
        }
    ]
    assert card["actions"] == [{"type": "Action.OpenUrl", "title": "Open the monitor", "url": LINK}]


def test_a_card_without_a_page_has_no_button() -> None:
    assert "actions" not in card_of("ops: a test message; this webhook works")
