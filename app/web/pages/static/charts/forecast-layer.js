// A forecast over the history: its median, its interval, and where it starts.

import { AREA_OPACITY, curveOf, verticalLines } from "./traces.js";

/** One for each model, so that lines can be distinguished without colours. */
const DASHES = ["solid", "dash", "dot", "dashdot", "longdash"];

/**
 * @typedef {object} DrawnForecast
 * @property {string} model
 * @property {string} name of the model
 * @property {number} slot picks its colour
 * @property {object} response of POST /forecast
 * @property {boolean} isFocused whether its interval is filled
 */

/**
 * Draw a forecast. The interval of the focused one is filled. Others are outlined: areas would cover each other.
 *
 * @param {DrawnForecast} forecast
 * @returns {import("./chart.js").Layer}
 */
export function forecastLayer({ name, model, slot, response, isFocused }) {
  const curve = curveOf(response.forecast_timestamps, response);
  const dash = DASHES[slot];
  const draw = (history, style) => {
    const colour = style.models[slot];
    const median = drawMedian(curve, { name, colour, dash, figures: style.figures });
    return [
      ...drawInterval(curve, { name, colour, dash, isFilled: isFocused }),
      drawJoint(curve, history, { name, colour }),
      { ...median, meta: model, mode: "lines+markers", marker: { size: 4 } },
    ];
  };
  return { curve, traces: draw };
}

/** The interval, as an area or by its outline. */
export function drawInterval({ moments, lower, upper }, { name, colour, dash, isFilled }) {
  const edge = {
    x: moments,
    hoverinfo: "skip",
    mode: "lines",
    zorder: -1, // the history stays clear
    line: isFilled ? { width: 0 } : { color: colour, width: 1, dash },
  };
  const area = isFilled ? { fill: "tonexty", fillcolor: colour + AREA_OPACITY } : {};
  return [
    { ...edge, y: lower, name: `${name} lower` },
    { ...edge, ...area, y: upper, name: `${name} upper` },
  ];
}

export function drawMedian({ moments, values, lower, upper }, { name, colour, dash, figures }) {
  const { before, hover, after } = figures;
  const written = (value) => `${before}%{${value}:${hover}}${after}`;
  return {
    x: moments,
    y: values,
    name,
    mode: "lines",
    line: { color: colour, width: 2.2, dash },
    customdata: lower.map((low, i) => [low, upper[i]]),
    hovertemplate:
      `${written("y")} (${written("customdata[0]")} to ${written("customdata[1]")})` +
      `<extra>${name}</extra>`,
  };
}

/** A thin line to the forecast from the last value before it. */
function drawJoint({ moments, values }, history, { name, colour }) {
  const last = history.moments.findLastIndex((moment, i) => moment < moments[0] && history.values[i] !== null);
  return {
    x: [history.moments[last], moments[0]],
    y: [history.values[last], values[0]],
    name: `${name} joint`,
    mode: "lines",
    hoverinfo: "skip",
    line: { color: colour, width: 1, dash: "dot" },
  };
}

/**
 * Lines over the whole height at moments where forecasts start.
 *
 * @param {number[]} moments
 * @returns {import("./chart.js").Layer}
 */
export function startLayer(moments) {
  const line = ({ text }) => ({ color: text, width: 1, dash: "dot" });
  return { traces: (_history, style) => [verticalLines(moments, { name: "Start", zorder: -1, line: line(style) })] };
}
