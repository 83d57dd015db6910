// A backtest on the page: the verdict, the errors by model, and past forecasts over the actual values.

import { drawInterval, drawMedian, startLayer } from "../charts/forecast-layer.js";
import { legendEntry } from "../charts/legend.js";
import { curveOf, toMoment } from "../charts/traces.js";
import { element } from "../dom.js";
import { sentenceOf } from "../words.js";
import { mean } from "./figures.js";
import { fillTable } from "./table.js";
import { compareModels, explainColumns, pastForecastsText, percentsApart } from "./verdict.js";

/** The choices of all past forecasts that count in the ranking, and of none. */
const ALL = "all";
export const NONE = "none";

/**
 * @typedef {object} BacktestRun a backtest and its response
 * @property {import("./reading.js").Point[]} points
 * @property {string} settings of its request
 * @property {object} body of its request
 * @property {object} response of POST /backtest
 * @property {string|null} notice
 */

/**
 * Show a backtest, with its best model drawn.
 *
 * @param {BacktestRun} run
 * @param {{model: string, name: string}[]} models
 * @param {import("./series-format.js").SeriesFormat} format
 * @returns {{best: string[], count: number}} the models that are equally good, the one to be used first, which may be
 *     seasonal naive; the number of past forecasts that say so
 */
export function showBacktest({ body, response, notice }, models, format) {
  const { models: scores, windows } = response;
  const nameOf = nameLookup(models);
  const meanSize = mean(windows.flatMap(({ actual }) => actual.map(Math.abs)));
  const count = countedWindows(windows).length;
  const { text, best } = compareModels(scores, nameOf, format.figures, meanSize, count);
  const counted = pastForecastsText(count, body.forecast_horizon, format);
  element("verdict").textContent = `${text} Judged by ${counted}${count === 1 ? ": another could turn it round" : ""}.`;
  const written = scores.map(({ mae }) => format.figures.writeError(mae));
  const percentages = percentsApart(scores.map(({ mae }) => mae / meanSize), written, format.figures);
  fillTable(element("errors"), {
    caption: `${counted}, compared with the actual values`,
    first: "Model",
    groups: [{ name: "", columns: ["Off by", "In %", "Within", "Time"] }],
    rows: scores.map(({ model_id: id, coverage, seconds }, i) => [
      nameOf(id) + markOf(id, best, count),
      written[i],
      meanSize > 0 ? percentages[i] : "–",
      format.figures.percent(coverage),
      `${format.figures.localize(seconds.toFixed(2))} s`,
    ]),
  });
  [...element("errors").tBodies[0].rows].forEach((row, i) =>
    row.classList.toggle("best", best.includes(scores[i].model_id)),
  );
  element("explained").textContent = [
    explainColumns(body.confidence, format.figures), ...(notice?.split("; ") ?? []).map(sentenceOf),
  ].join(" ");
  fillChoices(response, nameOf, format, best);
  return { best, count };
}

/** The past forecasts that count in the ranking. */
function countedWindows(windows) {
  const long = windows.filter(({ short_history: isShort }) => !isShort);
  return long.length > 0 ? long : windows;
}

/** Layers of the chosen past forecasts. */
export function pastLayers({ response }, models) {
  const model = element("past-model").value;
  const chosen = element("past-window").value;
  const windows = chosen === ALL
    ? countedWindows(response.windows)
    : response.windows.filter((_, i) => Number(chosen) === i);
  const name = `${nameLookup(models)(model)}, past`;
  const layers = windows.map(({ timestamps, forecasts }) => {
    const curve = curveOf(timestamps, forecasts[model]);
    const traces = (_history, style) => {
      const colour = style.models[colorIndex(model, models)];
      const drawn = { name, colour, dash: "solid", figures: style.figures };
      const marked = { mode: timestamps.length > 1 ? "lines" : "markers" };
      return [
        ...drawInterval(curve, { ...drawn, isFilled: true }),
        { ...drawMedian(curve, drawn), ...marked },
      ];
    };
    return { curve, traces };
  });
  return [startLayer(windows.map(({ cutoff }) => toMoment(cutoff))), ...layers];
}

/** The legend entry of the drawn past forecasts; null without any. */
export function pastEntry(models) {
  if (element("past-window").value === NONE) return null;
  const model = element("past-model").value;
  const key = `model-${colorIndex(model, models) + 1}`;
  return legendEntry(key, `${nameLookup(models)(model)}, past`, "past forecasts");
}

/** The first moment of a backtest. */
export function firstCutoff({ response }) {
  return toMoment(response.windows[0].cutoff);
}

function fillChoices({ windows }, nameOf, format, best) {
  const counted = countedWindows(windows).length;
  const namesCounted = counted === 1 ? "the one that counts" : `the ${counted} that count`;
  const drawable = Object.keys(windows[0].forecasts);
  element("past-model").replaceChildren(
    ...drawable.map((id) => new Option(nameOf(id), id, false, id === best[0])),
  );
  element("past-window").replaceChildren(
    new Option(counted < windows.length ? namesCounted : `all ${counted}`, ALL, true, true),
    ...windows.map(({ cutoff }, i) => new Option(`${format.showDate(cutoff)}`, i)),
    new Option("none", NONE),
  );
}

/** The index of a model's colour. */
function colorIndex(model, models) {
  return models.findIndex(({ model: id }) => id === model);
}

function markOf(id, best, count) {
  if (!best.includes(id)) return "";
  return best.length > 1 ? " · tied" : count === 1 ? " · closest" : " · best";
}

function nameLookup(models) {
  return (id) => models.find(({ model }) => model === id).name;
}
