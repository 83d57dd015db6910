// The chart: the series, and over it the layers of a tab. Drawn by Plotly.

import { composePicture } from "./picture.js";
import {
  PLAIN_FIGURES,
  drawHistory,
  exponentFormat,
  historyCurve,
  layout,
  toMoment,
  toText,
} from "./traces.js";

const MODELS = [1, 2, 3, 4];
const ZOOM_STEP = 0.6;
const HEADROOM = 0.06;
const SIDES = 0.01;

/** Plotly once its large script has loaded; null if that fails. */
const library = new Promise((resolve) => {
  const page = /** @type {any} */ (window);
  if (page.Plotly) resolve(page.Plotly);
  const script = document.getElementById("plotly");
  script.addEventListener("load", () => resolve(page.Plotly));
  script.addEventListener("error", () => resolve(null));
});

/**
 * @typedef {object} Drawing
 * @property {import("./traces.js").DrawnPoint[]} points
 * @property {any} [series] what they are points of, where others of it may follow: another series
 *     resets the view
 * @property {number[]} [gaps] seconds of entries that are missing, where the line breaks
 * @property {Layer[]} layers
 * @property {string} [valueName] what the values are, beside their axis
 * @property {import("./traces.js").NumberFormat} [figures] how they are written
 * @property {(moment: number) => number} [axisMoment] where on the axis a moment is drawn, if not at itself
 * @property {string} [hoverFormat] Plotly's format of a date under the pointer
 * @property {number} recent how many points of the series "Recent" shows
 * @property {number} pivot what zooming leaves in its place: 0 the left end, 1 the right one
 *
 * @typedef {object} Layer what is drawn over the series
 * @property {import("./traces.js").Curve} [curve] which the axes make room for
 * @property {number} [room] which the axes leave free above and below the curves, as a share of their height
 * @property {(history: import("./traces.js").Curve, style: object) => object[]} traces of Plotly
 */

/** A chart in an element. */
export class Chart {
  constructor(element) {
    this.element = element;
    this.drawing = null;
    this.curves = [];
    this.series = this.points = null;
    document.addEventListener("themechange", () => this.drawing && this.draw(this.drawing));
  }

  /** Let the buttons of `chart_zoom.html` choose what is shown. */
  listenToButtons() {
    const choices = {
      "zoom-in": () => this.zoom(true),
      "zoom-out": () => this.zoom(false),
      "zoom-recent": () => this.showRecent(),
      "zoom-all": () => this.showAll(),
    };
    for (const [id, show] of Object.entries(choices)) {
      document.getElementById(id).addEventListener("click", show);
    }
  }

  /** Draw; the view is kept, unless the series is another one, or all of it was visible. */
  async draw(drawing) {
    this.drawing = drawing;
    const plotly = await library;
    if (drawing !== this.drawing) return;
    if (!plotly) {
      this.element.textContent = "The chart could not be loaded. The numbers are in the table below.";
      return;
    }
    const { axisMoment = identity } = drawing;
    const placed = (curve) => ({ ...curve, moments: curve.moments.map(axisMoment) });
    const history = historyCurve(drawing);
    const grows = drawing.points !== this.points && this.#showsAll();
    this.curves = [history, ...drawing.layers.map(({ curve }) => curve).filter(Boolean)].map(placed);
    const { points, series = points } = drawing;
    const isNew = series !== this.series;
    this.points = points;
    this.series = series;
    const view = isNew || grows || !this.view ? this.#wholeView() : this.view;
    this.view = view; // before what takes time: the next drawing of this series keeps it
    const { data, layout: axes } = this.#plotlyFigure(this.#style());
    await plotly.react(this.element, data, axes, {
      displayModeBar: false,
      responsive: true,
      doubleClick: false,
    });
    if (isNew) this.#listen();
  }

