// Forecasts in words and numbers: legend, table, file.

import { legendEntry } from "../charts/legend.js";
import { create } from "../dom.js";
import { BOUNDS, lastPeriodText } from "./sentence.js";

/** The name of a single forecast: the name of a model means nothing on a slide. */
const ONLY = "Forecast";
/** The columns of a forecast in a file. */
const FILE_ORDER = ["median", "lower_bound", "upper_bound"];

/**
 * @param {import("./forecast-tab.js").ShownForecast[]} forecasts whether shown or hidden
 * @param {{format: import("./series-format.js").SeriesFormat, confidence: number}} described
 * @param {LegendActions} actions of the legend, which has any where there are several forecasts
 *
 * @typedef {{onFocus: (model: string) => void, onToggle: (model: string) => void}} LegendActions
 */
export function legendOf(forecasts, { format, confidence }, actions) {
  if (forecasts.length === 0) return [];
  const { slot } = forecasts.find(({ isFocused }) => isFocused) ?? forecasts[0];
  const interval = legendEntry(`model-${slot + 1} area`, `${format.figures.percent(confidence)} interval`, "");
  if (forecasts.length > 1) return [...forecasts.map((forecast) => modelEntry(forecast, format, actions)), interval];
  const [{ response, notice }] = forecasts;
  return [legendEntry(`model-${slot + 1}`, ONLY, lastPeriodText(response, format), notice), interval];
}

/** The entry of one model of several. */
function modelEntry({ model, name, slot, response, notice, isHidden, isFocused }, format, { onFocus, onToggle }) {
  const entry = legendEntry(`model-${slot + 1}`, name, lastPeriodText(response, format), notice);
  entry.classList.toggle("dimmed", isHidden);
  const button = (id, text, onclick) =>
    create("button", { id: `${id}-${model}`, type: "button", className: "link", onclick }, text);
  const toggle = button("toggle", isHidden ? "Show" : "Hide", () => onToggle(model));
  const focus = button("focus", isFocused ? "Band filled" : "Fill band", () => onFocus(model));
  focus.disabled = isHidden;
  focus.setAttribute("aria-pressed", String(isFocused));
  focus.setAttribute("aria-label", `${focus.textContent}: ${name}`);
  toggle.setAttribute("aria-label", `${toggle.textContent} ${name}`);
  entry.append(create("span", { className: "actions" }, toggle, focus));
  return entry;
}

export function tableOf(forecasts, format, confidence) {
  return {
    caption: `Forecast with ${format.figures.percent(confidence)} intervals. Median: as likely too low as too high.`,
    first: "Period",
    groups: forecasts.map(({ name }) => (
      { name: forecasts.length > 1 ? name : ONLY, columns: ["Lower", "Median", "Upper"] }
    )),
    rows: forecasts[0].response.forecast_timestamps.map((timestamp, i) => [
      format.showDate(timestamp),
      ...forecasts.flatMap(({ response }) =>
        BOUNDS.map((bound) => format.figures.write(response[bound][i])),
      ),
    ]),
  };
}

/**
 * The history and behind it the forecasts, in the columns of POST /tables/forecast: the only forecast continues the
 * values, and each of several models has columns of its own.
 */
export function fileOf(forecasts, reading, format) {
  const { layout, names, columns } = reading.chosen;
  const isLong = layout === "long" || (layout === "pivot" && Boolean(names));
  const [naming, name] = isLong ? [[names ?? "series"], [reading.name]] : [[], []];
  const ofLong = layout === "long" && columns.length === 1 ? format.valueName : "";
  const value = (isLong ? ofLong : reading.name) || "value";
  const isOnly = forecasts.length === 1;
  const prefix = isLong ? "" : `${value}_`;
  const boundsOf = (of) => [`${of}lower_bound`, `${of}upper_bound`];
  const heads = isOnly ? boundsOf(prefix) : forecasts.flatMap((model) => [model.name, ...boundsOf(`${model.name}_`)]);
  const numbersAt = (i, { response }) => FILE_ORDER.map((column) => format.figures.round(response[column][i]));
  const unknown = heads.map(() => "");
  return {
    name: "forecast",
    columns: [...naming, format.dateName.includes(", ") ? "date" : format.dateName || "date", value, ...heads],
    rows: [
      ...reading.points.map((point) => [...name, format.writeDate(point.timestamp), point.value, ...unknown]),
      ...forecasts[0].response.forecast_timestamps.map((timestamp, i) => [
        ...name,
        format.writeDate(timestamp),
        ...(isOnly ? [] : [""]),
        ...forecasts.flatMap((forecast) => numbersAt(i, forecast)),
      ]),
    ],
  };
}
