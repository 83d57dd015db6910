// Series and forecasts as Plotly wants them.

import { formatCivil } from "./civil.js";

/** One a model, beside its colour: a line is told from another without seeing colours. */
export const DASHES = ["solid", "dash", "dot", "dashdot"];
const MARKED_POINTS = 150;
const INTERVAL_OPACITY = "29"; // of 0xff
const NUMBER = ",.6~g";

/**
 * The history; where entries are missing the line breaks.
 *
 * @typedef {object} Curve
 * @property {number[]} moments in milliseconds of civil time
 * @property {(number|null)[]} values
 * @property {(number|null)[]} lower
 * @property {(number|null)[]} upper
 */
export function historyCurve({ points, spacing }) {
  const holes = new Map((spacing?.holes ?? []).map((hole) => [hole.after, hole]));
  const [moments, values] = [[], []];
  let entry = -1;
  points.forEach((point, i) => {
    if (i === 0 || point.seconds !== points[i - 1].seconds) entry += 1;
    moments.push(point.seconds * 1000);
    values.push(point.value);
    if (holes.has(entry) && points[i + 1]?.seconds !== point.seconds) {
      moments.push(holes.get(entry).moment(0) * 1000);
      values.push(null);
    }
  });
  return { moments, values, lower: values, upper: values };
}

export function forecastCurve({ model, slot, answer }) {
  return {
    model,
    slot,
    moments: answer.forecast_timestamps.map(toMoment),
    values: answer.median,
    lower: answer.lower_bound,
    upper: answer.upper_bound,
  };
}

export function drawHistory({ moments, values }, style) {
  return {
    x: moments.map(toText),
    y: values,
    name: "History",
    mode: values.length < MARKED_POINTS ? "lines+markers" : "lines",
    line: { color: style.strong, width: 1.6 },
    marker: { size: 3.5 },
    hovertemplate: `%{y:${NUMBER}}<extra>History</extra>`,
  };
}

/** The interval as an area, a thin line from the last value, and the median. */
export function drawForecast({ model, slot, moments, values, lower, upper }, history, style) {
  const colour = style.colours[slot];
  const x = moments.map(toText);
  const quiet = { hoverinfo: "skip", line: { width: 0 }, mode: "lines", meta: model };
  const last = history.values.length - 1;
  return [
    { ...quiet, x, y: lower, name: `${model} lower` },
    { ...quiet, x, y: upper, name: `${model} upper`, fill: "tonexty", fillcolor: colour + INTERVAL_OPACITY },
    {
      ...quiet,
      x: [toText(history.moments[last]), x[0]],
      y: [history.values[last], values[0]],
      name: `${model} joint`,
      line: { color: colour, width: 1, dash: "dot" },
    },
    {
      x,
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

export function layout(style, view, heights) {
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
    paper_bgcolor: "rgba(0,0,0,0)",
    plot_bgcolor: "rgba(0,0,0,0)",
    font: { family: style.font, size: 12.5, color: style.text },
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
      fixedrange: true,
      exponentformat: exponentFormat(heights),
      minexponent: 4, // from 1e5 on and below 1e-4
      separatethousands: true,
      ...(heights ? { range: heights } : { autorange: true }),
    },
  };
}

/** How ticks are written: 120k, and as 1e+15 where Plotly's superscript would be an inline style. */
export function exponentFormat(heights) {
  const magnitude = Math.max(...(heights ?? [1]).map(Math.abs));
  return magnitude > 1e-15 && magnitude < 9e14 ? "SI" : "e";
}

/** Milliseconds of civil time, from the service's texts and from Plotly's, which may be shorter. */
export function toMoment(text) {
  const [date, time = ""] = String(text).split(/[T ]/);
  return Date.parse(`${date}T${time.slice(0, 8).padEnd(8, "00:00:00".slice(time.length))}Z`);
}

/** As Plotly reads moments. */
export function toText(moment) {
  return formatCivil(Math.round(moment / 1000));
}
