// The tab "Forecast": one request a chosen model, their responses side by side, and a backtest.

import { forecastLayer, startLayer } from "../charts/forecast-layer.js";
import { legendEntry } from "../charts/legend.js";
import { element, findAll } from "../dom.js";
import { countOf } from "../words.js";
import { Backtest } from "./backtest.js";
import { ExplanationPanel } from "./explanation-panel.js";
import { fileOf, legendOf, tableOf } from "./forecast-results.js";
import { ForecastRequests } from "./forecast-requests.js";
import { ForecastStore } from "./forecast-store.js";
import { hasKey } from "./key.js";
import { showError } from "./messages.js";
import { bringIntoView } from "./scroll.js";
import { forecastSentence } from "./sentence.js";
import { SeriesGrid } from "./series-grid.js";
import { SETTINGS_CHANGED, checkSettings, readSettings } from "./settings.js";
import { PRINTING } from "./snippets.js";
import { csvFormOf } from "./table.js";

/** "Recent" shows the forecast and this many times its length before it, or `NEAR_POINTS`. */
const NEAR_HORIZONS = 5;
const NEAR_POINTS = 60;

/**
 * @typedef {object} ForecastState
 * @property {string|null} notice
 * @property {boolean} isHidden
 *
 * @typedef {import("../charts/forecast-layer.js").DrawnForecast & ForecastState} ShownForecast a forecast on the page;
 *     the sentence describes the one that is focused
 */

/** What the tab "Forecast" does. */
export class ForecastTab {
  #store = new ForecastStore();
  /** The model that is being asked. */
  #requested = null;
  /** The models that are focused and hidden by the legend. */
  #focusedModel = "";
  #hiddenModels = new Set();

