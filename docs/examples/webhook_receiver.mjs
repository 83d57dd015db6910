// Receive what monitors tell: verify each message, print it once, respond at once. Needs no package.
//
//   WEBHOOK_SECRET=whsec_… PORT=8443 CERTIFICATE=receiver.pem CERTIFICATE_KEY=receiver.key \
//     node webhook_receiver.mjs
//
// Without CERTIFICATE it speaks plain HTTP, for a proxy in front that has one.

import { createHmac, timingSafeEqual } from "node:crypto";
import { readFileSync } from "node:fs";
import http from "node:http";
import https from "node:https";

const MAX_BODY_BYTES = 100_000;
const REMEMBERED = 10_000; // messages; one is sent again when its 204 was lost
const TOLERANCE_SECONDS = 300; // how far a message's time may be from this machine's clock

const { WEBHOOK_SECRET, CERTIFICATE, CERTIFICATE_KEY, PORT = "8443" } = process.env;
const secret = Buffer.from(WEBHOOK_SECRET.replace(/^whsec_/, ""), "base64");
const seen = new Set();

/** Whether one of the signatures is that of the body, and the message is of now. */
function isGenuine(headers, body) {
  const {
    "webhook-id": id,
    "webhook-timestamp": timestamp,
    "webhook-signature": signatures = "",
  } = headers;
  const age = Math.abs(Date.now() / 1000 - Number(timestamp));
  if (!id || !(age <= TOLERANCE_SECONDS)) return false;
  const expected = createHmac("sha256", secret).update(`${id}.${timestamp}.`).update(body).digest();
  return signatures.split(" ").some((signature) => {
    const [version, code = ""] = signature.split(",");
    const given = Buffer.from(code, "base64");
    return version === "v1" && given.length === expected.length && timingSafeEqual(given, expected);
  });
}

/** Print an event; send a mail or page somebody here. */
function tell({ type, data }) {
  const { monitor, event } = data;
  if (!event) return console.log(type, data); // webhook.test
  const { kind, direction, start, severity } = event;
  console.log(type, monitor, kind, direction ?? "-", "since", start, "severity", severity);
}

/** Handle a message; returns the status of the response. */
function take(headers, body) {
  if (!isGenuine(headers, body)) return 401;
  const id = headers["webhook-id"];
  if (!seen.has(id)) {
    tell(JSON.parse(body)); // if this fails the message is not seen, and comes again
    seen.add(id);
    if (seen.size > REMEMBERED) seen.delete(seen.values().next().value);
  }
  return 204;
}

async function receive(request, response) {
  const respond = (status) => response.writeHead(status, { Connection: "close" }).end();
  if (request.method !== "POST") return respond(405);
  const chunks = [];
  let length = 0;
  try {
    for await (const chunk of request) {
      length += chunk.length;
      if (length > MAX_BODY_BYTES) return respond(413);
      chunks.push(chunk);
    }
    return respond(take(request.headers, Buffer.concat(chunks)));
  } catch (error) {
    console.error(error);
    return respond(500);
  }
}

const server = CERTIFICATE
  ? https.createServer({ cert: readFileSync(CERTIFICATE), key: readFileSync(CERTIFICATE_KEY) }, receive)
  : http.createServer(receive);
server.listen(Number(PORT), "127.0.0.1");
