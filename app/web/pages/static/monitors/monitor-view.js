// The chosen monitor: chart, events, settings, numbers. Asked for again only when it has changed.

import { element } from "../dom.js";
import { countOf, describeEvent } from "../playground/event-list.js";
import { describeRate } from "../playground/rates.js";
import { fillTable, formatNumber, formatProbability, shortenTimestamp } from "../playground/table.js";
import { toMoment } from "../playground/traces.js";
import { DeliveryTable, shownName } from "./delivery-table.js";
import { drawingOf, eventsWithin, legendOf } from "./drawing.js";
import { statesOf } from "./monitor-list.js";
import { shown, titleOf } from "./names.js";
import {
  describeAlerts,
  describeFeed,
  describeMute,
  describeState,
  isMuted,
  shortenMoment,
} from "./words.js";

const TABLE_ROWS = 30;
/** An event is shown with so many points on either side. */
const AROUND_EVENT = 15;

/**
 * @typedef {import("../playground/request.js").Received} Received
 *
 * @typedef {object} Source asks for what belongs to the monitor of a name, all of it the newest first
 * @property {(name: string) => Promise<Received>} points as of GET /monitors/{name}/points
 * @property {(name: string) => Promise<Received>} events as of GET /monitors/{name}/events
 * @property {(name: string) => Promise<Received>} deliveries as of GET /monitors/{name}/deliveries
 */
export class MonitorView {
  #monitor = null;
  /** The monitor as it was when its points were asked for. */
  #asked = null;
  #events = [];

  /**
   * @param {import("../playground/chart.js").Chart} chart
   * @param {Source} source
   */
  constructor(chart, source) {
    this.chart = chart;
    this.source = source;
    this.deliveries = new DeliveryTable(source);
  }

  clear() {
    this.#monitor = this.#asked = null;
    element("monitor-name").textContent = element("monitor-name").dataset.name = "";
    element("chosen").hidden = true;
  }

  /**
   * Show a monitor as the list has it; what belongs to it is asked for if that is news.
   *
   * @param {object} monitor of GET /monitors
   * @returns {Promise<Received|null>} what went wrong, or null
   */
  async show(monitor) {
    // The page may have come with the monitor in it.
    if (shown(monitor.name) !== shownName()) this.#begin(monitor);
    this.#monitor = monitor;
    this.#showState();
    const known = JSON.stringify(monitor);
    if (known === this.#asked && !this.#waitsForEvent()) return this.deliveries.refresh();
    this.#asked = known;
    const failure = await this.#ask(monitor);
    if (failure) this.#asked = null;
    return failure;
  }

  #begin(monitor) {
    element("chosen").hidden = false;
    element("monitor-name").textContent = titleOf(monitor);
    element("monitor-name").dataset.name = shown(monitor.name);
    element("chart").hidden = element("zoom").hidden = element("numbers").hidden = true;
    element("legend").replaceChildren();
    element("event-list").replaceChildren();
    this.#events = [];
    this.deliveries.clear();
  }

  /** An overdue monitor's event comes a while after it is overdue, or is no longer muted. */
  #waitsForEvent() {
    const { state, muted_until: until } = this.#monitor;
    const overdue = this.#events.find(({ kind, end }) => kind === "overdue" && end === null);
    return state === "overdue" && !(overdue && (overdue.is_alert || isMuted(until)));
  }

  async #ask(monitor) {
    const [points, events] = await Promise.all([
      this.source.points(monitor.name),
      this.source.events(monitor.name),
    ]);
    if (monitor.name !== this.#monitor?.name) return null;
    const failure = [points, events].find(({ status }) => status !== 200);
    if (failure) return failure;
    this.#events = events.body.events;
    await this.#draw(points.body.points.toReversed());
    return null;
  }

  async #draw(points) {
    const watched = { monitor: this.#monitor, points, events: this.#events };
    const isEmpty = points.length === 0;
    element("no-points").hidden = !isEmpty;
    element("chart").hidden = element("zoom").hidden = element("numbers").hidden = isEmpty;
    element("legend").replaceChildren(...(isEmpty ? [] : legendOf(watched)));
    this.#listEvents(points);
    fillTable(element("table"), tableOf(points));
    if (!isEmpty) await this.chart.draw(drawingOf(watched));
  }

  #listEvents(points) {
    const drawn = new Set(eventsWithin(points, this.#events));
    const isOpen = ({ end }) => end === null;
    const sorted = [...this.#events].sort((a, b) => Number(isOpen(b)) - Number(isOpen(a)));
    const focused = [...element("event-list").children].findIndex((entry) =>
      entry.contains(document.activeElement),
    );
    element("nothing").hidden = sorted.length > 0;
    element("event-list").replaceChildren(
      ...sorted.map((event) => {
        const goTo = (start, end) => this.#goTo(points, start, end);
        const entry = describeEvent(event, drawn.has(event) ? goTo : null);
        entry.classList.toggle("open", isOpen(event));
        return entry;
      }),
    );
    if (focused >= 0) element("event-list").children[focused]?.querySelector("button")?.focus();
  }

  #goTo(points, start, end) {
    const [first, last] = [points[0], points.at(-1)].map(({ timestamp }) => toMoment(timestamp));
    const margin = ((last - first) / points.length) * AROUND_EVENT;
    this.chart.showBetween(Math.min(toMoment(start), last) - margin, toMoment(end) + margin);
  }

  #showState() {
    const monitor = this.#monitor;
    element("monitor-state").replaceChildren(...statesOf(monitor));
    element("monitor-why").textContent = describeState(monitor);
    const facts = {
      "fact-frequency": monitor.step > 1
        ? `${monitor.data_frequency}, ${monitor.step} a step`
        : monitor.data_frequency,
      "fact-rate": describeRate(monitor.false_alarm_rate),
      "fact-direction": monitor.direction,
      "fact-alerts": describeAlerts(monitor),
      "fact-muted": describeMute(monitor),
      "fact-points": countOf(monitor.points, "point"),
      "fact-created": shortenMoment(monitor.created_at),
      "fact-overdue": overdueFrom(monitor),
      "fact-name": shown(monitor.name),
      "fact-fed": describeFeed(monitor),
      "fact-webhook": monitor.webhook ?? "none: nothing is sent",
    };
    for (const [id, text] of Object.entries(facts)) element(id).textContent = text;
    element("deliveries").hidden = monitor.webhook === null;
  }
}

/** When a monitor is overdue: never where the calendar ends before. */
function overdueFrom({ overdue_at: moment, points }) {
  if (moment) return shortenMoment(moment);
  return points > 0 ? "never" : "after the first point";
}

function tableOf(points) {
  const rows = points.slice(-TABLE_ROWS).toReversed();
  const write = (number, format) => (number === null ? "–" : format(number));
  return {
    caption: `The newest ${countOf(rows.length, "point")}`,
    first: "Point",
    groups: [{ name: "", columns: ["Value", "Lower", "Expected", "Upper", "p", "Verdict"] }],
    rows: rows.map((point) => [
      shortenTimestamp(point.timestamp),
      ...[point.value, point.lower_bound, point.expected, point.upper_bound].map((number) =>
        write(number, formatNumber),
      ),
      write(point.p_value, formatProbability),
      point.is_anomaly ? `flagged, severity ${Math.round(point.severity)}` : point.status,
    ]),
  };
}
