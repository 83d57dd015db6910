// All series of a table: a small chart of each, and one request to forecast all, also as a file.

import { downloadName } from "../charts/picture.js";
import { element } from "../dom.js";
import { clockTime, countOf } from "../words.js";
import { describeSeries } from "./series-format.js";
import { knownLimits, learnLimits } from "./key.js";
import { NO_READING } from "./reading.js";
import { saveFile } from "./saving.js";
import { bringIntoView } from "./scroll.js";
import { lastPeriodText } from "./sentence.js";
import { SeriesCard } from "./series-card.js";
import { SeriesChoice } from "./series-choice.js";
import { SETTINGS_CHANGED, irregularDefect, readSettings } from "./settings.js";
import { csvFormOf, withoutTabs } from "./table.js";
import { forecastOfSeries, tableRequest } from "./table-request.js";

const MAX_CARDS = 24;
const JSON_TYPE = "application/json";
const WORKBOOK = { type: "application/vnd.openxmlformats-officedocument.spreadsheetml.sheet", end: "xlsx" };
/** The files that the service writes, by their buttons. */
const FILES = {
  "download-all": { type: "text/csv", end: "csv" },
  "download-workbook": WORKBOOK,
};
/** The button beside the numbers, where the table has one series. */
const ONE_SERIES = "download-series";

