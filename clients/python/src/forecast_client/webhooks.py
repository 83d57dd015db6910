"""Receivers of messages: the ``webhooks`` of both clients."""

from forecast_client import calls
from forecast_client.calls import Call
from forecast_client.records import Webhook
from forecast_client.resources import AnyTransport, Method, NamedResource


class Webhooks(NamedResource[AnyTransport, Webhook]):
    """The webhooks of the account. One that a monitor or query uses cannot be deleted."""

    noun, record = "webhook", Webhook

    @Method
    def put(self, name: str, url: str, format: str | None = None) -> Call[Webhook]:
        """Create a webhook, or change the one with this name; a monitor names it as ``webhook``.

        ``secret`` of the result is shown only once: for a new webhook, and for a URL with another
        host. So the call is not retried if the response is lost: ``rotate`` then makes another.

        Args:
            name: 1 to 100 of a-z, 0-9, hyphens, underscores and dots.
            url: Where messages are sent to, over HTTPS.
            format: ``standard`` (the default): signed; or that of a chat, without a secret, such as
                ``text`` for Slack.
        """
        content = calls.content_of(calls.given(url=url, format=format))
        read = calls.reader(Webhook)
        return Call("PUT", self._path(name), read, content, is_repeatable=False)

    @Method
    def rotate(self, name: str) -> Call[str]:
        """Return a new secret; the former one signs beside it for 24 hours. Never retried."""
        read = calls.string_reader("secret")
        return Call("POST", self._path(name, "rotate"), read, is_repeatable=False)

    @Method
    def test(self, name: str) -> Call[str]:
        """Send a test message; return its id, which ``last_attempt`` of ``get`` then has."""
        read = calls.string_reader("id")
        return Call("POST", self._path(name, "test"), read, is_repeatable=False)