  /**
   * @param {import("./state.js").PlaygroundState} playground
   * @param {DOMStringMap} service
   */
  constructor(playground, service) {
    this.playground = playground;
    this.requests = new ForecastRequests(playground, service);
    this.models = findAll("#models input").map((input, slot) => (
      { input, slot, model: input.value, name: input.dataset.name }
    ));
    const onUse = (model) => this.#forecastBy(model);
    this.backtest = new Backtest(playground, service, { tab: this, models: this.models, onUse });
    this.explanationPanel = new ExplanationPanel(playground, service, this);
    this.seriesGrid = new SeriesGrid(playground, service, this);
    element("key").addEventListener("change", () => {
      if (playground.current() === this && this.#forecastSet?.isRecorded) this.#showStatus(this.#shownForecasts());
    });
  }

  /** The models that are chosen. */
  get chosen() {
    return this.models.filter(({ input }) => input.checked);
  }

  async refresh() {
    const body = this.requests.body();
    const forecasts = this.#shownForecasts();
    const visible = forecasts.filter(({ isHidden }) => !isHidden);
    const drawn = [...visible].sort((a, b) => Number(a.isFocused) - Number(b.isFocused)); // in front comes last
    const { format } = this.playground;
    this.backtest.refresh();
    this.seriesGrid.refresh();
    this.playground.results.show({
      legend: [
        legendEntry("history", "History", ""),
        ...legendOf(forecasts, { format, confidence: this.#forecastSet?.body.confidence }, {
          onFocus: (model) => this.#focusOn(model),
          onToggle: (model) => this.#toggle(model),
        }),
        ...this.backtest.legend(),
      ],
      table: forecasts.length > 0 ? tableOf(forecasts, format, this.#forecastSet.body.confidence) : null,
      form: csvFormOf(this.playground.data.reading),
      file: () => fileOf(forecasts, this.playground.data.reading, format),
      problem: this.requests.problem,
      request: {
        ...this.requests.request(this.chosen[0] ?? this.models[0], body),
        printing: PRINTING.forecast,
      },
    });
    this.#showSentence(forecasts);
    const starts = this.playground.data.points.slice(-1).map(({ seconds }) => seconds * 1000);
    await this.playground.draw({
      layers: [
        ...(visible.length > 0 ? [startLayer(starts)] : []),
        ...this.backtest.layers(),
        ...drawn.map(forecastLayer),
      ],
      describedBy: "sentence",
      recent: Math.max(NEAR_POINTS, NEAR_HORIZONS * body.forecast_horizon),
      pivot: 1,
    });
  }

  /** Show the recorded forecast of an example, on a page without a key. */
  async showRecorded({ points, forecastUrl }) {
    // Nothing is shown without a connection, or if the user has left the page.
    const recorded = await fetch(forecastUrl).then((response) => response.json()).catch(() => null);
    const isShown = points.length > 0 && this.playground.data.points === points; // series without points share them
    if (!recorded || !isShown || this.#forecastSet) return;
    this.#store.addRecorded(points, readSettings(), recorded);
    await this.refresh();
    await this.playground.chart.showRecent();
  }

  /** The forecasts of the series that is shown, to be kept; null for none. */
  get snapshot() {
    return this.#store.snapshotOf(this.playground.data.points);
  }

  /** Show the forecasts of a snapshot, if any. */
  restore(snapshot) {
    if (snapshot) this.#store.restore(this.playground.data.points, snapshot);
  }

  /** Return whether the controls can be sent; show what has to change. */
  checkControls() {
    if (this.chosen.length === 0) showError("models", "Choose a model.");
    return this.chosen.length > 0 && checkSettings();
  }

  /** Send a request for each chosen model without a response; stop at the first error. */
  async request(key) {
    if (!this.checkControls()) return;
    const { reading } = this.playground.data;
    const defect = this.requests.lengthDefect(reading);
    if (defect) {
      showError("text", defect);
      return;
    }
    const { settings: sentSettings } = this.requests;
    for (const model of this.chosen.filter(({ model: id }) => !this.forecastOf(reading, id))) {
      this.#requested = model;
      this.#showStatus([]);
      const response = await this.#requestForecast(reading, model, key);
      this.#requested = null;
      if (!this.playground.isCurrent(this, reading.points, "Forecast")) return;
      await this.refresh();
      if (response.status !== 200) {
        this.playground.showFailure(response);
        return;
      }
      if (this.requests.settings !== sentSettings) return;
      if (this.#forecastSet.responses.size === 1) await this.playground.chart.showRecent();
    }
    bringIntoView("picture");
  }

  /**
   * Request a model's forecast of a series, and add it to the page.
   *
   * @param {import("./reading.js").Reading} reading
   * @param {{model: string}} model
   * @param {string} key
   */
  async #requestForecast(reading, model, key) {
    const sentSettings = this.requests.settingsFor(reading);
    const response = await this.requests.send(reading, model, key);
    if (response.status === 200) this.addResponse(reading, model, sentSettings, response);
    return response;
  }

  /**
   * Add a model's response about a series to those for the same settings.
   *
   * @param {import("./reading.js").Reading} reading
   * @param {{model: string}} model
   * @param {object} sentSettings
   * @param {import("./request.js").Received} received
   */
  addResponse(reading, { model }, sentSettings, received) {
    this.#store.add(reading.points, model, sentSettings, received);
    this.#hiddenModels.delete(model);
  }

  /** The response of a model about a series for the current settings, if any. */
  forecastOf(reading, model) {
    return this.#store.find(reading.points, model, this.requests.settingsFor(reading));
  }

  /** The response of a model about a series for any settings. */
  anyForecastOf(reading, model) {
    return this.#store.get(reading.points)?.responses.get(model)?.response;
  }

  /** The forecasts of the series that is shown; null before there are any. */
  get #forecastSet() {
    return this.#store.get(this.playground.data.points);
  }

  #isStale() {
    return this.#forecastSet !== null && this.#forecastSet.settings !== this.requests.settings;
  }

  /** @returns {ShownForecast[]} of the models that are chosen */
  #shownForecasts() {
    const received = this.chosen.filter(({ model }) => this.#forecastSet?.responses.has(model));
    const visible = received.filter(({ model }) => !this.#hiddenModels.has(model));
    const focused = visible.find(({ model }) => model === this.#focusedModel) ?? visible[0];
    return received.map((model) => ({
      ...model,
      ...this.#forecastSet.responses.get(model.model),
      isHidden: this.#hiddenModels.has(model.model),
      isFocused: model === focused,
    }));
  }

  #focusOn(model) {
    this.#focusedModel = model;
    this.refresh();
  }

  #toggle(model) {
    if (!this.#hiddenModels.delete(model)) this.#hiddenModels.add(model);
    this.refresh();
  }

  /** Forecast only by this model: all series of the table where all were forecast before. */
  async #forecastBy(model) {
    for (const { input } of this.models) input.checked = input.value === model;
    await this.refresh();
    await this.playground.run(this.seriesGrid.hasForecasts ? { task: this.seriesGrid } : {});
  }

  /** Show the sentence above the chart, and whether it is stale. */
  #showSentence(forecasts) {
    const focused = forecasts.find(({ isFocused }) => isFocused);
    const isStale = forecasts.length > 0 && this.#isStale();
    const { format } = this.playground;
    const body = this.#forecastSet?.body;
    const described = forecasts.length > 1 ? focused : { response: focused?.response };
    element("sentence").textContent = focused ? forecastSentence(described, format, body.confidence) : "";
    const explained = focused && !isStale
      ? { forecast: focused, request: this.requests.request(focused, this.requests.withinMaxHorizon(body)) }
      : null;
    this.explanationPanel.show(explained);
    element("stale").hidden = !isStale;
    for (const id of ["picture", "numbers"]) element(id).classList.toggle("stale", isStale);
    element("go-forecast").textContent = isStale ? "Forecast again" : "Forecast";
    this.#showStatus(forecasts);
  }

  /** Show the status: a running request, or the forecasts that are shown. */
  #showStatus(forecasts) {
    this.playground.showStatus(this.#statusText(forecasts));
  }

  #statusText(forecasts) {
    if (this.#requested) return `Asking ${this.#requested.name} …`;
    if (forecasts.length === 0) return "";
    if (this.#isStale()) return SETTINGS_CHANGED;
    if (this.#forecastSet.isRecorded) {
      return `A recorded example. Paste ${hasKey() ? "your own data" : "a key for your data"}.`;
    }
    const names = forecasts.map(({ name }) => name).join(", ");
    return `${countOf(this.#forecastSet.body.forecast_horizon, "period")} forecast by ${names}.`;
  }
}
