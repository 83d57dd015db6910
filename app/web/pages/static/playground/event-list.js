// The lists of events and change points; an entry zooms the chart to its place.

import { KINDS } from "../charts/anomaly-layers.js";
import { create, element } from "../dom.js";
import { shortenTimestamp, chanceText } from "../words.js";

const DATE = "2026-01-31".length;

/**
 * Fill the lists below the chart.
 *
 * @param {{events: object[], change_points: object[]}} response of POST /anomalies
 * @param {import("./series-format.js").SeriesFormat} format
 * @param {(start: string, end: string) => void} goTo
 */
export function listEvents({ events, change_points: changes }, { figures }, goTo) {
  const isQuiet = events.length + changes.length === 0;
  element("nothing").hidden = !isQuiet;
  showList("event-list", "events-title", events.map((event) => describeEvent(event, goTo)));
  showList("change-list", "changes-title", changes.map((change) => describeChange(change, figures, goTo)));
}

/** An event of POST /anomalies as an entry of the list. */
function describeEvent(event, goTo) {
  const { kind, direction, start, end } = event;
  const isSided = kind === "burst" || kind === "level_shift";
  const name = isSided ? `${KINDS[kind].name} ${direction}` : KINDS[kind].name;
  return listItem(kind, name, timeOf(event), factsOf(event), () => goTo(start, end));
}

function timeOf({ start, end }) {
  const first = shortenTimestamp(start);
  return start === end ? first : `${first} – ${timeAfter(first, end)}`;
}

function factsOf({ kind, start, end, peak_timestamp: peak, severity }) {
  const hasPeak = start !== end && kind !== "flat";
  const facts = hasPeak ? [`peak ${timeAfter(shortenTimestamp(start), peak)}`] : [];
  return [...facts, `severity ${Math.round(severity)}`].join(", ");
}

/** A timestamp after another one: only its time if it is on the same day. */
function timeAfter(first, timestamp) {
  const time = shortenTimestamp(timestamp);
  const haveTimes = first.length > DATE && time.length > DATE;
  return haveTimes && first.startsWith(time.slice(0, DATE)) ? time.slice(DATE + 1) : time;
}

function describeChange({ timestamp, before, after, p_value: p }, figures, goTo) {
  const level = `level ${figures.write(before)} → ${figures.write(after)}`;
  const text = `${level}, by chance ${figures.localize(chanceText(p))}`;
  return listItem("change", "Change point", shortenTimestamp(timestamp), text, () =>
    goTo(timestamp, timestamp),
  );
}

function listItem(key, name, time, facts, onclick) {
  const details = [create("strong", {}, name), ` ${time} `, create("small", {}, facts)];
  return create("li", { className: `key-${key}` }, create("button", { type: "button", onclick }, ...details));
}

function showList(list, title, items) {
  element(list).hidden = element(title).hidden = items.length === 0;
  element(list).replaceChildren(...items);
}
