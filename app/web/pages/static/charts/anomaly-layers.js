// A detection over the series: its band, flagged points, events and change points.

import { countOf, chanceText } from "../words.js";
import { AREA_OPACITY, NUMBER, toMoment, verticalLines } from "./traces.js";

/** The number of events that are named in the chart, the most severe ones. */
const NAMED_EVENTS = 12;
/** Pixels of a letter of a name, and of the space between two names. */
const [LETTER, SPACE] = [7, 8];
/** Space for names above and below the values, as a fraction of their height. */
const NAME_ROOM = 0.16;
/** An empty line between a name and its peak, for the mark. */
const [BREAK, BLANK] = ["<br>", "\u00a0"];

/**
 * What kinds of events are called, and what their spans and names are drawn in. Those about a limit are
 * hatched, in the colour of its line: no point of them need be flagged.
 *
 * @type {Record<string, {name: string, colour: (style: any) => string, isHatched?: boolean}>}
 */
export const KINDS = {
  spike: { name: "Spike", colour: ({ alarm }) => alarm },
  dip: { name: "Dip", colour: ({ alarm }) => alarm },
  burst: { name: "Burst", colour: ({ models }) => models[1] },
  level_shift: { name: "Level shift", colour: ({ models }) => models[3] },
  flat: { name: "Flat run", colour: ({ models }) => models[2] },
  limit_ahead: { name: "Limit ahead", colour: ({ alarm }) => alarm, isHatched: true },
  limit_reached: { name: "Limit reached", colour: ({ alarm }) => alarm, isHatched: true },
  overdue: { name: "Overdue", colour: ({ text }) => text },
};

/** `2 spikes, 1 level shift`. */
export function countKinds(events) {
  return Object.entries(KINDS)
    .map(([kind, { name }]) => [events.filter((event) => event.kind === kind).length, name])
    .filter(([count]) => count > 0)
    .map(([count, name]) => countOf(count, name.toLowerCase()))
    .join(", ");
}

/**
 * @typedef {object} DrawnDetection
 * @property {object} response of POST /anomalies
 * @property {import("./traces.js").DrawnPoint[]} points of the series
 * @property {number[]} values of the points that were judged: all of them or the last
 * @property {boolean[]} flagged
 * @property {number[]} lower
 * @property {number[]} upper
 * @property {boolean[]} [alerted] which points are of an alert; as `flagged` where nothing else is known
 */

/** Events and change points have their own axis, from 0 at the bottom to 1 at the top. */
const FULL_HEIGHT = { yaxis: "y2", hoverinfo: "skip" };
const BEHIND = { zorder: -1 };

/**
 * @param {object[]} events
 * @param {import("./traces.js").DrawnPoint[]} points all points of the chart, at least one
 * @returns {import("./chart.js").Layer} which lies behind the layers of the detection
 */
export function eventLayer(events, points) {
  const spans = events.map((event) => spanOf(event, points));
  return { room: spans.length > 0 ? NAME_ROOM : 0, traces: (_history, style) => drawSpans(spans, points, style) };
}

/**
 * The detection without its events.
 *
 * @param {DrawnDetection} judged
 * @returns {import("./chart.js").Layer[]} the last one is what lies in front
 */
export function anomalyLayers(judged) {
  const { response, points } = judged;
  return [
    { curve: bandCurve(judged), traces: (_history, style) => drawBand(judged, style) },
    { traces: (_history, style) => drawLevels(response.change_points, points, style) },
    { traces: (_history, style) => drawFlags(judged, style) },
  ];
}

function bandCurve({ points, lower, upper, response }) {
  const moments = points.slice(-lower.length).map(({ seconds }) => seconds * 1000);
  return { moments, values: response.expected, lower, upper };
}

/** The expected values and their band; for a single point a bar. */
function drawBand(judged, style) {
  const { moments, values, lower, upper } = bandCurve(judged);
  const p = judged.response.p_value;
  const expected = {
    ...BEHIND,
    x: moments,
    y: values,
    name: "Expected",
    mode: "lines",
    line: { color: style.accent, width: 1.2 },
    customdata: lower.map((low, i) => [low, upper[i], chanceText(p[i])]),
    hovertemplate:
      `%{y:${NUMBER}} (%{customdata[0]:${NUMBER}} to %{customdata[1]:${NUMBER}}), ` +
      "by chance %{customdata[2]}<extra>Expected</extra>",
  };
  if (moments.length === 1) {
    const [array, arrayminus] = [[upper[0] - values[0]], [values[0] - lower[0]]];
    const bar = { type: "data", symmetric: false, array, arrayminus, color: style.accent, width: 6 };
    return [{ ...expected, mode: "markers", marker: { color: style.accent, size: 7 }, error_y: bar }];
  }
  const edge = { ...BEHIND, x: moments, mode: "lines", line: { width: 0 }, hoverinfo: "skip" };
  return [
    { ...edge, y: lower, name: "Lower bound" },
    { ...edge, ...areaFill(style.accent), y: upper, name: "Upper bound", fill: "tonexty" },
    expected,
  ];
}

