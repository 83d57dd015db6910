// Finds the control of the page that an error response is about.

import { clockTime } from "../words.js";

/**
 * Which control a field of the request comes from.
 *
 * @type {[RegExp, string][]}
 */
const CONTROLS = [
  [/^series/, "text"],
  [/^forecast_horizon$/, "horizon"],
  [/_frequency$/, "frequency"],
  [/^confidence$/, "confidence"],
  [/^X-Model-Id$/, "models"],
  [/^X-Holidays$/, "holidays"],
  [/^false_alarm_rate$/, "rate"],
  [/^direction$/, "direction"],
  [/^detect$/, "detect"],
];
const BY_STATUS = { 403: "key", 413: "text", 429: "key" };
const UNKNOWN_KEY =
  "The service does not know this key. Paste all of it again. If it was revoked or has expired, use another key.";

/**
 * Sort what is wrong by the control that it concerns.
 *
 * @param {import("./request.js").Received} response
 * @returns {{control: string, text: string}[]} the control is "form" for errors that no control can correct
 */
export function locateErrors({ status, body, requestId }) {
  if (status === 0) return [formError("The service cannot be reached. Is it still running?")];
  const error = body?.error;
  if (!error) return [formError(`The service responded ${status} without a reason.`)];
  const details = error.details ?? {};
  if (status === 401) return [{ control: "key", text: UNKNOWN_KEY }];
  const defects = details.errors ?? (details.field ? [details] : []);
  if (defects.length > 0) return withoutRepeats(defects.map(locateDefect));
  const control = BY_STATUS[status] ?? "form";
  const trace = status >= 500 && requestId ? ` (request ${requestId})` : "";
  return [{ control, text: `${error.message}: ${reasonOf(details)}${trace}` }];
}

/** The question of a table that leaves something open names no parameter, its issue does. */
function locateDefect({ field, issue, question }) {
  const [, control = "form"] = CONTROLS.find(([pattern]) => pattern.test(field)) ?? [];
  return { control, text: question ?? issue };
}

/** Both columns of a series that is too short have the same defect. */
function withoutRepeats(located) {
  const seen = new Map(located.map((defect) => [JSON.stringify(defect), defect]));
  return [...seen.values()];
}

function reasonOf(details) {
  if (details.required) {
    return `this key has ${details.granted.join(", ") || "no permission"}; use one that has ` +
      details.required.join(", ");
  }
  if (details.limit) {
    const all = details.limit === 1 ? "the only request is" : `all ${details.limit} requests are`;
    return `${all} used up until ${clockTime(Date.parse(details.reset_time))}`;
  }
  return details.issue ?? "no reason was given";
}

function formError(text) {
  return { control: "form", text };
}
