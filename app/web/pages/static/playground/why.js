// Why a forecast is as it is: three bars, which add up to its median.

import { element } from "../dom.js";
import { bringIntoView } from "./scroll.js";
import { fillTable } from "./table.js";

const PARTS = [
  ["level_and_trend", "Level and trend"],
  ["season", "Season"],
  ["holidays", "Holidays"],
];

const ALL = "all";

export class ExplanationPanel {
  /** What explains a response of POST /forecast. */
  #explanations = new WeakMap();
  /** The forecast that the page tells, and the request that it is of. */
  #told = null;
  /** The explanation whose periods are offered. */
  #offered = null;

  /**
   * @param {import("./desk.js").PlaygroundState} desk
   * @param {DOMStringMap} service
   * @param {import("./forecast-tab.js").ForecastTab} tab
   */
  constructor(desk, service, tab) {
    this.desk = desk;
    this.tab = tab;
    this.url = new URL(service.explainUrl, location.href).href;
    element("explain").addEventListener("click", () => desk.run({ task: this }));
    element("why-period").addEventListener("change", () => tab.refresh());
  }

  /** @param {{forecast: import("./forecast-tab.js").Shown, request: object}|null} told */
  show(told) {
    this.#told = told;
    const explanation = told && this.#explanations.get(told.forecast.response);
    element("why").hidden = !told;
    element("explain").hidden = Boolean(explanation);
    element("why-parts").hidden = !explanation;
    if (!explanation) return;
    if (this.#offered !== explanation) fillPeriods(explanation, this.desk.about);
    this.#offered = explanation;
    const [all] = element("why-period").options;
    all.text = `all ${explanation.median.length}, average`;
    showParts(explanation, told.forecast, this.desk.about);
  }

  refresh() {
    this.tab.refresh();
  }

  async ask(key) {
    const { forecast, request } = this.#told;
    this.desk.say(`Asking why ${forecast.name} forecasts this …`);
    const response = await this.desk.send({ ...request, url: this.url }, key);
    if (this.desk.current() !== this.tab) return;
    if (response.status === 200) this.#explanations.set(forecast.response, response.body);
    await this.tab.refresh();
    if (response.status === 200) bringIntoView("why");
    else this.desk.showFailure(response);
  }
}

/** Offer all periods together and each; chosen is the one whose season and holidays count most. */
function fillPeriods({ forecast_timestamps: timestamps, season, holidays }, about) {
  const sizes = season.map((value, i) => Math.abs(value + holidays[i]));
  const most = sizes.indexOf(Math.max(...sizes));
  element("why-period").replaceChildren(
    new Option("", ALL),
    ...timestamps.map((timestamp, i) => new Option(about.namePeriod(timestamp), i, i === most, i === most)),
  );
}

/** Show the parts of the period that is chosen, or their averages. */
function showParts(explanation, { name }, about) {
  const { value: chosen, selectedOptions } = element("why-period");
  const average = (column) => column.reduce((sum, value) => sum + value, 0) / column.length;
  const sizeOf = (column) => (chosen === ALL ? average(column) : column[Number(chosen)]);
  const sizes = PARTS.map(([part]) => sizeOf(explanation[part]));
  const table = element("parts");
  fillTable(table, {
    caption: `${name}, ${selectedOptions[0].text}: ${about.figures.write(sizeOf(explanation.median))}`,
    first: "Part",
    groups: [{ name: "", columns: ["Adds", ""] }],
    rows: PARTS.map(([, title], i) => [title, about.figures.write(sizes[i]), ""]),
  });
  const least = Math.min(0, ...sizes);
  const width = Math.max(0, ...sizes) - least || 1;
  [...table.tBodies[0].rows].forEach((row, i) => {
    const bar = document.createElement("span");
    bar.style.marginLeft = `${(100 * (Math.min(0, sizes[i]) - least)) / width}%`;
    bar.style.width = `${(100 * Math.abs(sizes[i])) / width}%`;
    row.lastElementChild.className = "size";
    row.lastElementChild.append(bar);
  });
}
