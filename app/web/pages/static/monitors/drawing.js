// The points of a monitor as the chart draws them.

import { anomalyLayers } from "../playground/anomaly-layers.js";
import { countKinds, countOf } from "../playground/event-list.js";
import { describeRate } from "../playground/rates.js";
import { legendEntry } from "../playground/results.js";
import { NUMBER, toMoment } from "../playground/traces.js";

const NEAR_POINTS = 60;
/** Points that were not judged, told apart by their shape. */
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
 * @typedef {object} Watched a monitor as it is drawn
 * @property {object} monitor of GET /monitors
 * @property {object[]} points of GET /monitors/{name}/points, the oldest first
 * @property {object[]} events of GET /monitors/{name}/events
 */

/** @param {Watched} watched */
export function drawingOf({ monitor, points, events }) {
  const shown = points.map(toPoint);
  const within = eventsWithin(points, events);
  const drawn = within.map((event) => ({ ...event, end: endOf(event, points) }));
  const bands = judgedRuns(points).map((run, i) => judgedOf(run, i === 0 ? drawn : []));
  const layersOf = (band) => anomalyLayers(band, shown);
  return {
    points: shown,
    series: monitor.name,
    gaps: gapsOf(points, shown),
    layers: [...bands.flatMap(layersOf), ...unjudgedLayers(points)],
    recent: NEAR_POINTS,
    pivot: 1,
  };
}

/** Points that were judged, in runs: learning anew breaks the band. */
function judgedRuns(points) {
  const runs = [[]];
  for (const point of points) {
    if (point.status === "judged") runs.at(-1).push(point);
    else if (point.status === "learning" && runs.at(-1).length > 0) runs.push([]);
  }
  return runs.filter((run) => run.length > 0);
}

function judgedOf(run, events) {
  const column = (name) => run.map((point) => point[name]);
  return {
    points: run.map(toPoint),
    values: column("value"),
    flagged: column("is_anomaly"),
    lower: column("lower_bound"),
    upper: column("upper_bound"),
    response: {
      expected: column("expected"),
      p_value: column("p_value"),
      events,
      change_points: [],
    },
  };
}

/** Events of which some lies where points are shown. */
export function eventsWithin(points, events) {
  return events.filter((event) => points.length > 0 && endOf(event, points) >= points[0].timestamp);
}

/** @param {Watched} watched */
export function legendOf({ monitor, points, events }) {
  const count = (test) => points.filter(test).length;
  const flagged = count((point) => point.is_anomaly);
  const within = eventsWithin(points, events);
  const unjudged = Object.entries(UNJUDGED).map(([status, { name, why }]) => {
    const found = count((point) => point.status === status);
    return found > 0 && legendEntry(status, name, countOf(found, "point") + why);
  });
  return [
    legendEntry("history", "Values", `the last ${countOf(points.length, "point")}`),
    legendEntry("band", "Expected, in its band", describeRate(monitor.false_alarm_rate)),
    legendEntry("flag", "Flagged", countOf(flagged, "point")),
    ...unjudged.filter(Boolean),
    ...(within.length > 0 ? [legendEntry("event", "Events", describeEvents(within))] : []),
  ];
}

/** `2 spikes, 1 dip; 1 alert`. */
function describeEvents(events) {
  const alerts = events.filter((event) => event.is_alert).length;
  return `${countKinds(events)}; ${countOf(alerts, "alert")}`;
}

/** Where an event ends; one that is open, at the newest point. */
function endOf({ start, end }, points) {
  const newest = points.at(-1).timestamp;
  return end ?? (start > newest ? start : newest);
}

function toPoint({ timestamp, value }) {
  return { seconds: toMoment(timestamp) / 1000, suffix: "", value };
}

/** The line breaks where points are missing: cursors count the steps. */
function gapsOf(points, shown) {
  return points.slice(1).flatMap(({ cursor }, i) => {
    const isGap = cursor - points[i].cursor > 1;
    return isGap ? [(shown[i].seconds + shown[i + 1].seconds) / 2] : [];
  });
}

function unjudgedLayers(points) {
  return Object.entries(UNJUDGED).map(([status, { name, marker }]) => {
    const found = points.filter((point) => point.status === status);
    return {
      traces: (_history, style) => [
        {
          x: found.map(({ timestamp }) => toMoment(timestamp)),
          y: found.map(({ value }) => value),
          name,
          mode: "markers",
          marker: marker(style),
          hovertemplate: `%{y:${NUMBER}}<extra>${name}</extra>`,
        },
      ],
    };
  });
}
