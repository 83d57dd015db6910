// The playground: data in, one request a chosen model, a picture of the answers.

import { Chart } from "./chart.js";
import { DataPanel } from "./data.js";
import { locate } from "./errors.js";
import { clearErrors, countDown, focusFirstError, showError } from "./messages.js";
import { lineButton } from "./reading-view.js";
import { requestBody, requestForecast } from "./request.js";
import { Results } from "./results.js";

const SENDABLE = /^[\x21-\x7e]*$/;

const element = (id) => document.getElementById(id);
const form = element("form");
const service = form.dataset;
const models = [...element("models").querySelectorAll("input")];
const units = [...element("frequency").options].map(({ value, dataset }) => ({
  frequency: value,
  seconds: Number(dataset.seconds),
  months: Number(dataset.months),
  noun: dataset.noun,
}));

const chart = new Chart(element("chart"));
const results = new Results(new URL(service.url, location.href).href);
const data = new DataPanel(units, Number(service.maxPoints), onNewData);

/** Answers to the request that the controls describe, by model; another request has none yet. */
let answers = new Map();
let answered = "";
/** The model whose answer is on its way. */
let asking = "";

function currentBody() {
  return requestBody(data.points, {
    horizon: numberIn("horizon"),
    frequency: element("frequency").value,
    confidence: numberIn("confidence"),
  });
}

/** What is typed, as JSON has it: the service says what is wrong with anything but a number. */
function numberIn(id) {
  const { valueAsNumber, value } = element(id);
  return Number.isFinite(valueAsNumber) ? valueAsNumber : value || null;
}

function chosenModels() {
  return models.filter((model) => model.checked).map((model) => model.value);
}

function onNewData() {
  const { spacing } = data.reading;
  if (spacing) element("frequency").value = spacing.frequency;
  clearErrors();
  refresh();
}

/** Show what belongs to the controls as they are now. */
async function refresh() {
  const body = currentBody();
  const id = JSON.stringify(body);
  if (id !== answered) {
    answered = id;
    answers = new Map();
  }
  const forecasts = models
    .map((model, slot) => ({ model: model.value, slot, ...answers.get(model.value) }))
    .filter(({ model, answer }) => answer && chosenModels().includes(model));
  element("chart-title").textContent = data.title;
  results.show(forecasts, { model: chosenModels()[0] ?? service.defaultModel, body });
  say(statusOf(forecasts, body));
  const { points } = data;
  element("chart").hidden = element("zoom").hidden = points.length === 0;
  if (points.length === 0) return;
  const spacing = data.fillsHoles ? null : data.reading.spacing;
  await chart.draw({ points, spacing, forecasts, horizon: body.forecast_horizon });
}

async function forecast() {
  clearErrors();
  const key = element("key").value.trim().replace(/^Bearer\s+/i, "");
  if (!SENDABLE.test(key)) showError("key", "A key is ak_ and 64 hexadecimal characters.");
  else if (chosenModels().length === 0) showError("models", "Choose a model.");
  else await askAll(key);
  focusFirstError();
}

/** Ask each chosen model that has not answered this request yet; stop at the first error. */
async function askAll(key) {
  const body = currentBody();
  for (const model of chosenModels().filter((name) => !answers.has(name))) {
    const answer = await ask(model, body, key);
    showLimits(answer.limits);
    if (JSON.stringify(currentBody()) !== JSON.stringify(body)) {
      say("The request has changed meanwhile. Press Forecast again.");
      return;
    }
    if (answer.status === 200) answers.set(model, { ...answer, answer: answer.body });
    await refresh();
    if (answer.status !== 200) {
      showFailure(answer);
      return;
    }
    if (answers.size === 1) await chart.showRecent();
  }
  bringIntoView(element("result"));
}

async function ask(model, body, key) {
  asking = model;
  say(statusOf([], body));
  const answer = await requestForecast(service.url, body, model, key);
  asking = "";
  return answer;
}

/** What is under way, or else what is shown. */
function statusOf(forecasts, { forecast_horizon: horizon }) {
  if (asking) return `Asking ${asking} …`;
  if (forecasts.length === 0) return "";
  const names = forecasts.map(({ model }) => model).join(", ");
  return `${horizon} ${horizon === 1 ? "period" : "periods"} forecast by ${names}.`;
}

function showFailure(answer) {
  const defects = locate(answer);
  for (const { control, text, entry } of defects) {
    const line = entry === null ? null : data.points[entry]?.line;
    const where = line ? [lineButton(line, (to) => data.goToLine(to)), ": "] : [];
    showError(control, ...where, text);
  }
  if (answer.retryAfter) {
    const paragraph = showError(defects[0].control);
    countDown(paragraph, answer.retryAfter, () => (paragraph.textContent = "Try again now."));
  }
}

function showLimits(limits) {
  if (!limits?.limit) return;
  const until = new Date(limits.reset * 1000).toLocaleTimeString();
  element("limits").textContent =
    `${limits.remaining} of ${limits.limit} requests left until ${until}.`;
}

function say(text) {
  element("status").textContent = text;
}

function bringIntoView(target) {
  const { top } = target.getBoundingClientRect();
  if (top < 0 || top > window.innerHeight / 2) target.scrollIntoView();
}

async function loadExample() {
  const { dataset } = await data.loadExample();
  if (dataset.horizon) element("horizon").value = dataset.horizon;
  await refresh();
}

form.addEventListener("submit", async (event) => {
  event.preventDefault();
  element("go").disabled = true;
  try {
    await forecast();
  } finally {
    element("go").disabled = false;
  }
});
for (const id of ["horizon", "frequency", "confidence", "models"]) {
  element(id).addEventListener("change", refresh);
}
element("example").addEventListener("change", loadExample);
element("zoom-in").addEventListener("click", () => chart.zoom(true));
element("zoom-out").addEventListener("click", () => chart.zoom(false));
element("zoom-recent").addEventListener("click", () => chart.showRecent());
element("zoom-all").addEventListener("click", () => chart.showAll());
// A page that the browser keeps for the way back keeps no key.
window.addEventListener("pagehide", () => (element("key").value = ""));

await loadExample();
