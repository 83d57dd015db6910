// The tab "Anomalies": one detection, redrawn immediately when the false alarm rate is moved.

import { anomalyLayers, eventLayer } from "../charts/anomaly-layers.js";
import { toMoment } from "../charts/traces.js";
import { element } from "../dom.js";
import { countOf, describeRate } from "../words.js";
import { fileOf, legendOf, tableOf } from "./anomaly-results.js";
import { listEvents } from "./event-list.js";
import { showError } from "./messages.js";
import { detectionAtRate, rateSteps } from "./rates.js";
import { problemElsewhere } from "./reading.js";
import { anomaliesBody } from "./request.js";
import { bringIntoView } from "./scroll.js";
import { frequencyDefect, lengthDefect } from "./settings.js";
import { PRINTING } from "./snippets.js";
import { csvFormOf } from "./table.js";

const NEAR_POINTS = 120;
/** The number of points that are shown on either side of an event. */
const AROUND_EVENT = 30;
/** Milliseconds without a key press after which a slider counts as released. */
const RELEASE_DEBOUNCE_MS = 600;

/**
 * @typedef {object} DetectionRequest
 * @property {import("./reading.js").Point[]} points of the series
 * @property {number} [requestedRate] the rate of the request
 * @property {string} [direction]
 * @property {string|null} [notice]
 *
 * @typedef {import("../charts/anomaly-layers.js").DrawnDetection & DetectionRequest} Detection as it is drawn
 */

/** What the tab "Anomalies" does. */
export class AnomaliesTab {
  /** Responses to the request of the controls, by rate; empty after another request. */
  #responses = new Map();
  #shownId = "";
  /** The newest response, from which other rates are drawn. */
  #newest = null;
  #isRequesting = false;
  #restTimer;
  #frame = 0;

  /**
   * @param {import("./state.js").PlaygroundState} playground
   * @param {DOMStringMap} service
   */
  constructor(playground, service) {
    this.playground = playground;
    this.url = new URL(service.anomaliesUrl, location.href).href;
    this.minPoints = Number(service.minPoints);
    const slider = element("rate");
    const { min, max, default: value } = slider.dataset;
    this.rates = rateSteps(Number(min), Number(max));
    slider.max = this.rates.length - 1;
    slider.value = this.rates.indexOf(Number(value));
    slider.addEventListener("input", () => this.#onMove());
    slider.addEventListener("change", () => this.#onRelease());
  }

  async refresh() {
    this.#showRate();
    const body = this.#body();
    const id = withoutRate(body);
    if (id !== this.#shownId) {
      this.#shownId = id;
      this.#responses = new Map();
      this.#newest = null;
    }
    this.#newest = this.#responses.get(this.#rate) ?? this.#newest;
    const newest = this.#newest;
    this.playground.results.show({
      legend: [], // comes with the chart, below
      table: newest && tableOf(newest, this.playground.format),
      form: csvFormOf(this.playground.data.reading),
      file: () => fileOf(newest, this.playground.format),
      problem: this.#problem,
      request: { url: this.url, headers: {}, body, printing: PRINTING.anomalies },
    });
    element("happened").hidden = !newest;
    if (newest) listEvents(newest.response, this.playground.format, (start, end) => this.#goTo(start, end));
    await this.#redraw();
  }

  /** Send the request, unless it has a response. */
  async request(key) {
    const defect = lengthDefect(this.playground.data.points, this.minPoints);
    if (defect) {
      showError("text", defect);
      return;
    }
    const body = this.#body();
    const [id, rate] = [withoutRate(body), body.false_alarm_rate];
    const isFirst = this.#responses.size === 0;
    if (!this.#responses.has(rate)) {
      const response = await this.#send(body, key);
      if (this.playground.current() !== this) return;
      if (withoutRate(this.#body()) !== id) {
        this.playground.showStatus("The request has changed meanwhile. Press Find anomalies again.");
        return;
      }
      if (response.status === 200) this.#keep(response, body);
      await this.refresh();
      if (response.status !== 200) {
        this.playground.showFailure(response);
        return;
      }
    }
    if (isFirst) bringIntoView("result");
    if (isFirst && body.detect === "last") await this.playground.chart.showRecent();
  }

  async #send(body, key) {
    this.#isRequesting = true;
    this.playground.showStatus("Looking for anomalies …");
    const response = await this.playground.send({ url: this.url, headers: {}, body }, key);
    this.#isRequesting = false;
    return response;
  }

  /** @param {import("./request.js").Received} received */
  #keep({ body: response, notice, milliseconds }, { false_alarm_rate: requestedRate, direction }) {
    const { points } = this.playground.data;
    const values = points.slice(-response.timestamps.length).map(({ value }) => value);
    this.#newest = { response, notice, milliseconds, requestedRate, direction, points, values };
    this.#responses.set(requestedRate, this.#newest);
  }

  /** Why the request would be rejected, "" if it is valid. */
  get #problem() {
    const { reading, points } = this.playground.data;
    return problemElsewhere(reading) || lengthDefect(points, this.minPoints) || frequencyDefect(reading);
  }

  get #rate() {
    return this.rates[element("rate").value];
  }

