// The explanation of a forecast: three bars that add up to its median.

import { create, element } from "../dom.js";
import { mean } from "./figures.js";
import { bringIntoView } from "./scroll.js";
import { fillTable } from "./table.js";

const PARTS = [
  ["level_and_trend", "Level and trend"],
  ["season", "Season"],
  ["holidays", "Holidays"],
];

const ALL = "all";

/** Explains the forecast that the sentence describes. */
export class ExplanationPanel {
  /** The explanation of each response of POST /forecast. */
  #explanations = new WeakMap();
  /** The forecast that the sentence describes, and its request. */
  #focused = null;
  /** The explanation whose periods are offered. */
  #offered = null;

  /**
   * @param {import("./state.js").PlaygroundState} playground
   * @param {DOMStringMap} service
   * @param {import("./forecast-tab.js").ForecastTab} tab
   */
  constructor(playground, service, tab) {
    this.playground = playground;
    this.tab = tab;
    this.url = new URL(service.explainUrl, location.href).href;
    playground.addTaskButton("explain", this);
    element("why-period").addEventListener("change", () => tab.refresh());
  }

  /** @param {{forecast: import("./forecast-tab.js").ShownForecast, request: object}|null} focused */
  show(focused) {
    this.#focused = focused;
    const explanation = focused && this.#explanations.get(focused.forecast.response);
    element("why").hidden = !focused;
    element("explain").hidden = Boolean(explanation);
    element("why-parts").hidden = !explanation;
    if (!explanation) return;
    if (this.#offered !== explanation) fillPeriods(explanation, this.playground.format);
    this.#offered = explanation;
    const [all] = element("why-period").options;
    all.text = `all ${explanation.median.length}, average`;
    showParts(explanation, focused.forecast, this.playground.format);
  }

  refresh() {
    this.tab.refresh();
  }

  async request(key) {
    const { forecast, request } = this.#focused;
    this.playground.showStatus(`Asking why ${forecast.name} forecasts this …`);
    const response = await this.playground.send({ ...request, url: this.url }, key);
    if (this.playground.current() !== this.tab) return;
    if (response.status === 200) this.#explanations.set(forecast.response, response.body);
    await this.tab.refresh();
    if (response.status === 200) bringIntoView("why");
    else this.playground.showFailure(response);
  }
}

/** Offer all periods, and choose the one with the largest season and holidays. */
function fillPeriods({ forecast_timestamps: timestamps, season, holidays }, format) {
  const sizes = season.map((value, i) => Math.abs(value + holidays[i]));
  const most = sizes.indexOf(Math.max(...sizes));
  element("why-period").replaceChildren(
    new Option("", ALL),
    ...timestamps.map((timestamp, i) => new Option(format.namePeriod(timestamp), i, i === most, i === most)),
  );
}

/** Show the parts of the chosen period, or their averages. */
function showParts(explanation, { name }, format) {
  const { value: chosen, selectedOptions } = element("why-period");
  const sizeOf = (column) => (chosen === ALL ? mean(column) : column[Number(chosen)]);
  const sizes = PARTS.map(([part]) => sizeOf(explanation[part]));
  const table = element("parts");
  fillTable(table, {
    caption: `${name}, ${selectedOptions[0].text}: ${format.figures.write(sizeOf(explanation.median))}`,
    first: "Part",
    groups: [{ name: "", columns: ["Adds", ""] }],
    rows: PARTS.map(([, title], i) => [title, format.figures.write(sizes[i]), ""]),
  });
  const min = Math.min(0, ...sizes);
  const width = Math.max(0, ...sizes) - min || 1;
  [...table.tBodies[0].rows].forEach((row, i) => {
    const bar = create("span");
    bar.style.marginLeft = `${(100 * (Math.min(0, sizes[i]) - min)) / width}%`;
    bar.style.width = `${(100 * Math.abs(sizes[i])) / width}%`;
    row.lastElementChild.className = "size";
    row.lastElementChild.append(bar);
  });
}
