// The page of monitors: a key in; a list, and the monitor that the address names (#name).

import { element } from "../dom.js";
import { Chart } from "../playground/chart.js";
import { locate } from "../playground/errors.js";
import { readKey, showLimits } from "../playground/key.js";
import { clearErrors, focusFirstError, showError } from "../playground/messages.js";
import { send } from "../playground/request.js";
import { bringIntoView } from "../playground/scroll.js";
import { MonitorList } from "./monitor-list.js";
import { MonitorView } from "./monitor-view.js";
import { shown } from "./names.js";
import { Refresher } from "./refresher.js";

const POINTS = 300;
const EVENTS = 20;

const base = new URL(element("form").dataset.monitorsUrl, location.href).href;

let shownProblems = "[]";
/** Null until one is sent, and after the page was left. */
let key = null;

const chart = new Chart(element("chart"));
const list = new MonitorList();
const view = new MonitorView(chart, {
  points: (name) => get(`/${name}/points?order=desc&limit=${POINTS}`),
  events: (name) => get(`/${name}/events?order=desc&limit=${EVENTS}`),
  deliveries: (name) => get(`/${name}/deliveries`),
});
const refresher = new Refresher(refresh, tell);

async function get(path) {
  const used = key;
  const response = await send({ url: base + path }, used);
  // Of a key that was changed meanwhile nothing is shown.
  if (used !== key) return { ...response, status: 0, body: null };
  showLimits(response.limits);
  return response;
}

async function refresh() {
  const response = await get("");
  if (response.status === 200) list.show(response.body.monitors, chosen());
  return response.status === 200 ? showChosen() : response;
}

function chosen() {
  return location.hash.slice(1) || list.only;
}

/** Show the monitor that the address names; gives what went wrong, or null. */
async function showChosen() {
  const name = chosen();
  const monitor = list.find(name);
  list.mark(name);
  element("choose").hidden = Boolean(monitor) || (list.isEmpty && !name);
  element("choose").textContent =
    name && !monitor ? `There is no monitor ${shown(name)}.` : "Choose a monitor to see its points.";
  if (!monitor) view.clear();
  return monitor ? view.show(monitor) : null;
}

/** Say what was refreshed when, and what went wrong; said twice it is read out once. */
function tell(text, failure) {
  element("refreshed").textContent = text;
  const problems = failure ? locate(failure) : [];
  const told = JSON.stringify(problems);
  if (told === shownProblems) return;
  shownProblems = told;
  clearErrors();
  for (const { control, text: problem } of problems) showError(control, problem);
}

async function start() {
  clearErrors();
  shownProblems = "[]";
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
  refresher.doNow(() => view.deliveries.refresh()),
);
chart.listenToButtons();
for (const place of document.querySelectorAll("[data-base]")) place.textContent = base;
// The address names a monitor: the way to the content leaves it as it is.
document.querySelector(".skip").addEventListener("click", (event) => {
  event.preventDefault();
  element("main").focus();
});
window.addEventListener("hashchange", () => {
  list.mark(chosen());
  refresher.doNow(showChosen);
  bringIntoView("result");
});
window.addEventListener("pagehide", leave);
