// The typed key, and its remaining requests.

import { create, element } from "../dom.js";
import { clockTime } from "../words.js";
import { showError } from "./messages.js";
import { sendRequest } from "./request.js";

const KEY = /^ak_[0-9a-f]{64}$/;
/** The fragment of a link such as `make run` prints. */
const IN_ADDRESS = /^#key=(ak_[0-9a-f]{64})$/;
/** Browsers end longer timers immediately. */
const MAX_TIMER_MS = 2 ** 31 - 1;
const SHOWN_OF_KEY = 11;
const NOT_KEPT = "A reload forgets it: keep the link. ";
const NO_KEY = "This is not a key: a key is ak_ and 64 characters, each a digit or one of a to f.";

/** The limits that were shown last, their key, and the text before them. */
let known = null;
/** Updates the limits when their window ends. */
let timer;
/** The key of the last request for limits; "" after a failure that may pass. */
let asked = "";

/** Return the typed key, or show an error and return null. */
export function readKey() {
  const key = typedKey();
  if (KEY.test(key)) return key;
  if (key) showError("key", NO_KEY);
  else showError("key", "Paste a key. ", create("code", {}, "make run"), " prints one.");
  return null;
}

/** Whether a well-formed key is typed. */
export function hasKey() {
  return KEY.test(typedKey());
}

/**
 * Read the key of a link that carries one behind its #, which no server sees, and remove it from
 * the address and the history; show what the key may do.
 *
 * @param {string} url of GET /verify
 */
export async function readKeyFromLink(url) {
  const [, key] = IN_ADDRESS.exec(location.hash) ?? [];
  if (!key) return;
  history.replaceState(history.state, "", location.pathname + location.search);
  element("key").value = key;
  const { status, body, limits } = await sendRequest({ url }, key);
  if (key !== typedKey()) return;
  const name = `The key ${key.slice(0, SHOWN_OF_KEY)}… of your link`;
  if (status === 200) {
    showLimits(limits, key, `${name} may ${body.apiKey.permissions.join(" and ")}. ${NOT_KEPT}`);
    element("key").dispatchEvent(new Event("change")); // as if it was typed
  } else if (status === 401) showError("key", `${name} is unknown, expired or revoked.`);
}

function typedKey() {
  return element("key").value.trim().replace(/^Bearer\b\s*/i, "");
}

/** The remaining requests of the typed key, null if unknown. */
export function knownLimits() {
  if (!known || known.key !== typedKey()) return null;
  const { limit, remaining, reset } = known.limits;
  return Date.now() < reset * 1000 ? { limit, remaining, reset } : { limit, remaining: limit, reset: null };
}

/**
 * Ask what is left of the limit of the key, which costs nothing, unless it is known.
 *
 * @param {string} url of GET /verify
 */
export async function learnLimits(url) {
  const key = typedKey();
  if (!KEY.test(key) || known?.key === key || asked === key) return;
  asked = key;
  const { status, limits } = await sendRequest({ url }, key);
  if (status === 200) showLimits(limits, key);
  else if (status !== 401 && asked === key) asked = "";
}

/**
 * Show what is left of the limit of a key, as long as that is typed.
 *
 * @param {import("./request.js").Received["limits"]} limits
 * @param {string} key
 * @param {string} about what is said before it
 */
export function showLimits(limits, key, about = "") {
  if (!limits?.limit || key !== typedKey()) return;
  known = { key, limits, about };
  writeLimits();
}

function writeLimits() {
  clearTimeout(timer);
  const left = knownLimits();
  if (!left) {
    element("limits").textContent = "";
    return;
  }
  const { limit, remaining, reset } = left;
  const until = reset ? ` until ${clockTime(reset * 1000)}` : "";
  element("limits").textContent = `${known.about}${remaining} of ${limit} requests left${until}.`;
  if (reset) timer = setTimeout(writeLimits, Math.min(reset * 1000 - Date.now(), MAX_TIMER_MS));
}

/** Update the limits when another key is typed. */
export function listenToKey() {
  element("key").addEventListener("input", writeLimits);
}
