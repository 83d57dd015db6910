// The page of one monitor: its chart, and all of it kept fresh.

import { element } from "../dom.js";
import { MonitorView } from "../monitors/monitor-view.js";
import { Refresher } from "../monitors/refresher.js";
import { Chart } from "../playground/chart.js";
import { ask, tell } from "./ask.js";

const { url } = element("chosen").dataset;

const chart = new Chart(element("chart"));
const view = new MonitorView(chart, {
  points: () => ask(`${url}/points`),
  events: () => ask(`${url}/events`),
  deliveries: () => ask(`${url}/deliveries`),
});
const refresher = new Refresher(refresh, tell);
let state = null;

async function refresh() {
  const response = await ask(`${url}/state`);
  if (response.status !== 200) return response;
  const { body: monitor } = response;
  // Read out what is otherwise only seen.
  if (state && state !== monitor.state) {
    element("news").textContent = `${monitor.name} is ${monitor.state}.`;
  }
  state = monitor.state;
  return view.show(monitor);
}

element("deliveries").addEventListener("toggle", () =>
  refresher.doNow(() => view.deliveries.refresh()),
);
chart.listenToButtons();
refresher.start();
