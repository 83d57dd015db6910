// The forecasts that were received for each series, with the settings of their requests.

import { forecastBody } from "./request.js";

/**
 * @typedef {object} ForecastSet the forecasts of a series for the same settings
 * @property {string} settings as JSON
 * @property {object} body of their request
 * @property {Map<string, object>} responses by model
 * @property {boolean} [isRecorded] whether it came with an example
 */

/** Forecasts by the points of their series. A request with other settings replaces them. */
export class ForecastStore {
  /** @type {WeakMap<object, ForecastSet>} */
  #sets = new WeakMap();

  /** The forecasts of a series; null before there are any. */
  get(points) {
    return this.#sets.get(points) ?? null;
  }

  /** The response of a model for these settings, if it was received. */
  find(points, model, settings) {
    const set = this.get(points);
    const isCurrent = set && !set.isRecorded && set.settings === JSON.stringify(settings);
    return isCurrent ? set.responses.get(model)?.response : undefined;
  }

  /**
   * Add a model's response to those for the same settings.
   *
   * @param {import("./reading.js").Point[]} points
   * @param {string} model
   * @param {object} settings
   * @param {import("./request.js").Received} received
   */
  add(points, model, settings, received) {
    const known = this.get(points);
    const isSame = known?.settings === JSON.stringify(settings) && !known.isRecorded;
    const set = isSame ? known : newSet(points, settings);
    set.responses.set(model, { ...received, response: received.body });
    this.#sets.set(points, set);
  }

  /** Add the forecast that was recorded for an example. */
  addRecorded(points, settings, { model, forecast }) {
    const set = { ...newSet(points, settings), isRecorded: true };
    set.responses.set(model, { response: forecast, notice: null });
    this.#sets.set(points, set);
  }

  /** The forecasts of a series, to be kept; null for none. */
  snapshotOf(points) {
    const set = this.get(points);
    return set && !set.isRecorded ? { ...set, responses: [...set.responses] } : null;
  }

  restore(points, snapshot) {
    this.#sets.set(points, { ...snapshot, responses: new Map(snapshot.responses) });
  }
}

/** @returns {ForecastSet} without responses */
function newSet(points, settings) {
  return { settings: JSON.stringify(settings), body: forecastBody(points, settings), responses: new Map() };
}
