// The key as it was typed, and how many requests it has left.

import { element } from "../dom.js";
import { clockTime } from "./clock.js";
import { showError } from "./messages.js";

const KEY = /^ak_[0-9a-f]{64}$/;
const NO_KEY = "This is not a key: a key is ak_ and 64 characters, each a digit or one of a to f.";

/** The key as it was typed; an error beside it and null where there is none to send. */
export function readKey() {
  const key = element("key").value.trim().replace(/^Bearer\b\s*/i, "");
  if (KEY.test(key)) return key;
  if (key) showError("key", NO_KEY);
  else {
    const command = Object.assign(document.createElement("code"), { textContent: "make run" });
    showError("key", "Paste a key. ", command, " prints one.");
  }
  return null;
}

/** @param {import("./request.js").Received["limits"]} limits */
export function showLimits(limits) {
  if (!limits?.limit) return;
  element("limits").textContent =
    `${limits.remaining} of ${limits.limit} requests left until ${clockTime(limits.reset * 1000)}.`;
}
