// Lays out questions and remarks: above the settings, or beside them if there are many.

import { element } from "../dom.js";

/** As the style sheets lay out the page in two columns. */
const isWide = matchMedia("(min-width: 901px)");
/** The current table, and whether its texts are long: then they stay in place while it is edited. */
let laidOut = { key: null, isMuch: false };

/** Lay out the questions and remarks about a table. */
export function layOutReading(key, isMuch) {
  laidOut = { key, isMuch: isMuch || (laidOut.key === key && laidOut.isMuch) };
  moveReading();
}

/** Mark the reading as busy or not. */
export function showBusy(isBusy) {
  for (const id of ["reading", "asked"]) element(id).ariaBusy = isBusy ? "true" : null;
}

function moveReading() {
  const isBeside = laidOut.isMuch && isWide.matches;
  const [notes, questions, remarks, facts, beside] = ["notes", "questions", "remarks", "facts", "asked"].map(element);
  beside.hidden = !isBeside;
  if (isBeside === (questions.parentElement === beside)) return;
  const focused = document.activeElement;
  if (isBeside) beside.append(notes, questions, remarks);
  else {
    facts.before(notes, questions);
    facts.after(remarks);
  }
  if (document.activeElement !== focused) /** @type {HTMLElement} */ (focused).focus(); // what is moved loses it
}

isWide.addEventListener("change", moveReading);
