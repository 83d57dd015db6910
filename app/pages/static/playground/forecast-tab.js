// The tab "Forecast": one request a chosen model, their answers side by side.

import { forecastLayer } from "./forecast-layer.js";
import { showError } from "./messages.js";
import { forecastBody } from "./request.js";
import { legendEntry } from "./results.js";
import { bringIntoView } from "./scroll.js";
import { PRINTING } from "./snippets.js";
import { formatNumber, shortenTimestamp } from "./table.js";

/** "Recent" shows the forecast and this many times its length before it, or so many points. */
const NEAR_HORIZONS = 5;
const NEAR_POINTS = 60;

const element = (id) => document.getElementById(id);

export class ForecastTab {
  /** Answers to the request that the controls describe, by model; another request has none yet. */
  #answers = new Map();
  #answered = "";
  /** The model whose answer is on its way. */
  #asking = "";

  /**
   * @param {import("./desk.js").Desk} desk
   * @param {DOMStringMap} service
   */
  constructor(desk, service) {
    this.desk = desk;
    this.url = new URL(service.forecastUrl, location.href).href;
    this.defaultModel = service.defaultModel;
    this.models = [...element("models").querySelectorAll("input")];
  }

  async refresh() {
    const body = this.#body();
    const id = JSON.stringify(body);
    if (id !== this.#answered) {
      this.#answered = id;
      this.#answers = new Map();
    }
    const forecasts = this.models
      .map((model, slot) => ({ model: model.value, slot, ...this.#answers.get(model.value) }))
      .filter(({ model, answer }) => answer && this.#chosen().includes(model));
    const request = this.#request(this.#chosen()[0] ?? this.defaultModel, body);
    this.desk.results.show({
      legend: [
        legendEntry("history", "History", ""),
        ...forecasts.map((forecast) => describe(forecast, body.confidence)),
      ],
      table: forecasts.length > 0 ? tableOf(forecasts, body.confidence) : null,
      file: () => fileOf(forecasts),
      request: { ...request, printing: PRINTING.forecast },
    });
    this.desk.say(this.#status(forecasts, body));
    await this.desk.draw({
      layers: forecasts.map((forecast) => forecastLayer(forecast)),
      recent: Math.max(NEAR_POINTS, NEAR_HORIZONS * body.forecast_horizon),
      pivot: 1,
    });
  }

  /** Ask each chosen model that has not answered this request yet; stop at the first error. */
  async ask(key) {
    if (this.#chosen().length === 0) {
      showError("models", "Choose a model.");
      return;
    }
    const body = this.#body();
    for (const model of this.#chosen().filter((name) => !this.#answers.has(name))) {
      const answer = await this.#askOne(model, body, key);
      if (this.desk.current() !== this) return;
      if (JSON.stringify(this.#body()) !== JSON.stringify(body)) {
        this.desk.say("The request has changed meanwhile. Press Forecast again.");
        return;
      }
      if (answer.status === 200) this.#answers.set(model, { ...answer, answer: answer.body });
      await this.refresh();
      if (answer.status !== 200) {
        this.desk.showFailure(answer);
        return;
      }
      if (this.#answers.size === 1) await this.desk.chart.showRecent();
    }
    bringIntoView("result");
  }

  async #askOne(model, body, key) {
    this.#asking = model;
    this.desk.say(this.#status([], body));
    const answer = await this.desk.send(this.#request(model, body), key);
    this.#asking = "";
    return answer;
  }

  #request(model, body) {
    return { url: this.url, headers: { "X-Model-Id": model }, body };
  }

  #body() {
    return forecastBody(this.desk.data.points, {
      horizon: numberIn("horizon"),
      frequency: element("frequency").value,
      confidence: numberIn("confidence"),
    });
  }

  #chosen() {
    return this.models.filter((model) => model.checked).map((model) => model.value);
  }

  /** What is under way, or else what is shown. */
  #status(forecasts, { forecast_horizon: horizon }) {
    if (this.#asking) return `Asking ${this.#asking} …`;
    if (forecasts.length === 0) return "";
    const names = forecasts.map(({ model }) => model).join(", ");
    return `${horizon} ${horizon === 1 ? "period" : "periods"} forecast by ${names}.`;
  }
}

/** What is typed, as JSON has it: the service says what is wrong with anything but a number. */
function numberIn(id) {
  const { valueAsNumber, value } = element(id);
  return Number.isFinite(valueAsNumber) ? valueAsNumber : value || null;
}

function describe({ model, slot, answer, notice, milliseconds }, confidence) {
  const last = answer.median.length - 1;
  const [low, middle, high] = [answer.lower_bound, answer.median, answer.upper_bound].map(
    (column) => formatNumber(column[last]),
  );
  const text =
    `${shortenTimestamp(answer.forecast_timestamps[last])}: ${middle}, ` +
    `${Math.round(confidence * 100)} % between ${low} and ${high} · ${milliseconds} ms`;
  return legendEntry(`model-${slot + 1}`, model, text, notice);
}

function columnsOf(answer) {
  return [answer.lower_bound, answer.median, answer.upper_bound];
}

function tableOf(forecasts, confidence) {
  return {
    caption: `Forecast with ${Math.round(confidence * 100)} % intervals`,
    first: "Period",
    groups: forecasts.map(({ model }) => ({ name: model, columns: ["Lower", "Median", "Upper"] })),
    rows: forecasts[0].answer.forecast_timestamps.map((timestamp, i) => [
      shortenTimestamp(timestamp),
      ...forecasts.flatMap(({ answer }) => columnsOf(answer).map((each) => formatNumber(each[i]))),
    ]),
  };
}

function fileOf(forecasts) {
  return {
    name: "forecast.csv",
    columns: ["model", "timestamp", "lower_bound", "median", "upper_bound"],
    rows: forecasts.flatMap(({ model, answer }) =>
      answer.forecast_timestamps.map((timestamp, i) => [
        model,
        timestamp,
        ...columnsOf(answer).map((column) => column[i]),
      ]),
    ),
  };
}
