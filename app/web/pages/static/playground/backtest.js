// The backtest: which model would have been best on this very series.

import { element } from "../dom.js";
import { firstCutoff, pastEntry, pastLayers, showBacktest } from "./backtest-view.js";
import { holidaysHeader } from "./request.js";
import { bringIntoView } from "./scroll.js";
import { areSettingsSound, settings } from "./settings.js";
import { NAIVE } from "./verdict.js";

export class Backtest {
  /** @type {import("./backtest-view.js").Round|null} */
  #round = null;
  /** The model that it advises. */
  #advised = "";

  /**
   * @param {import("./desk.js").PlaygroundState} desk
   * @param {DOMStringMap} service
   * @param {{tab: object, models: object[], onUse: (model: string) => void}} options
   */
  constructor(desk, service, { tab, models, onUse }) {
    this.desk = desk;
    this.tab = tab;
    this.models = models;
    this.url = new URL(service.backtestUrl, location.href).href;
    element("backtest").addEventListener("click", () => desk.run({ task: this }));
    element("use-best").addEventListener("click", () => {
      element("use-best").className = "quiet"; // done: "Forecast" is what comes next
      onUse(this.#advised);
    });
    for (const id of ["past-model", "past-window"]) {
      element(id).addEventListener("change", () => tab.refresh());
    }
  }

  /** Show what belongs to the data and settings as they are now. */
  refresh() {
    if (this.#round?.points !== this.desk.data.points) this.#round = null;
    const isStale = this.#round !== null && this.#isStale();
    element("backtest-result").hidden = this.#round === null;
    element("backtest-result").classList.toggle("stale", isStale);
    element("backtest-stale").hidden = !isStale;
    element("backtest").textContent = isStale ? "Backtest again" : "Backtest";
    this.#offerBaseline(this.#round !== null && this.#advised === NAIVE);
  }

  /** Seasonal naive can be chosen where it was the best. */
  #offerBaseline(isOffered) {
    element("baseline").hidden = !isOffered;
    const { input } = this.models.find(({ model }) => model === NAIVE);
    if (isOffered || !input.checked) return;
    input.checked = false;
    if (!this.models.some((one) => one.input.checked)) this.models[0].input.checked = true;
  }

  async ask(key) {
    const { points } = this.desk.data;
    const { settings: asked } = this.tab;
    if (!areSettingsSound()) return;
    const body = this.tab.body();
    this.desk.say("Forecasting the past with every model …");
    const headers = holidaysHeader(settings());
    const { body: response, ...rest } = await this.desk.send({ url: this.url, headers, body }, key);
    if (this.desk.current() !== this.tab) return;
    if (this.desk.data.points !== points) {
      this.desk.say("The data have changed meanwhile. Press Backtest again.");
      return;
    }
    if (rest.status === 200) this.#keep({ points, settings: asked, body, response, notice: rest.notice });
    await this.tab.refresh();
    if (rest.status !== 200) {
      this.desk.showFailure({ body: response, ...rest });
      return;
    }
    this.desk.say(`Backtest done in ${rest.milliseconds} ms.`);
    await this.desk.chart.showBetween(...this.#near());
    bringIntoView("backtest-result");
  }

  /** What it draws over the series. */
  layers() {
    return this.#round ? pastLayers(this.#round, this.models) : [];
  }

  /** What it draws, in the legend. */
  legend() {
    return [this.#round && pastEntry(this.models)].filter(Boolean);
  }

  #keep(round) {
    this.#round = round;
    this.#advised = showBacktest(round, this.models, this.desk.about);
    const { name } = this.models.find(({ model }) => model === this.#advised);
    Object.assign(element("use-best"), { textContent: `Use ${name}`, className: "primary", hidden: false });
  }

  #isStale() {
    return this.#round.settings !== this.tab.settings;
  }

  /** The windows, as much before them, and all that follows. */
  #near() {
    const last = this.desk.data.points.at(-1).seconds * 1000;
    const first = firstCutoff(this.#round);
    return [first - (last - first), Infinity];
  }
}
