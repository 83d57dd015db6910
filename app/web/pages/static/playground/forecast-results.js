// Forecasts in words and numbers: legend, table, file.

import { legendEntry } from "../charts/legend.js";
import { formatCivil } from "../civil.js";
import { create } from "../dom.js";
import { percent } from "../words.js";
import { BOUNDS, tellLast } from "./sentence.js";

/**
 * @param {import("./forecast-tab.js").ShownForecast[]} forecasts whether shown or hidden
 * @param {import("./about.js").About} about
 * @param {{onFocus: (model: string) => void, onToggle: (model: string) => void}} actions of the
 *     legend, which has any where there are several forecasts
 */
export function legendOf(forecasts, about, { onFocus, onToggle }) {
  const several = forecasts.length > 1;
  return forecasts.map((forecast) => {
    const { model, name, slot, response, notice, isHidden, isFocused } = forecast;
    const entry = legendEntry(`model-${slot + 1}`, name, tellLast(response, about), notice);
    if (!several) return entry;
    entry.classList.toggle("dimmed", isHidden);
    const button = (id, text, onclick) => create("button", { id: `${id}-${model}`, type: "button", className: "link", onclick }, text);
    const toggle = button("toggle", isHidden ? "Show" : "Hide", () => onToggle(model));
    const focus = button("focus", isFocused ? "Band filled" : "Fill band", () => onFocus(model));
    focus.disabled = isHidden;
    focus.setAttribute("aria-pressed", String(isFocused));
    focus.setAttribute("aria-label", `${focus.textContent}: ${name}`);
    toggle.setAttribute("aria-label", `${toggle.textContent} ${name}`);
    entry.append(create("span", { className: "actions" }, toggle, focus));
    return entry;
  });
}

export function tableOf(forecasts, about, confidence) {
  return {
    caption: `Forecast with ${percent(confidence)} intervals`,
    first: "Period",
    groups: forecasts.map(({ name }) => ({ name, columns: ["Lower", "Median", "Upper"] })),
    rows: forecasts[0].response.forecast_timestamps.map((timestamp, i) => [
      about.showDate(timestamp),
      ...forecasts.flatMap(({ response }) =>
        BOUNDS.map((bound) => about.figures.write(response[bound][i])),
      ),
    ]),
  };
}

/** The history and behind it the forecasts, one line a moment, dates as they are pasted. */
export function fileOf(forecasts, points, about) {
  const blank = forecasts.flatMap(() => BOUNDS.map(() => ""));
  const prefix = (name) => (forecasts.length > 1 ? `${name.toLowerCase()}_` : "");
  return {
    name: "forecast",
    columns: [
      "timestamp",
      about.valueName || "value",
      ...forecasts.flatMap(({ name }) => BOUNDS.map((bound) => prefix(name) + bound)),
    ],
    rows: [
      ...points.map(({ seconds, suffix, value }) => [
        about.writeDate(formatCivil(seconds) + suffix),
        value,
        ...blank,
      ]),
      ...forecasts[0].response.forecast_timestamps.map((timestamp, i) => [
        about.writeDate(timestamp),
        "",
        ...forecasts.flatMap(({ response }) =>
          BOUNDS.map((bound) => about.figures.round(response[bound][i])),
        ),
      ]),
    ],
  };
}
