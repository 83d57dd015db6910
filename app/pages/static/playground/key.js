// The key as it was typed, and how many requests it has left.

import { clockTime } from "./clock.js";
import { showError } from "./messages.js";

const SENDABLE = /^[\x21-\x7e]+$/;

/** The key as it was typed; an error beside it and null where there is none to send. */
export function readKey() {
  const key = document.getElementById("key").value.trim().replace(/^Bearer\b\s*/i, "");
  if (SENDABLE.test(key)) return key;
  showError("key", key ? "A key is ak_ and 64 hexadecimal characters." : "Paste a key.");
  return null;
}

/** @param {import("./request.js").Answer["limits"]} limits */
export function showLimits(limits) {
  if (!limits?.limit) return;
  document.getElementById("limits").textContent =
    `${limits.remaining} of ${limits.limit} requests left until ${clockTime(limits.reset * 1000)}.`;
}
