// Counts the alerts of a replay again when a threshold in the form is changed.

import { element, findAll } from "../dom.js";

const shown = element("replayed");
const THRESHOLDS = ["alert_severity", "alert_min_deviation", "alert_min_relative", "alert_for"];

function times(count) {
  return count === 1 ? "once" : count ? `${count} times` : "never";
}

// An event without a deviation, or without an expected value to relate it to, reaches any of them.
function countAlerts(events, least) {
  return events.filter((reached) =>
    reached.every((value, place) => value === null || value >= least[place]),
  ).length;
}

function recount() {
  const typed = THRESHOLDS.map((name) => element(name).value);
  if (typed.includes("")) return; // not a number, or not yet
  const least = typed.map(Number);
  const count = countAlerts(JSON.parse(shown.dataset.events), least);
  const days = Number(shown.dataset.days);
  const text = `Would have alerted ${times(count)} in ${days} day${days === 1 ? "" : "s"}`;
  if (shown.textContent !== text) shown.textContent = text;
}

if (shown) {
  for (const name of THRESHOLDS) element(name).addEventListener("input", recount);
}
