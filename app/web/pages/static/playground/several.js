// All series of a table: a small picture of each, and all forecast by one request, as a file if wanted.

import { element } from "../dom.js";
import { describeSeries } from "./about.js";
import { clockTime } from "./clock.js";
import { knownLimits, learnLimits } from "./key.js";
import { fileName } from "./picture.js";
import { NOTHING } from "./reading.js";
import { saveFile } from "./saving.js";
import { bringIntoView } from "./scroll.js";
import { SeriesCard } from "./series-card.js";
import { SeriesChoice } from "./series-choice.js";
import { settings } from "./settings.js";
import { countOf } from "./words.js";

/** The most that are drawn. */
const MOST = 24;
/** How many forecasts, and how many points, count as one request of a key. */
const FORECASTS_OF_REQUEST = 100;
const POINTS_OF_REQUEST = 50_000;
const JSON_TYPE = "application/json";
/** The files that the service writes, by their buttons. */
const FILES = {
  "download-all": { type: "text/csv", end: "csv" },
  "download-workbook": { type: "application/vnd.openxmlformats-officedocument.spreadsheetml.sheet", end: "xlsx" },
};

export class SeriesGrid {
  /** @type {Map<string, SeriesCard>} */
  #cards = new Map();
  #abouts = new WeakMap();
  #isAsking = false;
  /** What was received last: of which table, asked what of which model; the forecasts by name. */
  #received = { table: null, asked: "", one: null, typed: null, response: null, forecasts: new Map() };

  /**
   * @param {import("./desk.js").PlaygroundState} desk
   * @param {DOMStringMap} service
   * @param {import("./forecast-tab.js").ForecastTab} tab
   */
  constructor(desk, service, tab) {
    this.desk = desk;
    this.tab = tab;
    this.verifyUrl = new URL(service.verifyUrl, location.href).href;
    this.url = new URL(service.tableUrl, location.href).href;
    this.choice = new SeriesChoice(MOST, () => this.refresh());
    element("forecast-all").addEventListener("click", () => desk.run({ task: this }));
    for (const [id, file] of Object.entries(FILES)) {
      const task = { refresh: () => {}, ask: (key) => this.#download(key, file) };
      element(id).addEventListener("click", () => desk.run({ task: { ...task, reading: this.reading } }));
    }
    element("key").addEventListener("change", () => this.#tellCost());
  }

  /** What hinders every series, unless one can be forecast. */
  get reading() {
    const readings = this.#readings;
    return readings.find((reading) => !this.#problemOf(reading)) ? NOTHING : readings[0] ?? this.desk.data.reading;
  }

  refresh() {
    const { names, name } = this.desk.data.reading;
    const isShown = names.length > 1;
    element("several").hidden = !isShown;
    this.choice.offer(names);
    element("several-title").textContent = `${names.length} series`;
    this.#lay(isShown ? this.choice.names : []);
    if (!isShown) return;
    for (const [each, card] of this.#cards) {
      const reading = this.desk.data.readingOf(each);
      this.#keep(reading);
      card.show(reading, { ...this.#stateOf(reading), key: `model-${this.#model.slot + 1}`, isChosen: each === name });
    }
    const canAsk = this.#readings.some((reading) => !this.#problemOf(reading));
    for (const id of Object.keys(FILES)) element(id).hidden = !canAsk;
    this.#tell();
    this.#tellCost();
  }

  /** Forecast all series. */
  async ask(key) {
    const { table } = this.desk.data;
    const [one, asked, typed] = [this.#model, this.tab.asked, settings()];
    const response = await this.#send(key, JSON_TYPE);
    if (response?.status === 200 && table === this.desk.data.table) {
      const forecasts = new Map(response.body.series.map((forecast) => [forecast.name, forecast]));
      this.#received = { table, asked, one, typed, response, forecasts };
      this.#keep(this.desk.data.reading);
      await this.tab.refresh();
      await this.desk.chart.showRecent();
    }
    this.refresh();
  }

  async #download(key, { type, end }) {
    const response = await this.#send(key, type, { history: "true" });
    if (response?.status === 200) saveFile(`${fileName(this.desk.data.tableTitle)}-forecasts.${end}`, response.body);
    this.refresh();
  }

  /** Send the table, as it is read, with the settings; null where these are wrong. */
  async #send(key, type, more = {}) {
    if (!this.tab.areControlsSound()) return null;
    const { horizon, confidence, holidays } = settings();
    const { content, parameters } = this.desk.data.asked;
    const query = { ...parameters, horizon, confidence, model: this.#model.model, ...(holidays ? { holidays } : {}), ...more };
    this.#isAsking = true;
    this.refresh();
    const request = { url: `${this.url}?${new URLSearchParams(query)}`, headers: { Accept: type }, content };
    const response = await this.desk.send(request, key);
    this.#isAsking = false;
    if (response.status !== 200) this.desk.showFailure(response);
    return response;
  }

  /** The series that are drawn. */
  get #readings() {
    return this.choice.names.map((name) => this.desk.data.readingOf(name));
  }

  /** Those of them that can be asked about and have no forecast by the model for the settings. */
  get #pending() {
    return this.#readings.filter((reading) => !this.#problemOf(reading) && !this.#forecastOf(reading) && !this.#failureOf(reading));
  }

  /** The first model that is chosen forecasts all. */
  get #model() {
    return this.tab.chosen[0] ?? this.tab.models[0];
  }

  #forecastOf(reading) {
    return this.tab.forecastOf(reading, this.#model.model);
  }

  /** What was received for the table, the model and the settings as they are now. */
  get #forecasts() {
    const { table, asked, one, forecasts } = this.#received;
    const isNow = table === this.desk.data.table && asked === this.tab.asked && one === this.#model;
    return isNow ? forecasts : new Map();
  }

  #failureOf(reading) {
    return this.#forecasts.get(reading.name)?.problem ?? "";
  }

