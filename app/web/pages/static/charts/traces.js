// A series and its frame as Plotly wants them.

import { formatCivil } from "../civil.js";

const MARKED_POINTS = 150;
const MAX_NAME_LENGTH = 40;
/** The minimum width of a chart in pixels whose axis has numbers such as 10,000,000,000. */
const MIN_WHOLE_WIDTH = 600;
/** The opacity of an area, appended to its colour, #rrggbb. */
export const AREA_OPACITY = "29";
export const NUMBER = ",.6~r";

/**
 * @typedef {object} DrawnPoint
 * @property {number} seconds civil time
 * @property {number} value
 *
 * @typedef {object} NumberFormat
 * @property {string} hover Plotly's format of a value, without its unit
 * @property {string} separators of decimals and of thousands, as Plotly takes them
 * @property {string} before unit in front of a value
 * @property {string} after unit behind it
 * @property {boolean} [isWhole] whether the axis has numbers in full where there is room
 *
 * @typedef {object} Curve
 * @property {number[]} moments in milliseconds of civil time
 * @property {(number|null)[]} values
 * @property {(number|null)[]} lower
 * @property {(number|null)[]} upper
 */

/**
 * The history; where entries are missing the line breaks.
 *
 * @returns {Curve}
 */
export function historyCurve({ points, gaps = [] }) {
  const [moments, values] = [[], []];
  let next = 0;
  for (const { seconds, value } of points) {
    while (next < gaps.length && gaps[next] < seconds) {
      moments.push(gaps[next] * 1000);
      values.push(null);
      next += 1;
    }
    moments.push(seconds * 1000);
    values.push(value);
  }
  return { moments, values, lower: values, upper: values };
}

/**
 * A forecast.
 *
 * @param {string[]} timestamps
 * @param {{median: number[], lower_bound: number[], upper_bound: number[]}} columns of the response
 * @returns {Curve}
 */
export function curveOf(timestamps, { median, lower_bound: lower, upper_bound: upper }) {
  return { moments: timestamps.map(toMoment), values: median, lower, upper };
}

/** Lines over the whole height of the chart, independent of the values. */
export function verticalLines(moments, options) {
  const [x, y] = [moments.flatMap((moment) => [moment, moment, null]), moments.flatMap(() => [0, 1, null])];
  return { x, y, yaxis: "y2", mode: "lines", hoverinfo: "skip", ...options };
}

export function drawHistory({ moments, values }, style) {
  const { before, hover, after } = style.figures;
  return {
    x: moments,
    y: values,
    name: "History",
    mode: values.length < MARKED_POINTS ? "lines+markers" : "lines",
    line: { color: style.strong, width: 1.6 },
    marker: { size: 3.5 },
    hovertemplate: `${before}%{y:${hover}}${after}<extra>History</extra>`,
  };
}

/** The default number format under the pointer. */
export const PLAIN_FIGURES = { before: "", hover: NUMBER, separators: ".,", after: "" };

export function layout(style, view, heights, valueName) {
  const axis = {
    gridcolor: style.grid,
    linecolor: style.grid,
    zeroline: false,
    automargin: true,
    tickfont: { color: style.text },
  };
  return {
    autosize: true,
    margin: { l: 8, r: 12, t: 8, b: 8 },
    paper_bgcolor: style.panel, // which a picture of the chart has too
    plot_bgcolor: "rgba(0,0,0,0)",
    font: { family: style.font, size: 12.5, color: style.text },
    separators: style.figures.separators,
    showlegend: false,
    hovermode: "x unified",
    hoverlabel: { bgcolor: style.panel, bordercolor: style.grid, font: { color: style.strong } },
    // A finger scrolls the page; the buttons zoom.
    dragmode: style.isCoarse ? false : "zoom",
    xaxis: {
      ...axis,
      type: "date",
      range: view.map(toText),
      showspikes: true,
      spikemode: "across",
      spikethickness: 1,
      spikedash: "solid",
      spikecolor: style.text,
    },
    yaxis: {
      ...axis,
      title: { text: asText(valueName), standoff: 10, font: { size: 12.5, color: style.text } },
      fixedrange: true,
      exponentformat: exponentFormat(heights, style),
      minexponent: 4, // from 1e5 on and below 1e-4
      separatethousands: true,
      ticksuffix: style.figures.after.trim() === "%" ? style.figures.after : "",
      ...(heights ? { range: heights } : { autorange: true }),
    },
    // For shapes as high as the picture, independent of the values.
    yaxis2: { overlaying: "y", range: [0, 1], visible: false, fixedrange: true },
  };
}

/** A name for Plotly, which interprets some tags and entities. */
function asText(name) {
  const short = name.length > MAX_NAME_LENGTH ? `${name.slice(0, MAX_NAME_LENGTH)}…` : name;
  return short.replaceAll("&", "&amp;").replaceAll("<", "&lt;");
}

/**
 * How ticks are written: 120k, in full with `isWhole` where there is room, and as 1e+15 where Plotly's
 * superscript would be an inline style.
 */
export function exponentFormat(heights, { width, figures: { isWhole = false } }) {
  const magnitude = Math.max(...(heights ?? [1]).map(Math.abs));
  return magnitude > 1e-15 && magnitude < 9e14 ? (isWhole && width >= MIN_WHOLE_WIDTH ? "none" : "SI") : "e";
}

/** Milliseconds of civil time, from timestamps of the service, or of Plotly, which may be shorter. */
export function toMoment(text) {
  const [date, time = ""] = String(text).split(/[T ]/);
  return Date.parse(`${date}T${time.slice(0, 8).padEnd(8, "00:00:00".slice(time.length))}Z`);
}

/** As Plotly reads moments. */
export function toText(moment) {
  return formatCivil(Math.round(moment / 1000));
}
