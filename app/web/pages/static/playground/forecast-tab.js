// The tab "Forecast": one request a chosen model, their responses side by side, and a backtest.

import { element } from "../dom.js";
import { tellForecast } from "./sentence.js";
import { Backtest } from "./backtest.js";
import { forecastLayer, startLayer } from "./forecast-layer.js";
import { fileOf, legendOf, tableOf } from "./forecast-results.js";
import { showError } from "./messages.js";
import { forecastBody, holidaysHeader } from "./request.js";
import { legendEntry } from "./results.js";
import { bringIntoView } from "./scroll.js";
import { areSettingsSound, defectOfFrequency, defectOfLength, defectsOfSettings, settings } from "./settings.js";
import { SeriesGrid } from "./several.js";
import { PRINTING } from "./snippets.js";
import { csvFormOf } from "./table.js";
import { ExplanationPanel } from "./why.js";
import { countOf } from "./words.js";

/** "Recent" shows the forecast and this many times its length before it, or `NEAR_POINTS`. */
const NEAR_HORIZONS = 5;
const NEAR_POINTS = 60;
const RECORDED = "A recorded example. Paste a key for your data.";
const STALE = "The settings have changed since.";

/**
 * @typedef {object} Shown a forecast on the page
 * @property {string} model
 * @property {string} name of the model
 * @property {number} slot picks its colour
 * @property {object} response of POST /forecast
 * @property {string|null} notice
 * @property {boolean} isHidden
 * @property {boolean} isFocused whether it is what the sentence tells and whose band is filled
 */
export class ForecastTab {
  /** Responses by model, and the request that they are of, by the points of a series. */
  #rounds = new WeakMap();
  /** The model whose response is on its way. */
  #asking = null;
  /** What the legend was told. */
  #focus = "";
  #hidden = new Set();

  /**
   * @param {import("./desk.js").PlaygroundState} desk
   * @param {DOMStringMap} service
   */
  constructor(desk, service) {
    this.desk = desk;
    this.url = new URL(service.forecastUrl, location.href).href;
    this.leastHistory = Number(service.leastHistory);
    const inputs = [...element("models").querySelectorAll("input")];
    this.models = inputs.map((input, slot) => {
      return { input, slot, model: input.value, name: input.dataset.name };
    });
    const onUse = (model) => this.#use(model);
    this.backtest = new Backtest(desk, service, { tab: this, models: this.models, onUse });
    this.why = new ExplanationPanel(desk, service, this);
    this.several = new SeriesGrid(desk, service, this);
  }

  /** The models that are chosen. */
  get chosen() {
    return this.models.filter(({ input }) => input.checked);
  }

  async refresh() {
    const body = this.body();
    const round = this.#round;
    const forecasts = this.#shown();
    const visible = forecasts.filter(({ isHidden }) => !isHidden);
    const drawn = [...visible].sort((a, b) => Number(a.isFocused) - Number(b.isFocused)); // in front comes last
    const { about } = this.desk;
    this.backtest.refresh();
    this.several.refresh();
    this.desk.results.show({
      legend: [
        legendEntry("history", "History", ""),
        ...legendOf(forecasts, about, {
          onFocus: (model) => this.#focusOn(model),
          onToggle: (model) => this.#toggle(model),
        }),
        ...this.backtest.legend(),
      ],
      table: forecasts.length > 0 ? tableOf(forecasts, about, round.body.confidence) : null,
      form: csvFormOf(this.desk.data.reading),
      file: () => fileOf(forecasts, this.desk.data.points, about),
      problem: this.#problem,
      request: {
        ...this.#request(this.chosen[0] ?? this.models[0], body),
        printing: PRINTING.forecast,
      },
    });
    this.#tell(forecasts);
    const starts = this.desk.data.points.slice(-1).map(({ seconds }) => seconds * 1000);
    await this.desk.draw({
      layers: [
        ...(visible.length > 0 ? [startLayer(starts)] : []),
        ...this.backtest.layers(),
        ...drawn.map(forecastLayer),
      ],
      told: "sentence",
      recent: Math.max(NEAR_POINTS, NEAR_HORIZONS * body.forecast_horizon),
      pivot: 1,
    });
  }

