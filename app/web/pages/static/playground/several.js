// All series of a table: a small picture of each, and a forecast of each in one go.

import { element } from "../dom.js";
import { describeSeries } from "./about.js";
import { clockTime } from "./clock.js";
import { locate } from "./errors.js";
import { knownLimits, learnLimits } from "./key.js";
import { showError } from "./messages.js";
import { fileName } from "./picture.js";
import { NOTHING } from "./reading.js";
import { saveFile } from "./saving.js";
import { bringIntoView } from "./scroll.js";
import { SeriesCard } from "./series-card.js";
import { SeriesChoice } from "./series-choice.js";
import { areSettingsSound } from "./settings.js";
import { fileOfSeveral } from "./several-file.js";
import { csvFormOf, toCsv } from "./table.js";

/** So many are drawn and forecast in one go. */
const MOST = 24;
/** The page waits for a limit that resets within this many seconds. */
const MAX_WAIT_SECONDS = 120;
/** Responses that every other series would get, too. */
const FOR_ALL = new Set([0, 401, 403]);

export class Several {
  /** @type {Map<string, SeriesCard>} */
  #cards = new Map();
  /** What was wrong with a series, by its points; and with which settings. */
  #failures = new WeakMap();
  #abouts = new WeakMap();
  /** What is under way: `stop` ends it with a reason. */
  #run = null;

  /**
   * @param {import("./desk.js").Desk} desk
   * @param {DOMStringMap} service
   * @param {import("./forecast-tab.js").ForecastTab} tab
   */
  constructor(desk, service, tab) {
    this.desk = desk;
    this.tab = tab;
    this.url = new URL(service.verifyUrl, location.href).href;
    this.choice = new SeriesChoice(MOST, () => this.refresh());
    element("forecast-all").addEventListener("click", () => desk.run({ task: this }));
    element("stop").addEventListener("click", () => this.#run?.stop("Stopped"));
    element("download-all").addEventListener("click", () => this.#download());
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
    if (this.#run && (this.#run.table !== this.desk.data.table || this.#run.settings !== this.tab.asked)) {
      this.#run.stop("The data or the settings have changed: stopped");
    }
    element("several").hidden = !isShown;
    this.choice.offer(names);
    element("several-title").textContent = `${names.length} series`;
    this.#lay(isShown ? this.choice.names : []);
    if (!isShown) return;
    for (const [each, card] of this.#cards) {
      const reading = this.desk.data.readingOf(each);
      card.show(reading, { ...this.#stateOf(reading), key: `model-${this.#model.slot + 1}`, isChosen: each === name });
    }
    const isAny = this.#readings.some((reading) => this.#forecastOf(reading));
    element("download-all").hidden = !isAny;
    this.#tell();
    this.#tellCost();
  }

  /** Forecast each series that has no forecast yet. */
  async ask(key) {
    if (this.tab.chosen.length === 0) {
      showError("models", "Choose a model.");
      return;
    }
    if (!areSettingsSound()) return;
    const one = this.#model;
    const waiting = this.#pending;
    const run = (this.#run = this.#begin(waiting.length));
    while (waiting.length > 0 && !run.reason) {
      const [reading] = waiting;
      run.asking = reading;
      this.refresh();
      const response = await this.tab.askAbout(reading, one, key);
      run.asking = null;
      if (this.desk.current() !== this.tab) run.stop("Stopped");
      if (response.retryAfter && [429, 503].includes(response.status)) await this.#wait(response, run);
      else this.#keep(waiting.shift(), response, run);
      if (reading === this.desk.data.reading) {
        await this.tab.refresh();
        await this.desk.chart.showRecent();
      }
    }
    this.#run = null;
    this.refresh();
    this.#tell(run);
  }

  /** The series that are drawn. */
  get #readings() {
    return this.choice.names.map((name) => this.desk.data.readingOf(name));
  }

  /** Those that can be asked about and have no forecast by the model for the settings. */
  get #pending() {
    return this.#readings.filter((reading) => !this.#problemOf(reading) && !this.#forecastOf(reading));
  }

  /** The first model that is chosen forecasts all. */
  get #model() {
    return this.tab.chosen[0] ?? this.tab.models[0];
  }

  #forecastOf(reading) {
    return this.tab.forecastOf(reading, this.#model.model);
  }

  #begin(count) {
    const run = {
      count, done: 0, asking: null, reason: "", waits: "", wake: () => {},
      table: this.desk.data.table, settings: this.tab.asked,
      stop: (reason) => {
        run.reason ||= reason;
        run.wake();
        this.#tell();
      },
    };
    return run;
  }

  #keep(reading, response, run) {
    if (response.status === 200) {
      this.#failures.delete(reading.points);
      run.done += 1;
    } else if (FOR_ALL.has(response.status)) {
      run.reason ||= "Stopped";
      this.desk.showFailure(response);
    } else {
      const { text } = locate(response)[0];
      this.#failures.set(reading.points, { text, settings: run.settings });
    }
  }

