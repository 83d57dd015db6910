// The monitors of an account: name, state, last point.

import { element } from "../dom.js";
import { formatNumber, shortenTimestamp } from "../playground/table.js";
import { shown, titleOf } from "./names.js";
import { describeState } from "./words.js";

const STATES = ["anomalous", "overdue", "absent", "learning", "normal"];

export class MonitorList {
  /** The monitors by name, null before the first response. */
  #monitors = null;

  constructor() {
    element("find").addEventListener("input", () => this.#filter());
  }

  find(name) {
    return this.#monitors?.get(name);
  }

  get isEmpty() {
    return this.#monitors?.size === 0;
  }

  /** The only monitor there is, if there is one. */
  get only() {
    return this.#monitors?.size === 1 ? [...this.#monitors.keys()][0] : null;
  }

  clear() {
    this.#monitors = null;
    element("monitor-list").replaceChildren();
    element("monitors").hidden = element("first-monitor").hidden = true;
  }

  /** @param {object[]} monitors of GET /monitors */
  show(monitors, chosen) {
    const before = this.#monitors;
    this.#monitors = new Map(monitors.map((monitor) => [monitor.name, monitor]));
    element("monitors").hidden = monitors.length === 0;
    element("first-monitor").hidden = monitors.length > 0;
    element("monitor-count").textContent = STATES.map((state) => [
      monitors.filter((monitor) => statesIn(monitor).includes(state)).length,
      state,
    ])
      .filter(([count]) => count > 0)
      .map(([count, state]) => `${count} ${state}`)
      .join(", ");
    const focused = document.activeElement?.closest("#monitor-list a")?.getAttribute("href");
    element("monitor-list").replaceChildren(...monitors.map(entryOf));
    this.#filter();
    this.mark(chosen);
    if (focused) this.#linkTo(focused)?.focus({ preventScroll: true });
    if (before) tellChanges(before, monitors);
  }

  /** Mark the monitor that is chosen. */
  mark(name) {
    for (const link of element("monitor-list").querySelectorAll("a")) {
      if (link.hash === `#${name}`) link.setAttribute("aria-current", "true");
      else link.removeAttribute("aria-current");
    }
  }

  /** Show those whose name or labels contain what was typed. */
  #filter() {
    const wanted = element("find").value.trim().toLowerCase();
    for (const entry of element("monitor-list").children) {
      const { hash, textContent } = entry.querySelector("a");
      entry.hidden = !`${hash} ${textContent}`.toLowerCase().includes(wanted);
    }
  }

  #linkTo(hash) {
    return [...element("monitor-list").querySelectorAll("a")].find((link) => link.hash === hash);
  }
}

/** The state of a monitor, and that it is anomalous where the state hides it. */
function statesIn({ state, is_anomalous: isAnomalous }) {
  return isAnomalous && state !== "anomalous" ? [state, "anomalous"] : [state];
}

/** States as words, each beside a shape of its own. */
export function statesOf(monitor) {
  return statesIn(monitor).flatMap((state, i) => {
    const mark = document.createElement("span");
    mark.className = `state ${state}`;
    mark.textContent = state;
    return i === 0 ? [mark] : [" ", mark];
  });
}

function entryOf(monitor) {
  const { name, last_point: last } = monitor;
  const entry = document.createElement("li");
  const link = document.createElement("a");
  link.href = `#${name}`;
  const title = document.createElement("strong");
  title.textContent = titleOf(monitor);
  const facts = document.createElement("small");
  const newest = last && `${formatNumber(last.value)} at ${shortenTimestamp(last.timestamp)}`;
  facts.textContent = [newest ?? "no point yet", describeState(monitor)].filter(Boolean).join("; ");
  const states = document.createElement("span");
  states.append(...statesOf(monitor));
  link.append(title, " ", states, " ", facts);
  entry.append(link);
  return entry;
}

const inWords = (monitor) => statesIn(monitor).join(" and ");

/** Read out what is otherwise only seen. */
function tellChanges(before, monitors) {
  const changes = monitors
    .filter((one) => before.has(one.name) && inWords(before.get(one.name)) !== inWords(one))
    .map((one) => `${shown(one.name)} is ${inWords(one)}.`);
  if (changes.length > 0) element("news").textContent = changes.join(" ");
}