  /** Show a forecast that was made with this version, so that a page without a key shows one. */
  async showRecorded(url) {
    const { points } = this.desk.data;
    // Who leaves the page meanwhile, or has no connection, sees none.
    const recorded = await fetch(url).then((response) => response.json()).catch(() => null);
    if (!recorded || this.desk.data.points !== points || this.#round) return;
    const { model, forecast } = recorded;
    const responses = new Map([[model, { response: forecast, notice: null }]]);
    this.#rounds.set(points, { settings: this.settings, body: this.body(), responses, isRecorded: true });
    await this.refresh();
    await this.desk.chart.showRecent();
  }

  /** What was forecast of the series that is shown, to be kept; null for nothing. */
  get kept() {
    const round = this.#round;
    return round && !round.isRecorded ? { ...round, responses: [...round.responses] } : null;
  }

  /** Show again what was kept of the series that is shown. */
  restore(kept) {
    if (kept) this.#rounds.set(this.desk.data.points, { ...kept, responses: new Map(kept.responses) });
  }

  /** Whether the controls can be sent; says what has to change. */
  areControlsSound() {
    if (this.chosen.length === 0) showError("models", "Choose a model.");
    return this.chosen.length > 0 && areSettingsSound();
  }

  /** Ask each chosen model that has no response to this request yet; stop at the first error. */
  async ask(key) {
    if (!this.areControlsSound()) return;
    const { reading } = this.desk.data;
    const tooShort = this.tooShort(reading);
    if (tooShort) {
      showError("text", tooShort);
      return;
    }
    const { settings: asked } = this;
    for (const one of this.chosen.filter(({ model }) => !this.forecastOf(reading, model))) {
      this.#asking = one;
      this.#sayStatus([]);
      const response = await this.#askAbout(reading, one, key);
      this.#asking = null;
      if (this.desk.current() !== this) return;
      if (this.desk.data.points !== reading.points) {
        this.desk.say("The data have changed meanwhile. Press Forecast again.");
        return;
      }
      await this.refresh();
      if (response.status !== 200) {
        this.desk.showFailure(response);
        return;
      }
      if (this.settings !== asked) return;
      if (this.#round.responses.size === 1) await this.desk.chart.showRecent();
    }
    bringIntoView("picture");
  }

  /**
   * Ask a model about a series, and keep what it responds.
   *
   * @param {import("./reading.js").Reading} reading
   * @param {{model: string}} one
   * @param {string} key
   */
  async #askAbout(reading, one, key) {
    const asked = this.#settingsFor(reading);
    const response = await this.desk.send(this.#request(one, forecastBody(reading.points, asked)), key);
    if (response.status === 200) this.keep(reading, one, asked, response);
    return response;
  }

  /**
   * Keep what a model responded about a series.
   *
   * @param {import("./reading.js").Reading} reading
   * @param {{model: string}} one
   * @param {object} asked the settings
   * @param {import("./request.js").Received} received
   */
  keep(reading, one, asked, received) {
    const name = JSON.stringify(asked);
    const known = this.#rounds.get(reading.points);
    const isSame = known?.settings === name && !known.isRecorded;
    const round = isSame ? known : { settings: name, body: forecastBody(reading.points, asked), responses: new Map() };
    round.responses.set(one.model, { ...received, response: received.body });
    this.#rounds.set(reading.points, round);
    this.#hidden.delete(one.model);
  }

  /** What a model responded about a series to the settings as they are now, if anything. */
  forecastOf(reading, model) {
    const round = this.#rounds.get(reading.points);
    const isNow = round && !round.isRecorded && round.settings === JSON.stringify(this.#settingsFor(reading));
    return isNow ? round.responses.get(model)?.response : undefined;
  }

  /** What it responded to other settings, too. */
  anyForecastOf(reading, model) {
    return this.#rounds.get(reading.points)?.responses.get(model)?.response;
  }

  /** The request that the controls describe. */
  body() {
    return forecastBody(this.desk.data.points, settings());
  }

  /** What all series of a table are asked alike. */
  get asked() {
    return JSON.stringify({ ...settings(), frequency: null });
  }

  /** What tells two requests about the same points apart: cheaper to compare than their bodies. */
  get settings() {
    return JSON.stringify(settings());
  }

  /** Why the request would be refused, "" where it would not. */
  get #problem() {
    const { reading } = this.desk.data;
    return reading.problem || this.tooShort(reading) || defectOfFrequency(reading) || (defectsOfSettings()[0]?.[1] ?? "");
  }

  /** What is wrong with the length of a series, "" for nothing; entries that were filled do not count. */
  tooShort({ points, missing, isFilled }) {
    const length = points.length - (isFilled ? missing.length : 0);
    return defectOfLength({ length }, this.leastHistory);
  }

  /** The responses about the series that is shown; null before there are any. */
  get #round() {
    return this.#rounds.get(this.desk.data.points) ?? null;
  }

  /** What is typed, for a series: another than the one that is shown has a frequency of its own. */
  #settingsFor(reading) {
    const typed = settings();
    return reading === this.desk.data.reading ? typed : { ...typed, frequency: reading.frequency ?? typed.frequency };
  }

