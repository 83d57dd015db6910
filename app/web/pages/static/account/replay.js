// Counts the alerts of a replay again when a threshold in the form is changed.

import { element } from "../dom.js";

const shown = element("replayed");
const THRESHOLDS = ["alert_severity", "alert_min_deviation", "alert_min_relative", "alert_for"];

function countInWords(count) {
  return count === 1 ? "once" : count ? `${count} times` : "never";
}

// An event without a deviation, or without an expected value, reaches these thresholds.
function countAlerts(events, thresholds) {
  return events.filter((reached) => reached.every((value, i) => value === null || value >= thresholds[i])).length;
}

function recount() {
  const typed = THRESHOLDS.map((name) => element(name).value);
  if (typed.includes("")) return; // not a number, or not yet
  const count = countAlerts(JSON.parse(shown.dataset.events), typed.map(Number));
  const text = `Would have alerted ${countInWords(count)} in ${shown.dataset.period}`;
  if (shown.textContent !== text) shown.textContent = text;
}

if (shown?.dataset.period) {
  for (const name of THRESHOLDS) element(name).addEventListener("input", recount);
}
