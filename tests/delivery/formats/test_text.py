"""The messages of chats, one string each."""

import json
from dataclasses import replace

from app.delivery.formats import text
from tests.delivery.sending import message_to

URL = "https://example.com/hook"


def test_a_chat_message_contains_no_mentions_and_no_links() -> None:
    words = "<!channel> cpu – Kühlung > 5 & <https://x.example|see>"
    request = text.render(replace(message_to(URL), text=words))
    assert json.loads(request.body) == {
        "text": "&lt;!channel&gt; cpu – Kühlung &gt; 5 &amp; &lt;https://x.example|see&gt;"
    }
    assert (request.url, request.headers) == (URL, ())
