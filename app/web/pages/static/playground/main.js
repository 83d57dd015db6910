// The playground: the data, a tab for each kind of request, and a chart of the responses.

import { Chart } from "../charts/chart.js";
import { downloadName } from "../charts/picture.js";
import { create, element, findAll } from "../dom.js";
import { AnomaliesTab } from "./anomalies-tab.js";
import { DataPanel } from "./data-panel.js";
import { ForecastTab } from "./forecast-tab.js";
import { listenToHolidays, offerHolidays } from "./holidays.js";
import { fittingHorizon, showHorizonHint } from "./horizon.js";
import { listenToKey, readKeyFromLink } from "./key.js";
import { clearErrors, clearErrorsOnInput } from "./messages.js";
import { keepPresses } from "./pressing.js";
import { Results } from "./results.js";
import { savePng, saveSvg } from "./saving.js";
import { keepEndInSight } from "./scroll.js";
import { keepSession, recallSession, restoreControls } from "./session.js";
import { PlaygroundState } from "./state.js";
import { Tabs } from "./tabs.js";

const form = element("form");
const service = form.dataset;
const units = new Map([...element("frequency").options].map(({ value, dataset }) => [value, dataset.noun]));

const chart = new Chart(element("chart"));
const tabs = new Tabs(element("tabs"), element("panel"), clearErrorsAndRefresh);
const readUrl = new URL(service.readUrl, location.href).href;
const data = new DataPanel(readUrl, (frequency) => units.get(frequency), onNewData);
const playground = new PlaygroundState(chart, new Results(), data, () => tasks[tabs.current]);
const tasks = {
  forecast: new ForecastTab(playground, service),
  anomalies: new AnomaliesTab(playground, service),
};

/** The table that the horizon was typed for; null if it is a default. */
let ownHorizon = null;
/** The table that is shown, and the models that were chosen when it came. */
let shown = { key: null, isOwn: false, models: "" };
/** The example that is being fetched and read. */
let loading;

function onNewData(isNew) {
  const { frequency, points, step, missing } = data.reading;
  if (shown.key !== data.tableKey) resetModels();
  showWhetherKnown();
  if (frequency) {
    element("frequency").value = frequency;
    // All series of a table have the same horizon.
    const { horizon } = element("example").selectedOptions[0].dataset;
    if (isNew && !hasOwnHorizon()) {
      const series = { step, missing: missing.length, max: Number(element("horizon").max) };
      element("horizon").value = horizon ?? fittingHorizon(frequency, points.length, series);
    }
  }
  clearErrorsAndRefresh();
}

/** Disable the horizon and the frequency while a question is open: they are those of the table before. */
function showWhetherKnown() {
  const { asks, points } = data.reading;
  for (const id of ["horizon", "frequency"]) element(id).disabled = asks !== null && points.length === 0;
}

/** Reset the models for another table, if they were changed for the user's table before it. */
function resetModels() {
  const inputs = findAll("#models input");
  const models = () => inputs.map(({ checked }) => checked).join();
  if (shown.isOwn && shown.models !== models()) {
    for (const input of inputs) input.checked = input.defaultChecked;
  }
  const { tableKey: key, isOwn } = data;
  shown = { key, isOwn, models: models() };
}

/** Return whether the horizon was typed for this table: the same file, frequency and step. */
function hasOwnHorizon() {
  if (ownHorizon?.isAhead) keepOwnHorizon();
  const { frequency, step } = data.reading;
  if (!ownHorizon || ownHorizon.file !== data.file) return false;
  return !ownHorizon.frequency || (ownHorizon.frequency === frequency && ownHorizon.step === step);
}

function keepOwnHorizon() {
  const { frequency, step } = data.reading;
  // A horizon that is typed during a reading is for the new table.
  ownHorizon = { file: data.file, frequency, step, isAhead: data.isReading };
}

function clearErrorsAndRefresh() {
  clearErrors();
  refresh();
}

async function refresh() {
  offerHolidays(tabs.current === "forecast");
  showHorizonHint(data.reading, Number(service.maxHorizon));
  const { title } = data;
  if (element("chart-title").textContent !== title) element("picture-title").value = title;
  element("chart-title").textContent = title;
  element("kept").hidden = !data.isOwn;
  await playground.current().refresh();
}

