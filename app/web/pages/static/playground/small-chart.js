// A small chart of a series and its forecast: lines without axes.

import { curveOf, historyCurve } from "../charts/traces.js";

const SVG = "http://www.w3.org/2000/svg";
const [WIDTH, HEIGHT, EDGE] = [240, 72, 4];

/**
 * Draw into an SVG element.
 *
 * @param {SVGElement} svg
 * @param {{points: import("./reading.js").Point[], gaps: number[]}} series
 * @param {object|null} forecast response of POST /forecast
 */
export function drawSmallChart(svg, series, forecast) {
  const history = historyCurve(series);
  const ahead = forecast && curveOf(forecast.forecast_timestamps, forecast);
  const { x, y } = createScales([history, ...(ahead ? [ahead] : [])]);
  svg.setAttribute("viewBox", `0 0 ${WIDTH} ${HEIGHT}`);
  svg.setAttribute("preserveAspectRatio", "none");
  svg.replaceChildren(linePath("past", history.moments, history.values, x, y));
  if (!ahead) return;
  const last = history.moments.length - 1;
  const [moments, values] = [[history.moments[last], ...ahead.moments], [history.values[last], ...ahead.values]];
  const around = [...ahead.moments.keys()].reverse();
  const there = linePath("", ahead.moments, ahead.upper, x, y).getAttribute("d");
  const back = around.map((i) => `L${x(ahead.moments[i])} ${y(ahead.lower[i])}`).join("");
  svg.append(pathElement("area", `${there}${back}Z`), linePath("ahead", moments, values, x, y));
}

/** The scales from moments and values to coordinates; a constant is in the middle. */
function createScales(curves) {
  const all = (names) => curves.flatMap((curve) => names.flatMap((name) => curve[name])).filter(Number.isFinite);
  const scale = (numbers, from, to) => {
    const [low, high] = numbers.reduce(([a, b], c) => [Math.min(a, c), Math.max(b, c)], [Infinity, -Infinity]);
    return (number) => {
      const fraction = high > low ? (number / 2 - low / 2) / (high / 2 - low / 2) : 0.5;
      return Number((from + fraction * (to - from)).toFixed(1));
    };
  };
  return {
    x: scale(all(["moments"]), 0, WIDTH),
    y: scale(all(["values", "lower", "upper"]), HEIGHT - EDGE, EDGE),
  };
}

/** A line, which breaks where there is no value. */
function linePath(name, moments, values, x, y) {
  let isBroken = true;
  const steps = moments.map((moment, i) => {
    if (values[i] === null) {
      isBroken = true;
      return "";
    }
    const step = `${isBroken ? "M" : "L"}${x(moment)} ${y(values[i])}`;
    isBroken = false;
    return step;
  });
  return pathElement(name, steps.join(""));
}

function pathElement(name, d) {
  const made = document.createElementNS(SVG, "path");
  made.setAttribute("class", name);
  made.setAttribute("d", d);
  return made;
}
