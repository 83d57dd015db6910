// How a text was read, in words: what needs a look, and what is merely said.

import { formatBriefly } from "../civil.js";
import { listLines } from "./questions.js";

const NAMED = 5;
const REORDERED = {
  reversed: "The newest row came first; sorted.",
  sorted: "The rows were not in order; sorted.",
};

/** @typedef {(string|{line: number})[]} Sentence lines can be gone to */

/**
 * What is wrong with the data.
 *
 * @param {import("../reading.js").Reading} reading
 * @returns {Sentence[]}
 */
export function warningsOf(reading) {
  if (reading.problem) return [[reading.problem]];
  const wrong = reading.unreadable.filter(({ isExpected }) => !isExpected);
  const more = wrong.slice(NAMED).map(({ line }) => line);
  return [
    dropped(reading),
    ...stepBreaks(reading),
    ...wrong.slice(0, NAMED).map(({ line, why }) => ["Left out ", { line }, `: ${why}.`]),
    more.length > 0 && ["Left out as well: ", ...listLines(more), "."],
  ].filter(Boolean);
}

/**
 * What was read in a way worth a word.
 *
 * @param {import("../reading.js").Reading} reading
 * @returns {Sentence[]}
 */
export function remarksOf(reading) {
  if (reading.problem) return [];
  const expected = reading.unreadable.filter(({ isExpected }) => isExpected);
  const { dates, order, mark, unclear, decimals } = reading;
  return [
    dates.kind === "serial" && ["Dates are Excel's serial numbers."],
    dates.columns.length > 1 && [
      `Dates are in ${dates.columns.length} columns: ${dates.columns.join(", ")}.`,
    ],
    order?.orders.length === 1 && [`In ${order.example}, first comes the ${order.chosen}.`],
    mark === "," && !unclear && decimals > 0 && ["Commas read as decimal marks."],
    reading.reordered && [REORDERED[reading.reordered]],
    reading.toUtc && ["The offsets differ; brought to UTC."],
    reading.empty.length > 0 && ["No value: ", ...listLines(reading.empty.map(({ line }) => line)), "."],
    ...expected.slice(0, NAMED).map(({ line, why }) => ["Left out ", { line }, `: ${why}.`]),
    expected.length > NAMED && [`${expected.length - NAMED} more totals and notes left out.`],
  ].filter(Boolean);
}

function dropped({ dropped: count, points }) {
  if (count === 0) return null;
  const [all, kept] = [count + points.length, points.length].map((each) => each.toLocaleString("en"));
  return [`${all} points are more than the service takes: the newest ${kept} are read.`];
}

function stepBreaks({ spacing, lines, points, fill }) {
  if (!spacing) return points.length > 1 ? [["No regular step was found."]] : [];
  if (!spacing.isIrregular) return [];
  const after = firstBreak(spacing);
  const at = fill ? "" : `, ${formatBriefly(points[after].seconds)}`;
  return [[
    `The dates are irregular: no step fits most of them. The first that does not come ${spacing.step} `,
    "after the one before: ", { line: lines[after] }, `${at}.`,
  ]];
}

/** The first entry that does not follow the one before it by the step. */
function firstBreak({ holes, strays }) {
  return Math.min(strays[0] ?? Infinity, holes.length > 0 ? holes[0].after + 1 : Infinity);
}