  /**
   * Wait until the limit is back, or stop where that takes long.
   *
   * @param {import("./request.js").Received} response
   * @param {any} run
   */
  async #wait({ status, retryAfter }, run) {
    const back = clockTime(Date.now() + retryAfter * 1000);
    const why = status === 429 ? "The requests of this key are used up" : "The service is busy";
    if (retryAfter > MAX_WAIT_SECONDS) {
      run.stop(`${why} until ${back}: stopped`);
      return;
    }
    run.waits = `${why} until ${back}; then the page continues.`;
    this.#tell();
    await new Promise((resolve) => {
      const timer = setTimeout(resolve, retryAfter * 1000);
      run.wake = () => {
        clearTimeout(timer);
        resolve();
      };
      if (run.reason) run.wake();
    });
    run.waits = "";
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
    const failure = this.#failures.get(reading.points);
    if (this.#run?.asking === reading) return { forecast: old, words: "Asking …", kind: "stale" };
    if (forecast) return { forecast, words: this.#wordsOf(reading, forecast), kind: "" };
    if (failure?.settings === this.tab.asked) return { forecast: null, words: failure.text, kind: "failed" };
    const problem = this.#problemOf(reading);
    if (problem) return { forecast: null, words: problem, kind: "failed" };
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

  /** What is under way, or how `over`, which is, went. */
  #tell(over = null) {
    const run = this.#run;
    const all = this.#readings;
    const done = all.filter((reading) => this.#forecastOf(reading)).length;
    const count = all.length - done;
    const { name } = this.#model;
    element("stop").hidden = !run;
    element("forecast-all").hidden = Boolean(run) || this.#pending.length === 0;
    element("forecast-all").textContent = done > 0 ? `Forecast the other ${this.#pending.length}` : `Forecast all ${this.#pending.length}`;
    const said = element("several-status");
    if (run?.waits) said.textContent = run.waits;
    else if (run) said.textContent = `Forecasting ${run.count === 1 ? "1 series" : `${Math.min(run.done + 1, run.count)} of ${run.count} series`} …`;
    else if (over?.reason) said.textContent = `${over.reason} after ${over.done} of ${over.count} series.`;
    else if (done > 0) said.textContent = `${done} of ${all.length} series forecast by ${name}.${count > 0 ? ` ${count} ${count === 1 ? "has" : "have"} none.` : ""}`;
    else said.textContent = "";
  }

  /** What a forecast of all costs, before it is asked for. */
  async #tellCost() {
    const count = this.#pending.length;
    const write = () => {
      const left = knownLimits();
      element("several-cost").textContent = count === 0 || this.#run ? "" : costOf(count, this.#model.name, left);
    };
    write();
    if (element("several").hidden || count === 0) return;
    await learnLimits(this.url);
    write();
  }

  #download() {
    const entries = this.#readings.map((reading) => {
      return { reading, about: this.#aboutOf(reading), forecast: this.#forecastOf(reading) ?? null };
    });
    const { columns, rows } = fileOfSeveral(entries);
    const csv = toCsv(columns, rows, csvFormOf(entries[0].reading));
    saveFile(`${fileName(this.desk.data.tableTitle)}-forecasts.csv`, new Blob([csv], { type: "text/csv" }));
  }
}

/** `24 requests, one for each series, by General. 60 are left until 14:03:10.` */
function costOf(count, model, left) {
  const cost = count === 1 ? `1 request, by ${model}.` : `${count} requests, one for each series, by ${model}.`;
  if (!left) return cost;
  const until = left.reset ? ` until ${clockTime(left.reset * 1000)}` : "";
  if (left.remaining >= count) return `${cost} ${left.remaining} are left${until}.`;
  const wait = left.reset && left.reset * 1000 - Date.now() <= MAX_WAIT_SECONDS * 1000;
  return `${cost} Only ${left.remaining} are left${until}: ${wait ? "the page waits then, and continues" : "the page stops then"}.`;
}
