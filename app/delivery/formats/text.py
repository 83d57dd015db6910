"""One string, as the incoming webhooks of Slack, Mattermost and Google Chat read it."""

import html

from app.delivery.formats.types import Message, MessageFormat, MessageRequest, to_json


def render(message: Message) -> MessageRequest:
    """Return the text of a message, in which nothing mentions anybody or is a link of its own."""
    return MessageRequest(message.url, to_json({"text": html.escape(message.text, quote=False)}))


FORMAT = MessageFormat(
    label="A chat: Slack, Mattermost, Google Chat",
    description='`{"text": "…"}`, as Slack, Mattermost and Google Chat read it',
    render=render,
)
