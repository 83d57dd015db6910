// A monitor's settings and state in words; `app/web/dashboard/monitor_words.py` writes the same.

import { formatNumber, shortenTimestamp } from "../playground/table.js";

/** Why a monitor is learning. */
const REASONS = {
  new: "too few points yet",
  gap: "after a gap of more than two seasons",
  changed: "the series has changed for good",
};

/** Why a monitor is learning, and until when it is muted; empty where there is nothing to say. */
export function describeState({ reason, muted_until: until }) {
  return [reason && REASONS[reason], isMuted(until) && `muted until ${shortenMoment(until)}`]
    .filter(Boolean)
    .join("; ");
}

/** Which events are alerts. */
export function describeAlerts({ alert_severity: severity, alert_min_deviation: deviation }) {
  const far = deviation > 0 ? [`${formatNumber(deviation)} or more from expected`] : [];
  const severe = severity > 0 ? [`severity ${formatNumber(severity)} or more`] : [];
  return [...severe, ...far].join(", ") || "every event";
}

/** Where the points of a monitor are from. */
export function describeFeed({ source, query }) {
  return query ? `the query ${query} of the source ${source}` : "clients";
}

export function describeMute({ muted_until: until }) {
  return isMuted(until) ? `until ${shortenMoment(until)}` : "no";
}

export function isMuted(until) {
  return until !== null && Date.parse(until) > Date.now();
}

/** A moment of the service's clock, to the second. */
export function shortenMoment(text) {
  return shortenTimestamp(text.replace(/\.\d+/, ""));
}
