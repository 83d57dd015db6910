// Where questions and remarks about a table are: above the settings, or beside them where these would be out of sight.

import { element } from "../dom.js";

/** As the style sheets lay out the page in two columns. */
const isWide = matchMedia("(min-width: 901px)");
/** The table, and whether its texts are long: then they stay in place, so that a choice moves nothing. */
let placed = { key: null, isMuch: false };

/** Place what is said and asked about a table, of which there may be much. */
export function placeReading(key, isMuch) {
  placed = { key, isMuch: isMuch || (placed.key === key && placed.isMuch) };
  place();
}

/** Say whether another reading is about to come. */
export function showBusy(isBusy) {
  for (const id of ["reading", "asked"]) element(id).ariaBusy = isBusy ? "true" : null;
}

function place() {
  const isBeside = placed.isMuch && isWide.matches;
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

isWide.addEventListener("change", place);
