// The requests for forecasts of a series: their settings, their bodies, and why they would be rejected.

import { problemElsewhere } from "./reading.js";
import { forecastBody, holidaysHeader } from "./request.js";
import { frequencyDefect, lengthDefect, readSettings, settingsDefects } from "./settings.js";
import { forecastOfSeries, tableRequest } from "./table-request.js";

/** The requests that the controls of the tab "Forecast" describe. */
export class ForecastRequests {
  /**
   * @param {import("./state.js").PlaygroundState} playground
   * @param {DOMStringMap} service
   */
  constructor(playground, service) {
    this.playground = playground;
    this.url = new URL(service.forecastUrl, location.href).href;
    this.tableUrl = new URL(service.tableUrl, location.href).href;
    this.minHistory = Number(service.minHistory);
    this.maxHorizon = Number(service.maxHorizon);
  }

  /** The request that the controls describe. */
  body() {
    return forecastBody(this.playground.data.points, readSettings());
  }

  /** The same request with no more periods than endpoints for one series allow. */
  withinMaxHorizon(body) {
    return { ...body, forecast_horizon: Math.min(body.forecast_horizon, this.maxHorizon) };
  }

  /** The settings that all series of a table share. */
  get tableSettings() {
    return JSON.stringify({ ...readSettings(), frequency: null });
  }

  /** The settings as a text, to compare requests about the same points. */
  get settings() {
    return JSON.stringify(readSettings());
  }

  /** Why the request would be rejected, "" if it is valid. */
  get problem() {
    const { reading } = this.playground.data;
    const [settingsDefect] = settingsDefects().map(([, text]) => text);
    return problemElsewhere(reading) || this.lengthDefect(reading) || frequencyDefect(reading) ||
      (settingsDefect ?? this.#horizonDefect);
  }

  /** Why there is no code for a long horizon, "" where there is. */
  get #horizonDefect() {
    const isLong = readSettings().horizon > this.maxHorizon;
    return isLong ? `Above ${this.maxHorizon} periods, send the table to POST /tables/forecast.` : "";
  }

  /** The problem of the length of a series without filled entries, "" for none. */
  lengthDefect({ points, missing, isFilled }) {
    const length = points.length - (isFilled ? missing.length : 0);
    return lengthDefect({ length }, this.minHistory);
  }

  /** The settings for a series; one that is not shown has its own frequency. */
  settingsFor(reading) {
    const typed = readSettings();
    if (reading === this.playground.data.reading) return typed;
    return { ...typed, frequency: reading.frequency ?? typed.frequency };
  }

  /** The request to POST /forecast by a model. */
  request({ model }, body) {
    const headers = { "X-Model-Id": model, ...holidaysHeader(readSettings()) };
    return { url: this.url, headers, body };
  }

  /**
   * Request a model's forecast of a series: by POST /forecast, or beyond its horizon by one of the table.
   *
   * @param {import("./reading.js").Reading} reading
   * @param {{model: string}} model
   * @param {string} key
   * @returns {Promise<import("./request.js").Received>}
   */
  async send(reading, model, key) {
    const sentSettings = this.settingsFor(reading);
    if (sentSettings.horizon > this.maxHorizon) return this.#sendTable(reading, model, key);
    return this.playground.send(this.request(model, forecastBody(reading.points, sentSettings)), key);
  }

  /** Request more periods than POST /forecast allows, by a forecast of the whole table. */
  async #sendTable(reading, { model }, key) {
    const wanted = { model, type: "application/json" };
    const request = tableRequest(this.tableUrl, this.playground.data.source, readSettings(), wanted);
    return forecastOfSeries(await this.playground.send(request, key), reading);
  }
}
