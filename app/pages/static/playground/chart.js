// The picture: history, and for each model a median in its interval. Drawn by Plotly.

import {
  DASHES, drawForecast, drawHistory, exponentFormat, forecastCurve, historyCurve, layout, toMoment,
  toText,
} from "./traces.js";

const NEAR_HORIZONS = 5;
const NEAR_POINTS = 60;
const ZOOM_STEP = 0.6;
const HEADROOM = 0.06;
const SIDES = 0.01;

/** Plotly, when its script has come (it is large and comes last); null if it does not come. */
const library = new Promise((resolve) => {
  if (window.Plotly) resolve(window.Plotly);
  const script = document.getElementById("plotly");
  script.addEventListener("load", () => resolve(window.Plotly));
  script.addEventListener("error", () => resolve(null));
});

/**
 * @typedef {object} Drawing
 * @property {import("./reading.js").Point[]} points
 * @property {import("./spacing.js").Spacing|null} spacing
 * @property {{model: string, slot: number, answer: object}[]} forecasts `slot` picks the colour
 * @property {number} horizon that is asked for
 */
export class Chart {
  constructor(element) {
    this.element = element;
    this.drawing = null;
    this.curves = [];
    this.series = null;
    document.addEventListener("themechange", () => this.drawing && this.draw(this.drawing));
  }

  /** Draw; another series resets the view, another forecast of the same series keeps it. */
  async draw(drawing) {
    this.drawing = drawing;
    const plotly = await library;
    if (drawing !== this.drawing) return;
    if (!plotly) {
      this.element.textContent = "The chart could not be loaded. The numbers stand below.";
      return;
    }
    const style = this.#style();
    const history = historyCurve(drawing);
    const forecasts = drawing.forecasts.map((forecast) => forecastCurve(forecast));
    this.curves = [history, ...forecasts];
    const isNew = drawing.points !== this.series;
    this.series = drawing.points;
    const traces = [
      drawHistory(history, style),
      ...forecasts.flatMap((curve) => drawForecast(curve, history, style)),
    ];
    const view = isNew || !this.view ? this.#wholeView() : this.view;
    await plotly.react(this.element, traces, layout(style, view, this.#fit(view)), {
      displayModeBar: false,
      responsive: true,
      doubleClick: false,
    });
    this.view = view;
    if (isNew) this.#listen();
  }

  /** Show the forecast and some history before it. */
  showRecent() {
    const [from, to] = this.#span();
    const { horizon, points } = this.drawing;
    const shown = Math.max(NEAR_POINTS, NEAR_HORIZONS * horizon);
    const start = points.length > shown ? points.at(-shown).seconds * 1000 : from;
    return this.#show(withMargin([Math.max(from, start), to]));
  }

  showAll() {
    return this.#show(this.#wholeView());
  }

  /** Zoom around the right end of what is shown, where the forecast is. */
  zoom(isIn) {
    const [from, to] = this.view;
    const width = (to - from) * (isIn ? ZOOM_STEP : 1 / ZOOM_STEP);
    return this.#show([Math.max(this.#wholeView()[0], to - width), to]);
  }

  async #show(view) {
    this.view = view;
    const plotly = await library;
    const heights = this.#fit(view);
    await plotly?.relayout(this.element, {
      "xaxis.range": view.map(toText),
      "yaxis.range": heights,
      "yaxis.exponentformat": exponentFormat(heights),
    });
  }

  /** After a zoom by the pointer the values fill the height again. */
  #listen() {
    this.element.removeAllListeners?.("plotly_relayout");
    this.element.on("plotly_relayout", (change) => {
      const [from, to] = [change["xaxis.range[0]"], change["xaxis.range[1]"]];
      if (from !== undefined) this.#show([toMoment(from), toMoment(to)]);
    });
    this.element.removeAllListeners?.("plotly_doubleclick");
    this.element.on("plotly_doubleclick", () => this.showAll());
  }

  #wholeView() {
    return withMargin(this.#span());
  }

  /** From the first to the last moment of all curves. */
  #span() {
    const moments = this.curves.flatMap((curve) => [curve.moments[0], curve.moments.at(-1)]);
    const known = moments.filter(Number.isFinite);
    return [Math.min(...known), Math.max(...known)];
  }

  #fit([from, to]) {
    let [low, high] = [Infinity, -Infinity];
    for (const { moments, lower, upper } of this.curves) {
      moments.forEach((moment, i) => {
        if (moment < from || moment > to || lower[i] === null) return;
        low = Math.min(low, lower[i]);
        high = Math.max(high, upper[i]);
      });
    }
    const margin = (high - low) * HEADROOM || Math.abs(high) * HEADROOM || 1;
    return low <= high ? [low - margin, high + margin] : null;
  }

  #style() {
    const style = getComputedStyle(this.element);
    const read = (name) => style.getPropertyValue(name).trim();
    return {
      text: read("--muted"),
      strong: read("--text"),
      grid: read("--line"),
      panel: read("--panel"),
      font: style.fontFamily,
      colours: DASHES.map((_, i) => read(`--model-${i + 1}`)),
      isCoarse: window.matchMedia("(pointer: coarse)").matches,
    };
  }
}

function withMargin([from, to]) {
  const margin = (to - from) * SIDES || 1;
  return [from - margin, to + margin];
}
