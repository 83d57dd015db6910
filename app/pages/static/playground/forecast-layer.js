// A forecast over the history: its median in its interval.

import { AREA_OPACITY, NUMBER, toMoment } from "./traces.js";

/** One a model, beside its colour: a line is told from another without seeing colours. */
const DASHES = ["solid", "dash", "dot", "dashdot"];

/**
 * @param {{model: string, slot: number, answer: object}} forecast `slot` picks the colour
 * @returns {import("./chart.js").Layer}
 */
export function forecastLayer({ model, slot, answer }) {
  const curve = {
    moments: answer.forecast_timestamps.map(toMoment),
    values: answer.median,
    lower: answer.lower_bound,
    upper: answer.upper_bound,
  };
  return { curve, traces: (history, style) => draw(model, slot, curve, history, style) };
}

/** The interval as an area, a thin line from the last value, and the median. */
function draw(model, slot, { moments, values, lower, upper }, history, style) {
  const colour = style.models[slot];
  const quiet = { hoverinfo: "skip", line: { width: 0 }, mode: "lines", meta: model };
  const area = { fill: "tonexty", fillcolor: colour + AREA_OPACITY };
  const last = history.values.length - 1;
  return [
    { ...quiet, x: moments, y: lower, name: `${model} lower` },
    { ...quiet, ...area, x: moments, y: upper, name: `${model} upper` },
    {
      ...quiet,
      x: [history.moments[last], moments[0]],
      y: [history.values[last], values[0]],
      name: `${model} joint`,
      line: { color: colour, width: 1, dash: "dot" },
    },
    {
      x: moments,
      y: values,
      name: model,
      meta: model,
      mode: "lines+markers",
      line: { color: colour, width: 2.2, dash: DASHES[slot] },
      marker: { size: 4 },
      customdata: lower.map((low, i) => [low, upper[i]]),
      hovertemplate:
        `%{y:${NUMBER}} (%{customdata[0]:${NUMBER}} to %{customdata[1]:${NUMBER}})` +
        `<extra>${model}</extra>`,
    },
  ];
}
