"""One string, for incoming webhooks of Slack, Mattermost and Google Chat."""

import html

from app.delivery.formats.types import Message, MessageFormat, MessageRequest, to_json


def render(message: Message) -> MessageRequest:
    """Return the text of the message, escaped so that nothing in it becomes a mention or a link."""
    return MessageRequest(message.url, to_json({"text": html.escape(message.text, quote=False)}))


FORMAT = MessageFormat(
    label="A chat: Slack, Mattermost, Google Chat",
    description='`{"text": "…"}`, for Slack, Mattermost and Google Chat',
    render=render,
    hosts=("hooks.slack.com", "chat.googleapis.com"),
)