  /** Give what was received of a series to the tab, which shows it. */
  #keep(reading) {
    const received = this.#forecasts.get(reading.name);
    if (!received || received.problem || this.#forecastOf(reading)) return;
    const { one, typed, response } = this.#received;
    const asked = { ...typed, frequency: reading.frequency ?? typed.frequency };
    this.tab.keep(reading, one, asked, { ...response, body: received, notice: received.notices.join("; ") || null });
  }

  /** Keep a card for each name, those that are there as they are: one may have the focus. */
  #lay(names) {
    if (names.length === this.#cards.size && names.every((name) => this.#cards.has(name))) return;
    const known = this.#cards;
    const made = (name) => new SeriesCard(name, () => this.#choose(name));
    this.#cards = new Map(names.map((name) => [name, known.get(name) ?? made(name)]));
    element("several-list").replaceChildren(...[...this.#cards.values()].map(({ item }) => item));
  }

  #choose(name) {
    this.desk.data.choose(name);
    bringIntoView("picture");
  }

  #stateOf(reading) {
    const forecast = this.#forecastOf(reading);
    const old = forecast ?? this.tab.anyForecastOf(reading, this.#model.model) ?? null;
    if (forecast) return { forecast, words: this.#wordsOf(reading, forecast), kind: "" };
    const problem = this.#problemOf(reading) || this.#failureOf(reading);
    if (problem) return { forecast: null, words: problem, kind: "failed" };
    if (this.#isAsking) return { forecast: old, words: "Asking …", kind: "stale" };
    return { forecast: old, words: old ? "The settings have changed since." : "", kind: old ? "stale" : "" };
  }

  /** Why a series cannot be asked about, "" where it can. */
  #problemOf(reading) {
    if (reading.asks === "fill") return "Entries are missing: choose a fill.";
    return reading.problem || this.tab.tooShort(reading);
  }

  #wordsOf(reading, forecast) {
    const { figures, namePeriod } = this.#aboutOf(reading);
    const last = forecast.median.length - 1;
    const [low, middle, high] = ["lower_bound", "median", "upper_bound"].map((name) => figures.write(forecast[name][last]));
    return `${namePeriod(forecast.forecast_timestamps[last])}: ${middle}, between ${low} and ${high}`;
  }

  #aboutOf(reading) {
    if (!this.#abouts.has(reading)) {
      const frequency = reading.frequency ?? element("frequency").value;
      const { noun } = [...element("frequency").options].find(({ value }) => value === frequency).dataset;
      this.#abouts.set(reading, describeSeries(reading, { frequency, noun }));
    }
    return this.#abouts.get(reading);
  }

  /** What is under way, or how it went. */
  #tell() {
    const all = this.desk.data.reading.names.length;
    const received = [...this.#forecasts.values()];
    const done = received.filter(({ problem }) => !problem).length;
    element("forecast-all").hidden = this.#isAsking || this.#pending.length === 0;
    element("forecast-all").textContent = `Forecast all ${all}`;
    const none = all - done;
    element("several-status").textContent = this.#isAsking
      ? `Forecasting ${all} series …`
      : received.length > 0
        ? `${done} of ${all} series forecast by ${this.#model.name}.${none > 0 ? ` ${none} ${none === 1 ? "has" : "have"} none.` : ""}`
        : "";
  }

  /** What a forecast or a file of all costs, before it is asked for. */
  async #tellCost() {
    const { names, points } = this.desk.data.reading;
    const count = names.length;
    const cost = Math.max(1, Math.ceil(count / FORECASTS_OF_REQUEST), Math.ceil((count * points.length) / POINTS_OF_REQUEST));
    const write = () => {
      const hasCost = !this.#isAsking && this.#pending.length > 0;
      element("several-cost").textContent = hasCost ? costOf(cost, this.#model.name, knownLimits()) : "";
    };
    write();
    if (element("several").hidden || this.#pending.length === 0) return;
    await learnLimits(this.verifyUrl);
    write();
  }
}

/** `3 requests for all, by General. 60 are left until 14:03:10.` */
function costOf(count, model, left) {
  const cost = `${countOf(count, "request")} for all, by ${model}.`;
  if (!left) return cost;
  const until = left.reset ? ` until ${clockTime(left.reset * 1000)}` : "";
  return `${cost} ${left.remaining < count ? "Only " : ""}${left.remaining} are left${until}.`;
}
