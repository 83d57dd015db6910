// What happened, in words: events and change points, each a way to its place in the chart.

import { element } from "../dom.js";
import { KINDS } from "./anomaly-layers.js";
import { formatNumber, formatProbability, shortenTimestamp } from "./table.js";

const DATE = "2026-01-31".length;
const DIGITS = 3;
/** How an event of a monitor closed. */
const CLOSINGS = {
  ended: "ended",
  new_level: "ended as the new level",
  absent: "ended as the series was no longer returned",
};

/**
 * Fill the lists below the chart.
 *
 * @param {{events: object[], change_points: object[]}} response of POST /anomalies
 * @param {(start: string, end: string) => void} goTo
 */
export function listEvents({ events, change_points: changes }, goTo) {
  const isQuiet = events.length + changes.length === 0;
  element("nothing").hidden = !isQuiet;
  fill("event-list", "events-title", events.map((event) => describeEvent(event, goTo)));
  fill("change-list", "changes-title", changes.map((change) => describeChange(change, goTo)));
}

/** `2 spikes, 1 level shift`. */
export function countKinds(events) {
  return Object.entries(KINDS)
    .map(([kind, { name }]) => [events.filter((event) => event.kind === kind).length, name])
    .filter(([count]) => count > 0)
    .map(([count, name]) => countOf(count, name.toLowerCase()))
    .join(", ");
}

/** `1 event`, `2 events`. */
export function countOf(count, noun) {
  const plural = noun.endsWith("stretch") ? `${noun}es` : `${noun}s`;
  return `${count.toLocaleString("en")} ${count === 1 ? noun : plural}`;
}

/**
 * An event as an entry of a list.
 *
 * @param {object} event of POST /anomalies or of a monitor, where `end` is null while it is open
 * @param {((start: string, end: string) => void)|null} goTo null where the chart does not show it
 */
export function describeEvent(event, goTo) {
  const { kind, direction, start, end } = event;
  const isSided = kind === "burst" || kind === "level_shift";
  const name = isSided ? `${KINDS[kind].name} ${direction}` : KINDS[kind].name;
  const onClick = goTo && (() => goTo(start, end ?? start));
  const entry = item(kind, name, timeOf(event), factsOf(event), onClick);
  if (event.is_alert) entry.querySelector("strong").after(" ", alertMark());
  entry.classList.toggle("no-alert", event.is_alert === false);
  return entry;
}

function alertMark() {
  const mark = document.createElement("mark");
  mark.textContent = "alert";
  return mark;
}

function timeOf({ start, end }) {
  const first = shortenTimestamp(start);
  if (end === null) return `since ${first}`;
  return start === end ? first : `${first} – ${timeAfter(first, end)}`;
}

function factsOf(event) {
  const { kind, start, end, peak_timestamp: peak, deviation, closed_as: closing } = event;
  const isPlain = start === end || kind === "flat" || kind === "overdue";
  return [
    ...(isPlain ? [] : [`peak ${timeAfter(shortenTimestamp(start), peak)}`]),
    ...(kind === "overdue" ? [] : [`severity ${Math.round(event.severity)}`]),
    ...((deviation ?? null) === null ? [] : [`${rounded(deviation)} from expected`]),
    ...(closing === undefined ? [] : [CLOSINGS[closing] ?? "open"]),
  ].join(", ");
}

/** A distance as people read it: more digits tell nothing. */
function rounded(distance) {
  return formatNumber(Number(distance.toPrecision(DIGITS)));
}

/** A timestamp beside another: on the same day its time of day alone. */
function timeAfter(first, timestamp) {
  const time = shortenTimestamp(timestamp);
  const haveTimes = first.length > DATE && time.length > DATE;
  return haveTimes && first.startsWith(time.slice(0, DATE)) ? time.slice(DATE + 1) : time;
}

function describeChange({ timestamp, before, after, p_value: p }, goTo) {
  const level = `level ${formatNumber(before)} → ${formatNumber(after)}`;
  const text = `${level}, p ${formatProbability(p)}`;
  return item("change", "Change point", shortenTimestamp(timestamp), text, () =>
    goTo(timestamp, timestamp),
  );
}

function item(key, name, time, facts, onClick) {
  const entry = document.createElement("li");
  entry.className = `key-${key}`;
  const line = document.createElement(onClick ? "button" : "p");
  if (line instanceof HTMLButtonElement) {
    line.type = "button";
    line.addEventListener("click", onClick);
  }
  const title = document.createElement("strong");
  title.textContent = name;
  const details = document.createElement("small");
  details.textContent = facts;
  line.append(title, ` ${time} `, details);
  entry.append(line);
  return entry;
}

function fill(list, title, items) {
  element(list).hidden = element(title).hidden = items.length === 0;
  element(list).replaceChildren(...items);
}
