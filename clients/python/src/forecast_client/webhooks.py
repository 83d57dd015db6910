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
        return self._put(name, calls.given(url=url, format=format), is_repeatable=False)

    @Method
    def rotate(self, name: str) -> Call[str]:
        """Return a new secret; the former one signs beside it for 24 hours. Never retried."""
        return self._post(name, "rotate", "secret")

    @Method
    def test(self, name: str) -> Call[str]:
        """Send a test message; return its id, which ``last_attempt`` of ``get`` then has."""
        return self._post(name, "test", "id")

    def _post(self, name: str, action: str, member: str) -> Call[str]:
        read = calls.string_reader(member)
        return Call("POST", self._path(name, action), read, is_repeatable=False)