/** Flagged points as triangles, up above the band and down below it; hollow if not an alert. */
function drawFlags({ points, flagged, values, response, alerted = flagged }, style) {
  const indices = [...flagged.keys()].filter((i) => flagged[i]);
  const judged = points.slice(-flagged.length);
  return [
    {
      x: indices.map((i) => judged[i].seconds * 1000),
      y: indices.map((i) => values[i]),
      name: "Flagged",
      mode: "markers",
      marker: {
        color: indices.map((i) => (alerted[i] ? style.alarm : style.text)),
        size: 9,
        symbol: indices.map((i) => {
          const side = values[i] < response.expected[i] ? "down" : "up";
          return `triangle-${side}${alerted[i] ? "" : "-open"}`;
        }),
        line: { color: style.panel, width: 1 },
      },
      text: indices.map((i) => (alerted[i] ? "Flagged" : "Flagged, no alert")),
      hovertemplate: `%{y:${NUMBER}}<extra>%{text}</extra>`,
    },
  ];
}

function areaFill(colour) {
  return { fillcolor: colour + AREA_OPACITY };
}

function hatchFill(colour) {
  const lines = { shape: "/", size: 9, solidity: 0.12, fgcolor: colour, fgopacity: 0.6 };
  return { fillpattern: { ...lines, bgcolor: "rgba(0,0,0,0)" } };
}

/**
 * From half a step before an event's first point to half a step after its last. An event of a monitor
 * that is not an alert is quiet.
 */
function spanOf(event, points) {
  const { start, end, kind, severity, direction, is_alert: isAlert = true } = event;
  const steps = Math.max(1, points.length - 1);
  const half = ((points.at(-1).seconds - points[0].seconds) * 1000) / steps / 2;
  const [from, to] = [toMoment(start) - half, toMoment(end) + half];
  const peak = toMoment(event.peak_timestamp) / 1000;
  const mark = points.find(({ seconds }) => seconds >= peak) ?? points.at(-1);
  return { kind, severity, isQuiet: !isAlert, isDown: direction === "down", mark, from, to };
}

function drawSpans(spans, drawn, style) {
  const variants = Object.entries(KINDS).flatMap(([kind, drawing]) => [
    { ...drawing, kind, isQuiet: false },
    { ...drawing, kind, isQuiet: true, name: `${drawing.name}, no alert`, colour: ({ text }) => text },
  ]);
  const traces = variants.flatMap(({ kind, isQuiet, name, colour, isHatched }) => {
    const ofKind = spans.filter((span) => span.kind === kind && span.isQuiet === isQuiet);
    if (ofKind.length === 0) return [];
    const x = ofKind.flatMap(({ from, to }) => [from, from, to, to, null]);
    return [
      {
        ...FULL_HEIGHT,
        ...BEHIND,
        x,
        y: ofKind.flatMap(() => [0, 1, 1, 0, null]),
        name,
        meta: kind,
        mode: "lines",
        fill: "toself",
        ...(isHatched ? hatchFill(colour(style)) : areaFill(colour(style))),
        // Visible also for one point of a long series.
        line: { color: colour(style) + AREA_OPACITY, width: 2 },
      },
    ];
  });
  return [...traces, ...(spans.length > 0 ? [drawNames(spans, drawn, style)] : [])];
}

/** Names of the most severe events that do not overlap and are not cut at an edge. */
function drawNames(spans, drawn, style) {
  const [first, last] = [drawn[0], drawn.at(-1)].map(({ seconds }) => seconds);
  const placeOf = (span) => {
    const x = (style.width * (span.mark.seconds - first)) / Math.max(1, last - first);
    const width = KINDS[span.kind].name.length * LETTER;
    if (x < width) return { side: "right", from: x, to: x + width };
    if (x > style.width - width) return { side: "left", from: x - width, to: x };
    return { side: "center", from: x - width / 2, to: x + width / 2 };
  };
  const named = [];
  for (const span of spans.toSorted((a, b) => b.severity - a.severity)) {
    const { side, from, to } = placeOf(span);
    const isFree = named.every((other) => from > other.to + SPACE || to < other.from - SPACE);
    if (!span.isQuiet && isFree && named.length < NAMED_EVENTS) named.push({ ...span, side, from, to });
  }
  return {
    x: named.map(({ mark }) => mark.seconds * 1000),
    y: named.map(({ mark }) => mark.value),
    name: "Events",
    mode: "text",
    cliponaxis: false,
    hoverinfo: "skip",
    text: named.map(({ kind, isDown }) => {
      const lines = [KINDS[kind].name, BLANK];
      return (isDown ? lines.reverse() : lines).join(BREAK);
    }),
    textposition: named.map(({ isDown, side }) => `${isDown ? "bottom" : "top"} ${side}`),
    textfont: { color: named.map(({ kind }) => KINDS[kind].colour(style)), size: 11.5 },
  };
}

/** A line at each change of the level, and the levels before and after it. */
function drawLevels(changes, points, style) {
  if (changes.length === 0) return [];
  const moments = changes.map(({ timestamp }) => toMoment(timestamp));
  const ends = [points[0], points.at(-1)].map(({ seconds }) => seconds * 1000);
  const borders = [ends[0], ...moments, ends[1]];
  const colour = style.models[3];
  const levels = changes.flatMap(({ before, after }, i) => [
    { from: borders[i], to: borders[i + 1], level: before },
    { from: borders[i + 1], to: borders[i + 2], level: after },
  ]);
  return [
    verticalLines(moments, { name: "Change points", line: { color: colour, width: 1.6, dash: "dash" } }),
    {
      x: levels.flatMap(({ from, to }) => [from, to, null]),
      y: levels.flatMap(({ level }) => [level, level, null]),
      name: "Level",
      mode: "lines",
      line: { color: colour, width: 1.8 },
      hoverinfo: "skip",
    },
  ];
}