  /** Show the last points and what follows them. */
  async showRecent() {
    if (!this.#isDrawn) return;
    const [from, to] = this.#timeSpan();
    const { recent, points, axisMoment = identity } = this.drawing;
    const start = points.length > recent ? axisMoment(points.at(-recent).seconds * 1000) : from;
    return this.#show(withMargin([Math.max(from, start), to]));
  }

  /** Show the range between two moments, within the series. */
  showBetween(from, to) {
    const [first, last] = this.#wholeView();
    return this.#show([Math.max(first, from), Math.min(last, to)]);
  }

  async showAll() {
    if (!this.#isDrawn) return;
    return this.#show(this.#wholeView());
  }

  /**
   * What is shown, in the colours of `light`, an element; with `words` as of `composePicture`. null
   * without Plotly.
   */
  async picture(words, light) {
    const plotly = await library;
    if (!plotly) return null;
    const { clientWidth: width, clientHeight: height } = this.element;
    const style = this.#style(light);
    const svg = await plotly.toImage(this.#plotlyFigure(style), { format: "svg", width, height });
    const chart = decodeURIComponent(svg.slice(svg.indexOf(",") + 1));
    const { strong, panel, font } = style;
    return composePicture(chart, { width, height }, words, { text: strong, panel, font });
  }

  /** The drawing as Plotly wants it. */
  #plotlyFigure(style) {
    const { valueName = "", layers, axisMoment, hoverFormat } = this.drawing;
    const full = this.#fullStyle(style);
    const [history] = this.curves;
    const traces = layers.flatMap((layer) => layer.traces(history, full));
    const drawn = [drawHistory(history, full), ...traces];
    const placed = (trace) => ({ ...trace, x: trace.x.map((moment) => moment && axisMoment(moment)) });
    const axes = layout(full, this.view, this.#fit(this.view), valueName);
    return {
      data: axisMoment ? drawn.map(placed) : drawn,
      layout: { ...axes, xaxis: { ...axes.xaxis, hoverformat: hoverFormat } },
    };
  }

  /** Zoom around the drawing's pivot. */
  async zoom(isIn) {
    if (!this.#isDrawn) return;
    const [from, to] = this.view;
    const growth = (to - from) * (isIn ? ZOOM_STEP - 1 : 1 / ZOOM_STEP - 1);
    const { pivot } = this.drawing;
    return this.showBetween(from - pivot * growth, to + (1 - pivot) * growth);
  }

  async #show(view) {
    this.view = view;
    const plotly = await library;
    const heights = this.#fit(view);
    await plotly?.relayout(this.element, {
      "xaxis.range": view.map(toText),
      "yaxis.range": heights,
      "yaxis.exponentformat": exponentFormat(heights, this.#fullStyle()),
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

  get #isDrawn() {
    return this.curves.length > 0;
  }

  #showsAll() {
    return this.#isDrawn && String(this.view) === String(this.#wholeView());
  }

  #wholeView() {
    return withMargin(this.#timeSpan());
  }

  /** @returns {[number, number]} from the first to the last moment of all curves */
  #timeSpan() {
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
    const room = Math.max(HEADROOM, ...this.drawing.layers.map((layer) => layer.room ?? 0));
    const margin = (high - low) * room || Math.abs(high) * room || 1;
    return low <= high ? [low - margin, high + margin] : null;
  }

  /** The style with the number format of the drawing. */
  #fullStyle(style = this.#style()) {
    return { ...style, figures: this.drawing.figures ?? PLAIN_FIGURES };
  }

  #style(element = this.element) {
    const style = getComputedStyle(element);
    const read = (name) => style.getPropertyValue(name).trim();
    return {
      text: read("--muted"),
      strong: read("--text"),
      grid: read("--line"),
      panel: read("--panel"),
      font: style.fontFamily,
      accent: read("--accent"),
      alarm: read("--error"),
      models: [...MODELS.map((number) => read(`--model-${number}`)), read("--muted")],
      width: this.element.clientWidth,
      isCoarse: window.matchMedia("(pointer: coarse)").matches,
    };
  }
}

function identity(moment) {
  return moment;
}

function withMargin([from, to]) {
  const margin = (to - from) * SIDES || 1;
  return [from - margin, to + margin];
}
