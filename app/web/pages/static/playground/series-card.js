// One of several series: its name, its chart, and its forecast or problem.

import { create } from "../dom.js";
import { drawSmallChart } from "./small-chart.js";

const SVG = "http://www.w3.org/2000/svg";
/** The picture shows the forecast and this many times its length before it, or `NEAR_POINTS`. */
const NEAR_HORIZONS = 5;
const NEAR_POINTS = 60;

/** A button with the chart of a series, which it chooses. */
export class SeriesCard {
  #drawn = {};

  /**
   * @param {string} name of the series
   * @param {() => void} onChoose
   */
  constructor(name, onChoose) {
    this.picture = document.createElementNS(SVG, "svg");
    this.picture.setAttribute("aria-hidden", "true");
    this.words = create("span");
    const content = [create("strong", { title: name }, name), this.picture, this.words];
    this.button = create("button", { type: "button", className: "card", onclick: onChoose }, ...content);
    this.item = create("li", {}, this.button);
  }

  /**
   * @param {import("./reading.js").Reading} reading
   * @param {object} state
   * @param {object|null} state.forecast response of POST /forecast
   * @param {string} state.words
   * @param {string} state.kind of them: `error`, `stale`, or none
   * @param {string} state.key of the colour of the forecast
   * @param {boolean} state.isChosen whether the large chart shows this series
   */
  show(reading, { forecast, words, kind, key, isChosen }) {
    if (this.words.textContent !== words) this.words.textContent = words;
    this.item.className = `key-${key} ${kind}`;
    if (isChosen) this.button.setAttribute("aria-current", "true");
    else this.button.removeAttribute("aria-current");
    if (this.#drawn.points === reading.points && this.#drawn.forecast === forecast) return;
    this.#drawn = { points: reading.points, forecast };
    const near = Math.max(NEAR_POINTS, NEAR_HORIZONS * (forecast?.median.length ?? 0));
    const points = reading.points.slice(-near);
    const first = points[0]?.seconds;
    const gaps = reading.isFilled ? [] : reading.missing.filter((seconds) => seconds > first);
    drawSmallChart(this.picture, { points, gaps }, forecast);
  }
}
