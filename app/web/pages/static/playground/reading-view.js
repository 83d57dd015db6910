// The reading of a table, shown below it.

import { formatCivil } from "../civil.js";
import { create, element } from "../dom.js";
import { countOf, shortenTimestamp } from "../words.js";
import { selectLine } from "./data-input.js";
import { endOf } from "./end-choices.js";
import { ALL_SERIES } from "./reading.js";
import { layOutReading } from "./reading-layout.js";

/** The number of questions and remarks that leave the settings visible on a laptop. */
const MAX_BESIDE_SETTINGS = 3;
const LINES = /\b(line \d+)/gi;
/** Remarks that need no action. */
const QUIET = new Set([
  ...["total", "note", "no_value", "reversed", "sorted", "offsets", "decimal_comma", "encoding"],
  ...["serial_dates", "date_columns", "date_order", "column_left_out", "clock_forward", "filled", "until"],
]);
const LABELS = {
  date_order: "Take it that", duplicates: "If a date occurs twice,", fill: "Fill with",
  sheet: "Sheet", dates: "Dates are in", columns: "Values are in", timezone: "Time zone",
  year: "The first is of", start: "The first number is of", data_frequency: "Frequency", per: "Forecast",
  header: "Header", unit: "Values are in", until: "The last values are", layout: "Read",
};
/** The parameters of questions that need no look: what they are about is chosen well, or can be left as it is. */
const OPTIONAL = new Set(["sheet", "timezone", "dates", "columns", "per", "header", "layout"]);
/** The names of choices without an answer. */
const NONE = {
  sheet: "all, one below the other", fill: "choose one", timezone: "not said",
  data_frequency: "irregular", per: "each value as it is",
};
const KEPT = "kept as they are";

/**
 * @typedef {object} ReadingState how a person got to a reading
 * @property {Record<string, string>} answers that it was read with
 * @property {boolean} isNameChosen whether a person chose the series that is shown
 * @property {string[]|null} summed the series that are added up
 * @property {string} [rejection] why the newest answer does not fit
 */

/**
 * Show a reading below the text.
 *
 * @param {import("./reading.js").Reading & ReadingState} reading
 * @param {{noun: (frequency: string) => string, tableKey: object}} page
 */
export function showReading(reading, { noun, tableKey }) {
  const { points, remarks, questions } = reading;
  element("facts").hidden = points.length === 0;
  if (points.length > 0) showFacts(reading, noun);
  const replaced = remarksOfQuestions(questions);
  const shown = remarks.filter((remark) => !replaced.has(remark.code) && isAboutShownSeries(remark, reading));
  const quiet = shown.filter(({ code }) => QUIET.has(code));
  const loud = shown.filter(({ code }) => !QUIET.has(code));
  // Questions replace the problem.
  const isAsked = questions.some(({ required }) => required) || reading.asks;
  const notes = [reading.rejection, !isAsked && reading.problem].filter(Boolean);
  showSentences("notes", [...notes, ...loud.map(({ remark }) => remark)]);
  // The problem is beside the text if it prevented a request.
  if (!isAsked && reading.problem) element("notes").children[notes.length - 1].className = "problem";
  showSentences("remarks", quiet.map(({ remark }) => remark));
  const blocks = questionBlocks(reading);
  const isMuch = blocks.some(({ asks }) => asks) || blocks.length + quiet.length > MAX_BESIDE_SETTINGS;
  const focused = document.activeElement?.id;
  layOutReading(tableKey, isMuch);
  showQuestions(blocks, focused);
}

/** The codes of the remarks that questions repeat. */
function remarksOfQuestions(questions) {
  const asksForFill = questions.some(({ parameter }) => parameter === "fill");
  const asksForPeriod = questions.some(({ parameter, required }) => parameter === "per" && required);
  const isHeld = questions.some((question) => question.isHeld);
  return new Set([
    ...(asksForFill ? ["off_step"] : []),
    ...(asksForPeriod ? ["irregular"] : []),
    ...(isHeld ? ["unfinished_period"] : []),
  ]);
}

/** Return whether a remark is about the shown series: it has what that would leave out, and no question says so. */
function isAboutShownSeries(remark, { points, questions }) {
  const end = endOf(remark);
  return !end || (points.at(-1)?.timestamp.slice(0, 10) > end && !questions.some(({ isOffered }) => isOffered));
}

function showFacts({ points, missing, isFilled, remarks, frequency, step }, noun) {
  const count = points.length - (isFilled ? missing.length : 0);
  const isCut = remarks.some(({ code }) => code === "too_many_missing");
  const brief = ({ seconds }) => shortenTimestamp(formatCivil(seconds));
  const facts = {
    frequency: frequency ?? (points.length > 1 ? "irregular" : "unknown"),
    step: frequency ? countOf(step, noun(frequency)) : "unknown",
    points: count.toLocaleString("en"),
    missing: missing.length.toLocaleString("en") + (isCut ? "+" : "") + (isFilled ? ", filled" : ""),
    first: brief(points[0]),
    last: brief(points.at(-1)),
  };
  for (const [name, fact] of Object.entries(facts)) element(`fact-${name}`).textContent = fact;
}

