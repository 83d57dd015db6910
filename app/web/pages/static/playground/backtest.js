// The backtest: which model would have been the best on this series.

import { element } from "../dom.js";
import { NONE, firstCutoff, pastEntry, pastLayers, showBacktest } from "./backtest-view.js";
import { holidaysHeader } from "./request.js";
import { bringIntoView } from "./scroll.js";
import { checkSettings, readSettings } from "./settings.js";
import { NAIVE } from "./verdict.js";

/** The panel of the backtest, on the tab "Forecast". */
export class Backtest {
  /** @type {import("./backtest-view.js").BacktestRun|null} */
  #run = null;
  /** The model that it advises. */
  #advised = "";

  /**
   * @param {import("./state.js").PlaygroundState} playground
   * @param {DOMStringMap} service
   * @param {{tab: object, models: object[], onUse: (model: string) => void}} options
   */
  constructor(playground, service, { tab, models, onUse }) {
    this.playground = playground;
    this.tab = tab;
    this.models = models;
    this.url = new URL(service.backtestUrl, location.href).href;
    playground.addTaskButton("backtest", this);
    element("use-best").addEventListener("click", () => {
      element("use-best").className = "quiet"; // done: "Forecast" is what comes next
      element("past-window").value = NONE; // and a picture of it
      onUse(this.#advised);
    });
    for (const id of ["past-model", "past-window"]) {
      element(id).addEventListener("change", () => tab.refresh());
    }
  }

  /** Show the backtest of the current data, marked as stale if the settings have changed. */
  refresh() {
    if (this.#run?.points !== this.playground.data.points) this.#run = null;
    const isStale = this.#run !== null && this.#isStale();
    element("backtest-result").hidden = this.#run === null;
    element("backtest-result").classList.toggle("stale", isStale);
    element("backtest-stale").hidden = !isStale;
    element("backtest").textContent = isStale ? "Backtest again" : "Backtest";
    this.#offerBaseline(this.#run !== null && this.#advised === NAIVE);
  }

  /** Offer seasonal naive as a model if it was the best. */
  #offerBaseline(isOffered) {
    element("baseline").hidden = !isOffered;
    const { input } = this.models.find(({ model }) => model === NAIVE);
    if (isOffered || !input.checked) return;
    input.checked = false;
    if (!this.models.some((model) => model.input.checked)) this.models[0].input.checked = true;
  }

  async request(key) {
    const { points } = this.playground.data;
    const { settings: sentSettings } = this.tab.requests;
    if (!checkSettings()) return;
    const body = this.tab.requests.withinMaxHorizon(this.tab.requests.body());
    this.playground.showStatus("Forecasting the past with every model …");
    const headers = holidaysHeader(readSettings());
    const { body: response, ...rest } = await this.playground.send({ url: this.url, headers, body }, key);
    if (!this.playground.isCurrent(this.tab, points, "Backtest")) return;
    if (rest.status === 200) this.#keep({ points, settings: sentSettings, body, response, notice: rest.notice });
    await this.tab.refresh();
    if (rest.status !== 200) {
      this.playground.showFailure({ body: response, ...rest });
      return;
    }
    this.playground.showStatus(`Backtest done in ${rest.milliseconds} ms.`);
    await this.playground.chart.showBetween(...this.#near());
    bringIntoView("backtest-result");
  }

  /** Its layers over the series. */
  layers() {
    return this.#run ? pastLayers(this.#run, this.models) : [];
  }

  /** Its entries of the legend. */
  legend() {
    return [this.#run && pastEntry(this.models)].filter(Boolean);
  }

  #keep(run) {
    this.#run = run;
    const { best, count } = showBacktest(run, this.models, this.playground.format);
    [this.#advised] = best;
    const { name } = this.models.find(({ model }) => model === this.#advised);
    const isUsed = best.includes(this.tab.chosen[0]?.model);
    const isAdvice = !isUsed && count > 1; // else there is little reason to change
    const className = isAdvice ? "primary" : "quiet";
    Object.assign(element("use-best"), { textContent: `Use ${name}`, className, hidden: false });
  }

  #isStale() {
    return this.#run.settings !== this.tab.requests.settings;
  }

  /** The range of the windows, an equal range before them, and everything after. */
  #near() {
    const last = this.playground.data.points.at(-1).seconds * 1000;
    const first = firstCutoff(this.#run);
    return [first - (last - first), Infinity];
  }
}
