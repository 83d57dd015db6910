// The drawing and the legend of a monitor's chart.

import { anomalyLayers, countKinds, eventLayer } from "../charts/anomaly-layers.js";
import { forecastLayer } from "../charts/forecast-layer.js";
import { legendEntry } from "../charts/legend.js";
import { NUMBER, PLAIN_FIGURES, toMoment } from "../charts/traces.js";
import { countOf, describeRate, formatNumber } from "../words.js";

/** Points that the button "Recent" shows. */
const RECENT_POINTS = 60;
/** Ranges of the values that the axis may give to the band above and below them. */
const MAX_BAND_RANGES = 3;
/** Statuses of points without a verdict: each has a marker with a shape of its own. */
const UNJUDGED = {
  learning: {
    name: "Learning",
    why: ", not judged yet",
    marker: ({ text }) => ({ color: text, size: 6, symbol: "circle-open" }),
  },
  late: {
    name: "Late",
    why: " that came after newer ones, not judged",
    marker: ({ models }) => ({ color: models[1], size: 8, symbol: "diamond-open" }),
  },
};

/**
 * @typedef {object} ChartData
 * @property {number} false_alarm_rate
 * @property {object[]} points as in GET /monitors/{name}/points, oldest first
 * @property {object[]} events as in GET /monitors/{name}/events
 * @property {any} forecast as GET /monitors/{name}/forecast; empty without a limit
 */

/** @param {ChartData} data */
export function drawingOf({ points, events, forecast }) {
  const drawn = points.map(toPoint);
  const closed = eventsWithin(points, events).map((event) => ({ ...event, end: endOf(event, points) }));
  const bands = judgedRuns(points).map((run) => judgedOf(run, events));
  return {
    points: drawn,
    series: "monitor",
    figures: { ...PLAIN_FIGURES, isWhole: true }, // as in the texts of the page
    gaps: gapsOf(points, drawn),
    layers: [
      { ...eventLayer(closed, drawn), curve: curveToEnd(closed) },
      ...bands.flatMap(anomalyLayers).map(withoutWideBands(points)),
      ...unjudgedLayers(points),
      ...forecastLayers(points, forecast),
    ],
    recent: RECENT_POINTS,
    pivot: 1,
  };
}

/** A curve without values up to the latest end of events: an overdue one starts after the newest point. */
function curveToEnd(events) {
  const moments = events.map(({ end }) => toMoment(end)).sort((a, b) => a - b).slice(-1);
  const values = moments.map(() => null);
  return { moments, values, lower: values, upper: values };
}

/**
 * Let the axis follow the values and the width that the band usually has of late: that of the first
 * days may be hundreds of times as wide.
 */
function withoutWideBands(points) {
  const values = points.map(({ value }) => value);
  const [min, max] = [Math.min(...values), Math.max(...values)];
  const widths = points
    .filter(({ status }) => status === "judged")
    .slice(-RECENT_POINTS)
    .map(({ lower_bound: lower, upper_bound: upper }) => upper - lower)
    .sort((a, b) => a - b);
  const typical = widths[Math.floor(widths.length / 2)] ?? 0;
  const room = Math.min(typical, MAX_BAND_RANGES * (max - min) || typical);
  return (layer) => {
    if (!layer.curve) return layer;
    const lower = layer.curve.lower.map((bound) => Math.max(bound, min - room));
    const upper = layer.curve.upper.map((bound) => Math.min(bound, max + room));
    return { ...layer, curve: { ...layer.curve, lower, upper } };
  };
}

/** Runs of judged points; the band is interrupted where the monitor has learned again. */
function judgedRuns(points) {
  const runs = [[]];
  for (const point of points) {
    if (point.status === "judged") runs.at(-1).push(point);
    else if (point.status === "learning" && runs.at(-1).length > 0) runs.push([]);
  }
  return runs.filter((run) => run.length > 0);
}

/** The detection of a run; points are alerted if an alert of `events` contains them. */
function judgedOf(run, events) {
  const column = (name) => run.map((point) => point[name]);
  return {
    points: run.map(toPoint),
    values: column("value"),
    flagged: column("is_anomaly"),
    alerted: run.map((point) => isInAlert(point, events)),
    lower: column("lower_bound"),
    upper: column("upper_bound"),
    response: {
      expected: column("expected"),
      p_value: column("p_value"),
      change_points: [],
    },
  };
}

/** Whether a point is within an alert about values. */
function isInAlert({ timestamp }, events) {
  return events.some(
    ({ kind, start, end, is_alert: isAlert }) =>
      isAlert && !kind.startsWith("limit_") && start <= timestamp && (end === null || timestamp <= end),
  );
}

