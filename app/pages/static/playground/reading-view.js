// How the text was read, in words.

import { formatBriefly } from "./civil.js";

const NAMED = 5;
const REORDERED = {
  reversed: "The newest row came first; sorted.",
  sorted: "The rows were not in order; sorted.",
};

const element = (id) => document.getElementById(id);

/**
 * Show a reading below the text.
 *
 * @param {import("./reading.js").Reading} reading
 * @param {number} missing how many entries are
 * @param {(line: number) => void} goToLine
 */
export function showReading(reading, missing, goToLine) {
  element("facts").hidden = reading.problem !== null;
  if (!reading.problem) showFacts(reading, missing);
  const isEmpty = element("text").value.trim() === "";
  const problem = isEmpty ? "Paste a column of dates and a column of numbers." : reading.problem;
  const notes = problem ? [[problem]] : describeReading(reading, missing, goToLine);
  element("notes").replaceChildren(...notes.map(listItem));
  showChoices(reading);
}

function listItem(content) {
  const item = document.createElement("li");
  item.append(...content);
  return item;
}

function showFacts({ points, spacing }, missing) {
  const facts = {
    frequency: spacing?.frequency ?? "unknown",
    step: spacing?.step ?? "unknown",
    points: points.length.toLocaleString("en"),
    missing: missing.toLocaleString("en"),
    first: formatBriefly(points[0].seconds),
    last: formatBriefly(points.at(-1).seconds),
  };
  for (const [name, fact] of Object.entries(facts)) element(`fact-${name}`).textContent = fact;
}

function showChoices({ order, columns, column }) {
  element("date-order-choice").hidden = !order || order.sure;
  if (order) element("date-order").value = order.chosen;
  element("column-choice").hidden = columns.length < 2;
  element("column").replaceChildren(
    ...columns.map(({ index, name }) => new Option(name, index, false, index === column)),
  );
}

function describeReading(reading, missing, goToLine) {
  const { spacing, unreadable, duplicates, order } = reading;
  const notes = [];
  const noteLines = (intro, lines) => {
    if (lines.length > 0) notes.push([intro, ...lineButtons(lines, goToLine), andMore(lines), "."]);
  };
  if (missing > 0) {
    const named = firstMissing(spacing);
    const rest = missing > named.length ? ` and ${missing - named.length} more` : "";
    notes.push([`Missing: ${named.join(", ")}${rest}.`]);
  }
  noteLines("Off the step: ", strayLines(reading));
  noteLines("The same date again: ", duplicates.map((lines) => lines[1]));
  for (const { line, why } of unreadable.slice(0, NAMED)) {
    notes.push(["Left out ", lineButton(line, goToLine), `: ${why}.`]);
  }
  noteLines("Left out as well: ", unreadable.slice(NAMED).map(({ line }) => line));
  if (reading.reordered) notes.push([REORDERED[reading.reordered]]);
  if (reading.toUtc) notes.push(["The offsets differ; brought to UTC."]);
  if (reading.decimalComma) notes.push(["Commas read as decimal marks."]);
  if (order && !order.sure) notes.push(["Dates such as 3/4 can be read in two ways: choose one."]);
  return notes;
}

function strayLines({ points, spacing }) {
  const firstLines = new Map();
  for (const { seconds, line } of points) {
    if (!firstLines.has(seconds)) firstLines.set(seconds, line);
  }
  const lines = [...firstLines.values()];
  return (spacing?.strays ?? []).map((entry) => lines[entry]);
}

function firstMissing(spacing) {
  const named = [];
  for (const hole of spacing.holes) {
    for (let i = 0; i < hole.count && named.length < NAMED; i += 1) {
      named.push(formatBriefly(hole.moment(i)));
    }
  }
  return named;
}

function lineButtons(lines, goToLine) {
  return lines
    .slice(0, NAMED)
    .flatMap((line, i) => (i ? [", ", lineButton(line, goToLine)] : [lineButton(line, goToLine)]));
}

function andMore(lines) {
  return lines.length > NAMED ? ` and ${lines.length - NAMED} more` : "";
}

/** A button that goes to a line of the text. */
export function lineButton(line, goToLine) {
  const button = document.createElement("button");
  button.type = "button";
  button.className = "link";
  button.textContent = `line ${line}`;
  button.addEventListener("click", () => goToLine(line));
  return button;
}