/**
 * @typedef {object} QuestionBlock a question with its control
 * @property {string} id of what is chosen
 * @property {string} text
 * @property {string} label
 * @property {[value: string, words: string][]} options none for what is typed
 * @property {string} chosen
 * @property {boolean} asks whether a person has to look
 *
 * @returns {QuestionBlock[]}
 */
function questionBlocks(reading) {
  return reading.questions.map((question) => {
    const { parameter: id, question: text, fact = text, choices, required, isHeld } = question;
    if (id === "layout" && (reading.summed || reading.chosen.layout !== "columns")) return seriesBlock(reading, text);
    const areColumns = reading.names.length > 1 && reading.chosen.columns.length > 1; // not the names of rows
    if (id === "columns" && !required && areColumns) return columnBlock(reading, text);
    const chosen = isHeld ? "" : reading.chosen[id] ?? "";
    const first = emptyChoice(question);
    // The empty choice means the same as one of the others, which is listed only if it is chosen.
    const others = choices.filter(({ value, meaning }) => meaning !== first || value === chosen);
    const options = others.map((choice) => [choice.value, choiceText(id, choice)]);
    const isAnswered = Boolean(reading.answers[id]);
    return {
      id, label: questionLabel(question), chosen: String(chosen),
      text: isAnswered ? fact : text,
      options: first && choices.length > 0 ? [["", first], ...options] : options,
      asks: required || !(isAnswered || OPTIONAL.has(id)),
    };
  });
}

/** The name of the empty choice. */
function emptyChoice({ parameter, required, wasRequired, isHeld, isOffered }) {
  if (required || wasRequired || isHeld) return "choose one";
  return isOffered ? KEPT : NONE[parameter];
}

function choiceText(id, { value, meaning, example }) {
  if (id === "fill" && value === "zero") return "zero (as when closed)";
  if (id === "header") return `${meaning}: ${example}`;
  return ["sheet", "dates", "columns", "timezone", "year", "data_frequency", "unit"].includes(id) ? value : meaning;
}

/** The label of a question: `1.480 is` for a quoted text, or by parameter. */
function questionLabel({ parameter, question }) {
  return LABELS[parameter] ?? `${/“(.+?)”/.exec(question)?.[1] ?? "It"} is`;
}

function seriesBlock({ summed, names, name, isNameChosen }, text) {
  const series = (summed ?? names).map((title) => [title, title || "(no name)"]);
  if (series.length === 0) series.push(["", "one of them"]); // before all is answered that is required
  const options = [...series, [ALL_SERIES, "all, added up"]];
  const chosen = summed ? ALL_SERIES : name;
  return { id: "series", text, label: "Take", options, chosen, asks: !summed && !isNameChosen };
}

function columnBlock({ names, name }, question) {
  const options = names.map((title) => [title, title]);
  const text = `${question} “${name}” is read.`;
  return { id: "series", text, label: LABELS.columns, options, chosen: name, asks: false };
}

function showSentences(id, sentences) {
  element(id).replaceChildren(...sentences.map((sentence) => create("li", {}, ...withButtons(sentence))));
}

/** Show the questions; the control with the id `focused` gets the focus again. */
function showQuestions(blocks, focused) {
  element("questions").replaceChildren(...blocks.map(drawBlock));
  if (focused?.startsWith("ask-")) element(focused)?.focus();
}

function drawBlock({ id, text, label, options, chosen, asks }) {
  const sentence = create("p", {}, ...withButtons(text));
  const field = create(
    "div", { className: "field inline" },
    create("label", { htmlFor: `ask-${id}` }, label), createControl(id, options, chosen),
  );
  return create("div", { className: asks ? "question asks" : "question" }, sentence, field);
}

function createControl(id, options, chosen) {
  const names = { id: `ask-${id}`, name: id, autocomplete: "off" };
  if (options.length === 0) return create("input", { type: id === "start" ? "date" : "text", value: chosen, ...names });
  return create("select", names, ...options.map(([value, words]) => new Option(words, value, false, value === chosen)));
}

/** A sentence in which line numbers are buttons. */
export function withButtons(sentence) {
  return sentence.split(LINES).map((part, i) => (i % 2 ? lineButton(part) : part));
}

/** A button that goes to a line of the text, such as `line 3`. */
function lineButton(name) {
  const onclick = () => selectLine(Number(name.split(" ")[1]));
  return create("button", { type: "button", className: "link", onclick }, name);
}
