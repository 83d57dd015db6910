// How the text was read, below it.

import { formatBriefly } from "./civil.js";
import { questionsOf } from "./reading/questions.js";
import { remarksOf, warningsOf } from "./reading/words.js";

const element = (id) => document.getElementById(id);

/**
 * Show a reading below the text.
 *
 * @param {import("./reading.js").Reading} reading
 * @param {(line: number) => void} goToLine
 */
export function showReading(reading, goToLine) {
  element("facts").hidden = reading.problem !== null;
  if (!reading.problem) showFacts(reading);
  const isEmpty = element("text").value.trim() === "";
  const warnings = isEmpty ? [["Paste a column of dates and a column of numbers."]] : warningsOf(reading);
  showSentences("notes", warnings, goToLine);
  showSentences("remarks", remarksOf(reading), goToLine);
  showQuestions(isEmpty ? [] : questionsOf(reading), goToLine);
}

function showFacts({ points, spacing, missing, lines }) {
  const facts = {
    frequency: spacing?.isIrregular ? "irregular" : (spacing?.frequency ?? "unknown"),
    step: spacing?.step ?? "unknown",
    points: lines.length.toLocaleString("en"),
    missing: missing.toLocaleString("en"),
    first: formatBriefly(points[0].seconds),
    last: formatBriefly(points.at(-1).seconds),
  };
  for (const [name, fact] of Object.entries(facts)) element(`fact-${name}`).textContent = fact;
}

function showSentences(id, sentences, goToLine) {
  const items = sentences.map((sentence) => {
    const item = document.createElement("li");
    item.append(...withButtons(sentence, goToLine));
    return item;
  });
  element(id).replaceChildren(...items);
}

/** Show questions; the control that has the focus keeps it. */
function showQuestions(questions, goToLine) {
  const focused = document.activeElement?.id;
  element("questions").replaceChildren(...questions.map((each) => questionBlock(each, goToLine)));
  if (focused?.startsWith("ask-")) element(focused)?.focus();
}

function questionBlock({ id, said, label, options, chosen, asks }, goToLine) {
  const block = document.createElement("div");
  block.className = asks ? "question asks" : "question";
  const paragraph = document.createElement("p");
  paragraph.append(...withButtons(said, goToLine));
  if (said.length > 0) block.append(paragraph);
  if (label) block.append(labelled(id, label, control(id, options, chosen)));
  return block;
}

function control(id, options, chosen) {
  const isTyped = options.length === 0;
  const made = document.createElement(isTyped ? "input" : "select");
  if (isTyped) made.type = "date";
  made.append(...options.map(([value, words]) => new Option(words, value, false, value === chosen)));
  if (isTyped) made.value = chosen;
  made.id = `ask-${id}`;
  made.name = id;
  made.autocomplete = "off";
  return made;
}

function labelled(id, words, made) {
  const field = document.createElement("div");
  field.className = "field inline";
  const label = document.createElement("label");
  label.htmlFor = `ask-${id}`;
  label.textContent = words;
  field.append(label, made);
  return field;
}

function withButtons(sentence, goToLine) {
  return sentence.map((part) => (typeof part === "string" ? part : lineButton(part.line, goToLine)));
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