  #request({ model }, body) {
    const headers = { "X-Model-Id": model, ...holidaysHeader(settings()) };
    return { url: this.url, headers, body };
  }

  #isStale() {
    return this.#round !== null && this.#round.settings !== this.settings;
  }

  /** @returns {Shown[]} of the models that are chosen */
  #shown() {
    const received = this.chosen.filter(({ model }) => this.#round?.responses.has(model));
    const visible = received.filter(({ model }) => !this.#hidden.has(model));
    const focused = visible.find(({ model }) => model === this.#focus) ?? visible[0];
    return received.map((one) => ({
      ...one,
      ...this.#round.responses.get(one.model),
      isHidden: this.#hidden.has(one.model),
      isFocused: one === focused,
    }));
  }

  #focusOn(model) {
    this.#focus = model;
    this.refresh();
  }

  #toggle(model) {
    if (!this.#hidden.delete(model)) this.#hidden.add(model);
    this.refresh();
  }

  /** Forecast by this model alone. */
  async #use(model) {
    for (const { input } of this.models) input.checked = input.value === model;
    await this.refresh();
    await this.desk.run();
  }

  /** The sentence above the chart, and whether it is still what the settings ask for. */
  #tell(forecasts) {
    const told = forecasts.find(({ isFocused }) => isFocused);
    const isStale = forecasts.length > 0 && this.#isStale();
    element("sentence").textContent = told
      ? tellForecast(told, this.desk.about, this.#round.body.confidence)
      : "";
    this.why.show(told && !isStale ? { forecast: told, request: this.#request(told, this.#round.body) } : null);
    element("stale").hidden = !isStale;
    for (const id of ["picture", "numbers"]) element(id).classList.toggle("stale", isStale);
    element("go-forecast").textContent = isStale ? "Forecast again" : "Forecast";
    this.#sayStatus(forecasts);
  }

  /** What is under way, or else what is shown. */
  #sayStatus(forecasts) {
    const { about } = this.desk;
    if (this.#asking) this.desk.say(`Asking ${this.#asking.name} …`);
    else if (forecasts.length === 0) this.desk.say("");
    else if (this.#isStale()) this.desk.say(STALE);
    else {
      const { forecast_horizon: horizon } = this.#round.body;
      const names = forecasts.map(({ name }) => name).join(", ");
      if (this.#round.isRecorded) this.desk.say(RECORDED);
      else this.desk.say(`${countOf(horizon, "period")} forecast by ${names}.`);
    }
  }
}
