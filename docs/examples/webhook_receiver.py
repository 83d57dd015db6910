"""Receive the messages of monitors: verify each message, print it once, respond at once.

    pip install standardwebhooks
    WEBHOOK_SECRET=whsec_… PORT=8443 CERTIFICATE=receiver.pem CERTIFICATE_KEY=receiver.key \
        python webhook_receiver.py

Without CERTIFICATE it speaks plain HTTP, for a proxy in front that has one.
"""

import os
import ssl
from collections import OrderedDict
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

from standardwebhooks import Webhook, WebhookVerificationError

MAX_BODY_BYTES = 100_000
REMEMBERED = 10_000  # messages; one is sent again when its 204 was lost
PATIENCE_SECONDS = 10

webhook = Webhook(os.environ["WEBHOOK_SECRET"])
seen: OrderedDict[str, None] = OrderedDict()


class Receiver(BaseHTTPRequestHandler):
    """Takes POST at any path."""

    timeout = PATIENCE_SECONDS

    def do_POST(self) -> None:
        """Respond 204 to what is genuine, whether it is new or not."""
        self.send_response(self.take())
        self.send_header("Content-Length", "0")
        self.end_headers()

    def take(self) -> int:
        """Handle a message; return the status of the response."""
        length = int(self.headers.get("Content-Length", 0))
        if not 0 < length <= MAX_BODY_BYTES:
            return 413
        try:
            message = webhook.verify(self.rfile.read(length), dict(self.headers))
        except (WebhookVerificationError, ValueError) as error:
            self.log_error("rejected: %s", error)
            return 401
        message_id = self.headers["webhook-id"]
        if message_id not in seen:
            report(message)  # if this fails the message is not seen, and comes again
            seen[message_id] = None
            if len(seen) > REMEMBERED:
                seen.popitem(last=False)
        return 204


def report(message: dict) -> None:
    """Print an event; send a mail or page somebody here."""
    data = message["data"]
    if "event" not in data:  # webhook.test
        print(message["type"], data, flush=True)
        return
    event = data["event"]
    words = [message["type"], data["monitor"], event["kind"], event["direction"] or "-"]
    print(*words, "since", event["start"], "severity", event["severity"], flush=True)


if __name__ == "__main__":
    server = ThreadingHTTPServer(("127.0.0.1", int(os.environ.get("PORT", "8443"))), Receiver)
    if certificate := os.environ.get("CERTIFICATE"):
        tls = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
        tls.load_cert_chain(certificate, os.environ["CERTIFICATE_KEY"])
        server.socket = tls.wrap_socket(
            server.socket, server_side=True, do_handshake_on_connect=False
        )
    server.serve_forever()
