// Several series added up, date by date; they need not have the same dates.

import { filled } from "./fill.js";
import { combine, findRepeats } from "./points.js";

/**
 * @typedef {object} Lack a date that some series have and others lack
 * @property {number} seconds
 * @property {string[]} names of those that lack it
 */

/** Points of the same series and the same moment, in groups of two or more. */
export function findRepeatsWithin(points) {
  return [...bySeries(points).values()].flatMap(findRepeats);
}

/**
 * Add series up: only dates that all of them have, unless what some lack is filled, each by itself.
 *
 * Before its first value a filled series counts as zero; after its last one that value is repeated, but for
 * "zero".
 *
 * @param {import("../reading.js").Point[]} points in order, each with the name of its `series`
 * @param {"sum"|"mean"|"last"} repeats what is made of points of one series and one date
 * @param {"linear"|"previous"|"zero"|""} fill
 * @param {number} most dates, the newest of them
 * @returns {{kept: import("../reading.js").Point[], lacking: Lack[], dropped: number}}
 */
export function addUp(points, { repeats, fill, most }) {
  const series = [...bySeries(points)].map(([name, own]) => [name, combine(own, repeats)]);
  const all = [...new Set(points.map(({ seconds }) => seconds))];
  const dates = all.slice(-most);
  const lacks = new Map();
  const added = series.flatMap(([name, own]) => {
    const has = new Set(own.map(({ seconds }) => seconds));
    const without = dates.filter((seconds) => !has.has(seconds));
    for (const seconds of without) {
      if (!lacks.has(seconds)) lacks.set(seconds, []);
      lacks.get(seconds).push(name);
    }
    return fill ? fillAt(without, own, fill) : [];
  });
  const wanted = new Set(fill ? dates : dates.filter((seconds) => !lacks.has(seconds)));
  const own = series.flatMap(([, each]) => each);
  const kept = [...added, ...own].filter(({ seconds }) => wanted.has(seconds));
  kept.sort((a, b) => a.seconds - b.seconds || a.line - b.line);
  const lacking = [...lacks].map(([seconds, names]) => ({ seconds, names }));
  return {
    kept: combine(kept, "sum"),
    lacking: lacking.sort((a, b) => a.seconds - b.seconds),
    dropped: all.length - dates.length,
  };
}

/** Points at `dates`, which the series lacks. */
function fillAt(dates, own, how) {
  let next = 0;
  return dates.map((seconds) => {
    while (next < own.length && own[next].seconds < seconds) next += 1;
    const [before, after] = [own[next - 1], own[next]];
    const share = before && after ? (seconds - before.seconds) / (after.seconds - before.seconds) : 0;
    const value = before ? filled(how, before.value, (after ?? before).value, share) : 0;
    return { line: null, given: null, seconds, suffix: own[0].suffix, value };
  });
}

function bySeries(points) {
  const found = new Map();
  for (const point of points) {
    if (!found.has(point.series)) found.set(point.series, []);
    found.get(point.series).push(point);
  }
  return found;
}
