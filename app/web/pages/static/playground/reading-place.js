// Where questions and remarks about a table are: above the settings, or beside them where these would be out of sight.

import { element } from "../dom.js";

/** As the style sheets lay out the page in two columns. */
const isWide = matchMedia("(min-width: 901px)");
/** The table, and whether there is so much about it: then it stays, so that nothing moves when a question is answered. */
let placed = { key: null, isMuch: false };

/** Place what is said and asked about a table, of which there may be much. */
export function placeReading(key, isMuch) {
  placed = { key, isMuch: isMuch || (placed.key === key && placed.isMuch) };
  place();
}

function place() {
  const isBeside = placed.isMuch && isWide.matches;
  const [questions, remarks, beside] = ["questions", "remarks", "asked"].map(element);
  beside.hidden = !isBeside;
  if (isBeside === (questions.parentElement === beside)) return;
  if (isBeside) beside.append(questions, remarks);
  else {
    element("notes").after(questions);
    element("facts").after(remarks);
  }
}

isWide.addEventListener("change", place);