/** Events that overlap the points. */
function eventsWithin(points, events) {
  return events.filter((event) => points.length > 0 && endOf(event, points) >= points[0].timestamp);
}

/** @param {ChartData} data */
export function legendOf({ false_alarm_rate: rate, points, events, forecast }) {
  const count = (test) => points.filter(test).length;
  const flagged = count((point) => point.is_anomaly);
  const alerted = count((point) => point.is_anomaly && isInAlert(point, events));
  const within = eventsWithin(points, events);
  const unjudged = Object.entries(UNJUDGED).map(([status, { name, why }]) => {
    const number = count((point) => point.status === status);
    return number > 0 && legendEntry(status, name, countOf(number, "point") + why);
  });
  const flags = [
    legendEntry("flag", alerted ? "Flagged, alert" : "Flagged", countOf(alerted, "point")),
    legendEntry("quiet", "Flagged, no alert", countOf(flagged - alerted, "point")),
  ].filter((_entry, i) => [alerted > 0 || flagged === 0, flagged > alerted][i]);
  return [
    legendEntry("history", "Values", `the last ${countOf(points.length, "point")}`),
    legendEntry("band", "Expected, in its band", describeRate(rate)),
    ...flags,
    ...unjudged.filter(Boolean),
    ...(within.length > 0 ? [legendEntry("event", "Events", describeEvents(within))] : []),
    ...(forecast.limit ? [describeForecast(forecast)] : []),
  ];
}

/** `Forecast from 2027-01-01 02:00`: `above 95 from 2027-01-03 04:00, probability 92 %`, as the event says. */
function describeForecast({ limit, reached, forecast_timestamps: [first] }) {
  const sides = Object.entries(reached).filter(([, side]) => side !== null);
  const text = sides
    .map(([name, { p50, probability }]) => {
      const beyond = `${name === "upper" ? "above" : "below"} ${formatNumber(limit[name])}`;
      const from = p50 ? ` from ${shortTime(p50)}` : "";
      return `${beyond}${from}, probability ${Math.round(100 * probability)} %`;
    })
    .join("; ");
  return legendEntry("model-1", `Forecast from ${shortTime(first)}`, text);
}

function shortTime(timestamp) {
  return timestamp.slice(0, 16).replace("T", " ");
}

/** The forecast of a monitor with a limit, and a line at the limit. */
function forecastLayers(points, forecast) {
  if (!forecast.limit) return [];
  const model = { name: "Forecast", model: "forecast", slot: 0, response: forecast };
  const moments = [points[0].timestamp, forecast.forecast_timestamps.at(-1)].map(toMoment);
  const limits = [forecast.limit.upper, forecast.limit.lower].filter((limit) => limit !== null);
  return [
    forecastLayer({ ...model, isFocused: true }),
    ...limits.map((limit) => limitLayer(moments, limit)),
  ];
}

function limitLayer(moments, limit) {
  const values = moments.map(() => limit);
  return {
    curve: { moments, values, lower: values, upper: values },
    traces: (_history, style) => [
      {
        x: moments,
        y: values,
        name: "Limit",
        mode: "lines",
        line: { color: style.alarm, width: 1.2, dash: "dash" },
        hovertemplate: `%{y:${NUMBER}}<extra>Limit</extra>`,
      },
    ],
  };
}

/** `2 spikes, 1 dip; 1 alert`. */
function describeEvents(events) {
  const alerts = events.filter((event) => event.is_alert).length;
  return `${countKinds(events)}; ${countOf(alerts, "alert")}`;
}

/** The end of an event; an open event ends at the newest point. */
function endOf({ start, end }, points) {
  const newest = points.at(-1).timestamp;
  return end ?? (start > newest ? start : newest);
}

function toPoint({ timestamp, value }) {
  return { seconds: toMoment(timestamp) / 1000, timestamp, sent: timestamp, value };
}

/** Moments of missing points, where the line breaks; cursors count steps. */
function gapsOf(points, drawn) {
  return points.slice(1).flatMap(({ cursor }, i) => {
    const isGap = cursor - points[i].cursor > 1;
    return isGap ? [(drawn[i].seconds + drawn[i + 1].seconds) / 2] : [];
  });
}

function unjudgedLayers(points) {
  return Object.entries(UNJUDGED).map(([status, { name, marker }]) => {
    const unjudged = points.filter((point) => point.status === status);
    return {
      traces: (_history, style) => [
        {
          x: unjudged.map(({ timestamp }) => toMoment(timestamp)),
          y: unjudged.map(({ value }) => value),
          name,
          mode: "markers",
          marker: marker(style),
          hovertemplate: `%{y:${NUMBER}}<extra>${name}</extra>`,
        },
      ],
    };
  });
}