/** The cards of a table's series, and the buttons that forecast them. */
export class SeriesGrid {
  /** @type {Map<string, SeriesCard>} */
  #cards = new Map();
  #formats = new WeakMap();
  #isRequesting = false;
  /** The last response: its readings, its settings and model; the forecasts by name. */
  #received = {
    readings: null, tableSettings: "", model: null, sentSettings: null, response: null, forecasts: new Map(),
  };

  /**
   * @param {import("./state.js").PlaygroundState} playground
   * @param {DOMStringMap} service
   * @param {import("./forecast-tab.js").ForecastTab} tab
   */
  constructor(playground, service, tab) {
    this.playground = playground;
    this.tab = tab;
    this.verifyUrl = new URL(service.verifyUrl, location.href).href;
    this.url = new URL(service.tableUrl, location.href).href;
    this.quotas = {
      forecastsPerRequest: Number(service.forecastsPerRequest),
      pointsPerRequest: Number(service.pointsPerRequest),
    };
    this.choice = new SeriesChoice(MAX_CARDS, () => this.refresh());
    playground.addTaskButton("forecast-all", this);
    for (const [id, file] of Object.entries({ ...FILES, [ONE_SERIES]: WORKBOOK })) {
      const request = (key) => this.#download(key, file);
      playground.addTaskButton(id, { refresh: () => {}, request, reading: () => this.reading() });
    }
    element("key").addEventListener("change", () => this.#showCost());
  }

  /** Whether all series of the table were forecast. */
  get hasForecasts() {
    return this.#received.readings === this.playground.data.readings && this.#received.forecasts.size > 0;
  }

  /** The reading with the problem of all series; none if one can be forecast. */
  reading() {
    const readings = this.#readings;
    if (readings.some((reading) => !this.#problemOf(reading))) return NO_READING;
    return readings[0] ?? this.playground.data.reading;
  }

  refresh() {
    const { names, name } = this.playground.data.reading;
    const isShown = names.length > 1;
    element("several").hidden = !isShown;
    element(ONE_SERIES).hidden = isShown || Boolean(this.#problemOf(this.playground.data.reading));
    element("download").textContent = isShown ? "This series as CSV" : "Download CSV";
    this.choice.offer(names);
    element("several-title").textContent = `${names.length} series`;
    this.#layCards(isShown ? this.choice.names : []);
    if (!isShown) return;
    for (const [title, card] of this.#cards) {
      const reading = this.playground.data.readings.of(title);
      this.#addToTab(reading);
      card.show(reading, { ...this.#stateOf(reading), key: `model-${this.#model.slot + 1}`, isChosen: title === name });
    }
    const canAsk = this.#readings.some((reading) => !this.#problemOf(reading));
    for (const id of Object.keys(FILES)) element(id).hidden = !canAsk;
    this.#showStatus();
    this.#showCost();
  }

  /** Forecast all series. */
  async request(key) {
    const { readings } = this.playground.data;
    const [model, tableSettings, sentSettings] = [this.#model, this.tab.requests.tableSettings, readSettings()];
    const response = await this.#send(key, JSON_TYPE);
    if (response?.status === 200 && readings === this.playground.data.readings) {
      const forecasts = new Map(response.body.series.map((forecast) => [forecast.name, forecast]));
      this.#received = { readings, tableSettings, model, sentSettings, response, forecasts };
      this.#addToTab(this.playground.data.reading);
      await this.tab.refresh();
      await this.playground.chart.showRecent();
    }
    this.refresh();
  }

  async #download(key, { type, end }) {
    const { data } = this.playground;
    const { delimiter, names } = data.reading;
    const form = csvFormOf(data.readings.of(names[0]));
    const name = downloadName(names.length > 1 ? data.tableTitle : data.title, "forecast", end);
    const response = await this.#send(key, type, { history: "true" });
    const isReceived = response?.status === 200;
    if (isReceived && end === "csv" && delimiter === "\t") {
      saveFile(name, new Blob([withoutTabs(await response.body.text(), form.delimiter)]));
    } else if (isReceived) saveFile(name, response.body);
    this.refresh();
    if (isReceived) this.#showDownload(name);
  }

  /** Show the name of the saved file, and how to show its forecasts. */
  #showDownload(name) {
    const isSeen = element("forecast-all").hidden;
    if (element("several").hidden) this.playground.showStatus(`Downloaded ${name}.`);
    const more = isSeen ? "" : ` “${element("forecast-all").textContent}” shows the forecasts here.`;
    element("several-status").textContent = `Downloaded ${name}.${more}`;
  }

  /** Send the table with the settings; null if these are invalid. */
  async #send(key, type, more = {}) {
    if (!this.tab.checkControls()) return null;
    const { model } = this.#model;
    const request = tableRequest(this.url, this.playground.data.source, readSettings(), { model, type, more });
    this.#isRequesting = true;
    this.refresh();
    const response = await this.playground.send(request, key);
    this.#isRequesting = false;
    if (response.status !== 200) this.playground.showFailure(response);
    return response;
  }

  /** The series that are drawn. */
  get #readings() {
    return this.choice.names.map((name) => this.playground.data.readings.of(name));
  }

  /** The drawn series that can be forecast and have no forecast for the settings yet. */
  get #pending() {
    return this.#readings.filter(
      (reading) => !this.#problemOf(reading) && !this.#forecastOf(reading) && !this.#failureOf(reading),
    );
  }

  /** The first model that is chosen forecasts all. */
  get #model() {
    return this.tab.chosen[0] ?? this.tab.models[0];
  }

  #forecastOf(reading) {
    return this.tab.forecastOf(reading, this.#model.model);
  }

  /** The received forecasts for the current table, model and settings. */
  get #forecasts() {
    const { readings, tableSettings, model, forecasts } = this.#received;
    const isSameTable = readings === this.playground.data.readings;
    const isCurrent = isSameTable && tableSettings === this.tab.requests.tableSettings && model === this.#model;
    return isCurrent ? forecasts : new Map();
  }

  #failureOf(reading) {
    return this.#forecasts.get(reading.name)?.problem ?? "";
  }

  /** Pass the forecast of a series to the tab, which shows it. */
  #addToTab(reading) {
    const received = this.#forecasts.get(reading.name);
    if (!received || received.problem || this.#forecastOf(reading)) return;
    const { model, sentSettings, response } = this.#received;
    const seriesSettings = { ...sentSettings, frequency: reading.frequency ?? sentSettings.frequency };
    this.tab.addResponse(reading, model, seriesSettings, forecastOfSeries(response, reading));
  }

  /** Show a card for each name; existing cards are kept, as one may have the focus. */
  #layCards(names) {
    if (names.length === this.#cards.size && names.every((name) => this.#cards.has(name))) return;
    const old = this.#cards;
    const cardOf = (name) => old.get(name) ?? new SeriesCard(name, () => this.#choose(name));
    this.#cards = new Map(names.map((name) => [name, cardOf(name)]));
    element("several-list").replaceChildren(...[...this.#cards.values()].map(({ item }) => item));
  }

  #choose(name) {
    this.playground.data.choose(name);
    bringIntoView("picture");
  }

  #stateOf(reading) {
    const forecast = this.#forecastOf(reading);
    const old = forecast ?? this.tab.anyForecastOf(reading, this.#model.model) ?? null;
    if (forecast) return { forecast, words: lastPeriodText(forecast, this.#formatOf(reading)), kind: "" };
    const problem = this.#problemOf(reading) || this.#failureOf(reading);
    if (problem) return { forecast: null, words: problem, kind: "failed" };
    if (this.#isRequesting) return { forecast: old, words: "Asking …", kind: "stale" };
    return { forecast: old, words: old ? SETTINGS_CHANGED : "", kind: old ? "stale" : "" };
  }

  /** Why a series cannot be forecast, "" if it can. */
  #problemOf(reading) {
    if (reading.asks === "fill") return "Values are missing: choose a fill.";
    return reading.problem || this.tab.requests.lengthDefect(reading) || irregularDefect(reading);
  }

  #formatOf(reading) {
    if (!this.#formats.has(reading)) {
      const frequency = reading.frequency ?? element("frequency").value;
      const { noun } = [...element("frequency").options].find(({ value }) => value === frequency).dataset;
      this.#formats.set(reading, describeSeries(reading, { frequency, noun }));
    }
    return this.#formats.get(reading);
  }

  /** Show the running request or its result. */
  #showStatus() {
    const all = this.playground.data.reading.names.length;
    const received = [...this.#forecasts.values()];
    const done = received.filter(({ problem }) => !problem).length;
    element("forecast-all").hidden = this.#isRequesting || this.#pending.length === 0;
    element("forecast-all").textContent = `Forecast all ${all}`;
    const failed = all - done;
    const failedText = failed > 0 ? ` ${failed} ${failed === 1 ? "has" : "have"} none.` : "";
    const doneText = `${done} of ${all} series forecast by ${this.#model.name}.${failedText}`;
    const text = received.length > 0 ? doneText : "";
    element("several-status").textContent = this.#isRequesting ? `Forecasting ${all} series …` : text;
  }

  /** Show the cost of forecasting all series in advance. */
  async #showCost() {
    const { names, points } = this.playground.data.reading;
    const count = names.length;
    const forecasts = count * Math.ceil(readSettings().horizon / this.tab.requests.maxHorizon);
    const { forecastsPerRequest, pointsPerRequest } = this.quotas;
    const cost = Math.ceil(Math.max(forecasts / forecastsPerRequest, (count * points.length) / pointsPerRequest));
    const write = () => {
      const hasCost = !this.#isRequesting && this.#pending.length > 0;
      element("several-cost").textContent = hasCost ? costOf(cost, this.#model.name, knownLimits()) : "";
    };
    write();
    if (element("several").hidden || this.#pending.length === 0) return;
    await learnLimits(this.verifyUrl);
    write();
  }
}

/** `3 requests for all, by General.`, and how many are left if these are too few: `Only 2 are left until 14:03:10.` */
function costOf(count, model, left) {
  const cost = `${countOf(count, "request")} for all, by ${model}.`;
  if (!left || left.remaining >= count) return cost;
  const until = left.reset ? ` until ${clockTime(left.reset * 1000)}` : "";
  return `${cost} Only ${left.remaining} are left${until}.`;
}
