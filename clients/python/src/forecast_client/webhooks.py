"""Receivers of messages: ``webhooks`` of both clients."""

from forecast_client import calls
from forecast_client.calls import Call
from forecast_client.records import Webhook
from forecast_client.resources import AnyTransport, Method, NamedResource


class Webhooks(NamedResource[AnyTransport, Webhook]):
    """The webhooks of the account. One in use by a monitor or query cannot be deleted."""

    noun, record = "webhook", Webhook

    @Method
    def put(self, name: str, url: str, format: str | None = None) -> Call[Webhook]:
        """Create a webhook, or change the one with this name; a monitor names it as ``webhook``.

        ``secret`` of the result is shown only once: for a new webhook, and for a URL with another
        host. So the call is not retried if the response is lost: use ``rotate`` then.

        Args:
            name: 1 to 100 of a-z, 0-9, hyphens, underscores and dots.
            url: The HTTPS URL that receives messages.
            format: ``standard`` (the default) is signed; formats of chats, such as ``text`` for
                Slack, have no secret.
        """
        return self._put(name, calls.without_none(url=url, format=format), is_repeatable=False)

    @Method
    def rotate(self, name: str) -> Call[str]:
        """Return a new secret; the previous one also signs for 24 hours. Never retried."""
        return self._post(name, "rotate", "secret")

    @Method
    def test(self, name: str) -> Call[str]:
        """Send a test message; return its id, which appears in ``last_attempt`` of ``get``."""
        return self._post(name, "test", "id")

    def _post(self, name: str, action: str, member: str) -> Call[str]:
        read = calls.string_reader(member)
        return Call("POST", self._path(name, action), read, is_repeatable=False)
