// The page of monitors: a key in; a list, and the monitor that the address names (#name).

import { Chart } from "../playground/chart.js";
import { locate } from "../playground/errors.js";
import { readKey, showLimits } from "../playground/key.js";
import { clearErrors, focusFirstError, showError } from "../playground/messages.js";
import { send } from "../playground/request.js";
import { MonitorList } from "./monitor-list.js";
import { MonitorView } from "./monitor-view.js";
import { Refresher } from "./refresher.js";

const element = (id) => document.getElementById(id);
const base = new URL(element("form").dataset.monitorsUrl, location.href).href;

/** Null until one is sent, and after the page was left. */
let key = null;

const chart = new Chart(element("chart"));
const list = new MonitorList();
const view = new MonitorView(chart, get);
const refresher = new Refresher(refresh, (text) => (element("refreshed").textContent = text));

async function get(path) {
  const used = key;
  const answer = await send({ url: base + path }, used);
  // Of a key that was changed meanwhile nothing is shown.
  if (used !== key) return { ...answer, status: 0, body: null };
  showLimits(answer.limits);
  return answer;
}

async function refresh() {
  const used = key;
  const answer = await get("");
  if (used !== key) return null;
  if (answer.status === 200) list.show(answer.body.monitors, chosen());
  const failure = answer.status === 200 ? await showChosen() : answer;
  if (used === key) showFailure(failure);
  return failure;
}

function chosen() {
  const named = decodeURIComponent(location.hash.slice(1));
  return named || list.only;
}

/** Show the monitor that the address names; gives what went wrong, or null. */
async function showChosen() {
  const name = chosen();
  const monitor = list.find(name);
  list.mark(name);
  element("choose").hidden = Boolean(monitor);
  element("choose").textContent =
    name && !monitor ? `There is no monitor ${name}.` : "Choose a monitor to see its points.";
  if (!monitor) view.clear();
  return monitor ? view.show(monitor) : null;
}

function showFailure(failure) {
  clearErrors();
  if (failure) for (const { control, text } of locate(failure)) showError(control, text);
}

async function start() {
  clearErrors();
  key = readKey();
  list.clear();
  view.clear();
  if (key === null) refresher.stop("");
  else await refresher.start();
  focusFirstError();
}

/** A page that the browser keeps for the way back keeps no key. */
function leave() {
  key = null;
  element("key").value = "";
  refresher.stop("Paste the key to go on.");
}

element("form").addEventListener("submit", (event) => {
  event.preventDefault();
  start();
});
element("deliveries").addEventListener("toggle", () =>
  refresher.doNow(async () => {
    const failure = await view.deliveries.refresh();
    showFailure(failure);
    return failure;
  }),
);
element("zoom-in").addEventListener("click", () => chart.zoom(true));
element("zoom-out").addEventListener("click", () => chart.zoom(false));
element("zoom-recent").addEventListener("click", () => chart.showRecent());
element("zoom-all").addEventListener("click", () => chart.showAll());
for (const place of document.querySelectorAll("[data-base]")) place.textContent = base;
window.addEventListener("hashchange", () => refresher.doNow(showChosen));
window.addEventListener("pagehide", leave);