function loadExample() {
  loading = showExample();
  return loading;
}

/** Restore the data and the forecast after a reload or a visit to another page. */
async function restoreSession(session) {
  if (!(await data.restore(session.data))) return;
  restoreControls(session);
  keepOwnHorizon();
  tasks.forecast.restore(session.forecasts);
  await refresh();
}

/** Remove the user's data. */
function clearData() {
  element("example").value = "";
  loadExample();
}

/** Show the chosen example; return its points and the URL of its forecast, null if other data came meanwhile. */
async function showExample() {
  ownHorizon = null;
  const option = await data.loadExample();
  if (!option) return null;
  const { points } = data;
  await refresh();
  return { points, forecastUrl: option.dataset.forecast };
}

/** An entry of the legend as a line, without its buttons: `Forecast, June 2026: 21, between 15 and 28 · a notice`. */
function legendText(entry) {
  const textsOf = (selector) => [...entry.querySelectorAll(`:scope > ${selector}`)].map((part) => part.textContent);
  const facts = textsOf("span:not(.actions)");
  const mark = facts[0]?.includes(":") ? "," : ":";
  const words = facts.length > 0 ? `${textsOf("strong")}${mark} ${facts.join(" ")}` : textsOf("strong");
  return [words, ...textsOf(".notice")].join(" · ");
}

/** Save the picture with what the page says about it, for white paper whatever the page's theme. */
async function savePicture(save, kind) {
  const title = element("picture-title").value.trim() || data.title;
  const entries = [...element("legend").children];
  const light = create("div", { className: "light", hidden: true }, ...entries.map((entry) => entry.cloneNode()));
  const described = tabs.current === "forecast" ? element("sentence").textContent : element("status").textContent;
  const sentence = [described, data.combined].filter(Boolean).join(" ");
  document.body.append(light);
  let picture;
  try {
    const legend = entries.map((entry, i) => ({
      colour: getComputedStyle(light.children[i]).getPropertyValue("--key").trim(),
      text: legendText(entry),
      isArea: entry.matches(".area"),
    }));
    picture = await chart.picture({ title, sentence, legend }, light);
  } finally {
    light.remove();
  }
  if (picture) await save(picture, downloadName(title, tabs.current, kind));
}

form.addEventListener("submit", async (event) => {
  event.preventDefault();
  await loading; // with its horizon, which the forecast is asked for
  playground.run();
});
listenToHolidays(); // before the tabs hear of it
for (const control of form.querySelectorAll("[data-asked]")) {
  control.addEventListener("change", refresh);
}
element("horizon").addEventListener("input", keepOwnHorizon);
element("png").addEventListener("click", () => savePicture(savePng, "png"));
element("svg").addEventListener("click", () => savePicture(saveSvg, "svg"));
element("example").addEventListener("change", loadExample);
chart.listenToButtons();
clearErrorsOnInput(form);
keepEndInSight(form);
keepPresses();
listenToKey();
// The space for the first forecast is reserved until the first change.
form.addEventListener("input", () => element("picture").classList.remove("opening"), { once: true });
element("clear").addEventListener("click", clearData);
window.addEventListener("pagehide", () => {
  keepSession(data.snapshot, tasks.forecast.snapshot);
  element("key").value = ""; // a page that the browser keeps for the way back keeps no key
});

// Without kept data, a page that opens at a tab shows the example for that tab.
const fitting = element("example").querySelector(`[data-shows="${tabs.current}"]`);
const session = recallSession();
if (element("file").files[0]) {
  // It was chosen before this script had come.
  element("file").dispatchEvent(new Event("change"));
} else if (session) {
  loading = restoreSession(session);
  await loading;
} else {
  if (fitting) element("example").value = fitting.value;
  const example = await loadExample();
  if (example?.forecastUrl && tabs.current === "forecast") await tasks.forecast.showRecorded(example);
}
element("as-code").hidden = false; // below what has come by now
await readKeyFromLink(service.verifyUrl);
