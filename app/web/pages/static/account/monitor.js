// The page of one monitor: its chart, and the refresh of the page.

import { Chart } from "../charts/chart.js";
import { toMoment } from "../charts/traces.js";
import { create, element, findAll } from "../dom.js";
import { fetchUrl, showRefresh } from "./fetching.js";
import { LivePage } from "./live-page.js";
import { drawingOf, legendOf } from "./monitor-chart.js";
import { Refresher } from "./refresher.js";

/** Points to show on either side of an event. */
const EVENT_MARGIN_POINTS = 15;

const chart = new Chart(element("chart"));
const page = new LivePage(linkEvents);
/** The points of the chart, oldest first; null before the first response. */
let points = null;

async function refresh() {
  const isFirst = points === null;
  const response = isFirst ? { status: 200, body: document, retryAfter: 0 } : await page.fetch();
  if (response.status !== 200) return response;
  if (!isFirst && !page.hasChanged(response.body)) return null;
  const data = await fetchUrl(element("chosen").dataset.chart);
  if (data.status !== 200) return data;
  const { forecast: url } = element("chosen").dataset;
  // The chart is complete without the forecast, which a busy engine may reject.
  const forecast = url ? ((await fetchUrl(url)).body ?? {}) : {};
  ({ points } = data.body);
  if (isFirst) linkEvents();
  else page.show(response.body);
  await draw({ ...data.body, forecast });
  return null;
}

/** @param {import("./monitor-chart.js").ChartData} data */
async function draw(data) {
  const isEmpty = points.length === 0;
  element("chart").hidden = element("zoom").hidden = isEmpty;
  element("legend").replaceChildren(...(isEmpty ? [] : legendOf(data)));
  if (!isEmpty) await chart.draw(drawingOf(data));
}

/** Turn the events within the chart into buttons that zoom to them. */
function linkEvents() {
  if (points.length === 0) return;
  const [first, last] = [points[0], points.at(-1)].map(({ timestamp }) => toMoment(timestamp));
  const margin = ((last - first) / points.length) * EVENT_MARGIN_POINTS;
  for (const line of findAll("#event-list p")) {
    const { start, end } = line.parentElement.dataset;
    const [from, to] = [toMoment(start), end ? toMoment(end) : Math.max(toMoment(start), last)];
    if (to < first) continue;
    const onclick = () => chart.showBetween(Math.min(from, last) - margin, (end ? to : from) + margin);
    line.replaceWith(create("button", { type: "button", onclick }, ...line.childNodes));
  }
}

chart.listenToButtons();
new Refresher(refresh, showRefresh).start();
