// What a text leaves open, as questions: what was taken, and what it could be instead.

import { formatBriefly } from "../civil.js";
import { ALL } from "./series-names.js";
import { skippedHours } from "./clock-change.js";
import { valueOf } from "./numbers.js";

const NAMED = 5;
const NAMED_SERIES = 3;
const FIRST_COMES = { month: "the month", day: "the day", year: "the year" };
const COMBINED = { last: "the last counts", sum: "they are added up", mean: "their mean is taken" };

/**
 * @typedef {object} Question
 * @property {string} id of the choice
 * @property {(string|{line: number})[]} said what was found; lines can be gone to
 * @property {string} label of the control
 * @property {[value: string, words: string][]} options none for a date that is typed
 * @property {string} chosen
 * @property {boolean} asks whether a person has to look: the reading could be wrong
 */

/**
 * @param {import("../reading.js").Reading} reading
 * @returns {Question[]}
 */
export function questionsOf(reading) {
  const asked = [
    ...startQuestions(reading),
    splitQuestion(reading),
    markQuestion(reading),
    orderQuestion(reading),
    yearQuestion(reading),
    seriesQuestion(reading),
    columnQuestion(reading),
    repeatsQuestion(reading),
    straysQuestion(reading),
    fillQuestion(reading),
  ];
  return asked.filter(Boolean);
}

function question(id, said, label, options, chosen, asks = true) {
  return { id, said, label, options, chosen: String(chosen), asks };
}

function startQuestions({ alone }) {
  if (!alone) return [];
  const frequencies = alone.frequencies.map((name) => [name, name]);
  return [
    question("start", [], "The first number is of", [], alone.start),
    question("every", [], "Frequency", [["", "choose one"], ...frequencies], alone.every),
  ];
}

function splitQuestion({ split }) {
  if (!split) return null;
  const { line, example, chosen } = split;
  const said = [{ line }, ` has “${example}”, and commas separate the cells.`];
  return question("split", said, "It is", [
    ["one", "one number"], ["columns", `${example.split(/[, ]/).length} cells`],
  ], chosen);
}

function markQuestion({ unclear, mark }) {
  if (!unclear) return null;
  const options = [",", "."]
    .map((each) => [each, valueOf(unclear.cell, each)])
    .sort(([, a], [, b]) => Math.abs(b) - Math.abs(a))
    .map(([each, value]) => [each, inWords(value)]);
  const { cell, line } = unclear;
  const said = [{ line }, `: “${cell}” can be a thousand or a decimal, and no number shows which.`];
  return question("mark", said, `${cell} is`, options, mark);
}

/** 1480 as "1,480 (a thousand)", 1.48 as "1.48 (a decimal)". */
function inWords(value) {
  const written = value.toLocaleString("en", { maximumFractionDigits: 6 });
  const isWhole = Number.isInteger(value) && Math.abs(value) >= 1000;
  return isWhole ? `${written} (thousands)` : `${written} (decimals)`;
}

function orderQuestion({ order }) {
  if (!order || order.orders.length < 2) return null;
  const said = [`Dates such as ${order.example} can be read in ${order.orders.length} ways.`];
  const options = order.orders.map((each) => [each, FIRST_COMES[each]]);
  return question("order", said, `In ${order.example}, first comes`, options, order.chosen);
}

function yearQuestion({ year }) {
  if (!year) return null;
  const options = year.offered.map((each) => [String(each), String(each)]);
  return question("year", ["The dates have no year."], `${year.example} is of`, options, year.chosen);
}

function seriesQuestion({ series }) {
  if (!series) return null;
  const { names, chosen, title } = series;
  const said = [`${names.length} series${title ? ` by “${title}”` : ""}.`];
  const options = names.map((name) => [name, name || "(no name)"]);
  return question("series", said, "Take", [...options, [ALL, "all, added up"]], chosen);
}

function columnQuestion({ columns, column, columnWhy }) {
  if (columns.length < 2) return null;
  const why = { name: ", taken by its name", last: ", the last of them", choice: "" }[columnWhy];
  const { name } = columns.find(({ index }) => index === column);
  const said = [`${columns.length} columns have numbers: “${name}” is read${why}.`];
  const options = columns.map(({ index, name: each }) => [String(index), each]);
  return question("column", said, "Values are in", options, column, false);
}

function repeatsQuestion({ repeats: { lines, chosen, doubled }, series }) {
  if (lines.length === 0) return null;
  const options = Object.entries(COMBINED);
  if (doubled.length > 0) {
    const said = [`The clock goes back: it shows the hour from ${formatBriefly(doubled[0])} twice (`,
      ...listLines(lines.map((same) => same[1])), ")."];
    return question("repeats", said, "Of such points,", options, chosen);
  }
  const within = series?.chosen === ALL ? " in a series" : "";
  const said = [`The same date again${within}: `, ...listLines(lines.map((same) => same[1])), "."];
  return question("repeats", said, "Of points of one date,", options, chosen);
}

function straysQuestion({ strays: { lines, chosen }, spacing }) {
  if (lines.length === 0) return null;
  const said = [`Off the step of ${spacing.step}: `, ...listLines(lines), "."];
  return question("strays", said, "Such points are", [["", "kept"], ["out", "left out"]], chosen);
}

function fillQuestion({ missing, spacing, points, canFill, fill, lacking }) {
  const isUneven = lacking.length > 0;
  if (missing === 0 || (spacing?.isIrregular && !isUneven)) return null;
  const skipped = fill || isUneven ? [] : skippedHours(spacing, points);
  const clock = skipped.length === missing && skipped.length > 0 ? " The clock goes forward there." : "";
  const said = [`Missing: ${firstMissing({ spacing, missing, lacking })}.${clock}`];
  if (!canFill) return question("fill", [...said, " Too many to be filled."], "", [], "");
  const why = isUneven
    ? "The sum leaves such dates out, unless each series is filled first; before its first value it " +
      "counts as zero."
    : "The service wants every entry.";
  return question("fill", [...said, ` ${why}`], "Fill with", [
    ["", "nothing"], ["linear", "straight lines"], ["previous", "the value before"], ["zero", "zero"],
  ], fill);
}

/** The first entries that are missing, and from which series where only some of them lack it. */
function firstMissing({ spacing, missing, lacking }) {
  const some = new Set(lacking.map(({ seconds }) => seconds));
  const all = [];
  for (const hole of spacing?.holes ?? []) {
    for (let i = 0; i < hole.count && all.length < NAMED; i += 1) {
      if (!some.has(hole.moment(i))) all.push({ seconds: hole.moment(i), names: [] });
    }
  }
  const first = [...lacking.slice(0, NAMED), ...all].sort((a, b) => a.seconds - b.seconds);
  const named = first.slice(0, NAMED).map(({ seconds, names }) => {
    const others = names.length > NAMED_SERIES ? ` and ${names.length - NAMED_SERIES} more` : "";
    const within = names.length > 0 ? ` in ${names.slice(0, NAMED_SERIES).join(", ")}${others}` : "";
    return formatBriefly(seconds) + within;
  });
  const rest = missing > named.length ? ` and ${(missing - named.length).toLocaleString("en")} more` : "";
  return named.join(lacking.length > 0 ? "; " : ", ") + rest;
}

/** Lines as parts of a sentence, the first few of them. */
export function listLines(lines) {
  const named = lines.slice(0, NAMED).flatMap((line, i) => (i ? [", ", { line }] : [{ line }]));
  const rest = lines.length - NAMED;
  return rest > 0 ? [...named, ` and ${rest.toLocaleString("en")} more`] : named;
}