  #body() {
    return anomaliesBody(this.playground.data.points, {
      frequency: element("frequency").value,
      detect: element("detect").value,
      rate: this.#rate,
      direction: element("direction").value,
    });
  }

  /** While the slider moves: redraw before the next frame, from the newest response. */
  #onMove() {
    clearTimeout(this.#restTimer);
    this.#showRate();
    cancelAnimationFrame(this.#frame);
    this.#frame = requestAnimationFrame(() => this.#redraw());
  }

  /** When the slider is released: request exact numbers, which counts as one request. */
  async #onRelease() {
    clearTimeout(this.#restTimer);
    await this.refresh();
    if (!this.#newest || this.#responses.has(this.#rate)) return;
    this.#restTimer = setTimeout(async () => {
      // Meanwhile there may be other data, without a request.
      if (this.playground.current() !== this || !this.#newest) return;
      if (this.#isRequesting) this.#onRelease();
      else await this.playground.run({ focuses: false });
    }, RELEASE_DEBOUNCE_MS);
  }

  #showRate() {
    const { figures } = this.playground.format;
    const text = `${figures.localize(describeRate(this.#rate))}, ${figures.percent(this.#rate)}`;
    element("rate-text").textContent = text;
    element("rate").setAttribute("aria-valuetext", text);
  }

  /** Draw the newest detection at the rate of the slider. */
  async #redraw() {
    const newest = this.#newest;
    const judged = newest && { ...newest, ...detectionAtRate(newest, this.#rate) };
    element("legend").replaceChildren(...legendOf(judged, this.#rate, this.playground.format.figures));
    this.playground.showStatus(this.#status());
    const layers = judged ? [eventLayer(judged.response.events, judged.points), ...anomalyLayers(judged)] : [];
    await this.playground.draw({ layers, recent: NEAR_POINTS, pivot: 0.5 });
  }

  #status() {
    if (this.#isRequesting) return "Looking for anomalies …";
    if (!this.#newest) return "";
    const { response, requestedRate, milliseconds } = this.#newest;
    const { localize } = this.playground.format.figures;
    if (requestedRate !== this.#rate) {
      return `Events and numbers are still those at ${localize(describeRate(requestedRate))}.`;
    }
    const flagged = localize(countOf(response.is_anomaly.filter(Boolean).length, "point"));
    return `${flagged} flagged, ${countOf(response.events.length, "event")}, ` +
      `${countOf(response.change_points.length, "change point")}, in ${milliseconds} ms.`;
  }

  #goTo(start, end) {
    const { points } = this.playground.data;
    const span = points.at(-1).seconds - points[0].seconds;
    const margin = ((span * 1000) / points.length) * AROUND_EVENT;
    this.playground.chart.showBetween(toMoment(start) - margin, toMoment(end) + margin);
    bringIntoView("result");
  }
}

/** A text that is equal for requests that differ only in the rate. */
function withoutRate(body) {
  return JSON.stringify({ ...body, false_alarm_rate: null });
}
