// The field for holidays: a country by its name, or a part of it by its code; this browser remembers it.

import { element } from "../dom.js";
import { CountryNames } from "./country-names.js";
import { recall, remember } from "./memory.js";

/** Only these know holidays. */
const FREQUENCIES = ["Daily", "Hours"];
const NAME = "holidays";
const HINT = "A country, a part (AU-VIC), or none.";
/** What a header can carry, and every language of the example of code between quotes. */
const SENDABLE = /^[\w .,'()&-]*$/;
const UNKNOWN = "No country of this name is known. Choose one, or type a code such as AU-VIC.";

/** Created when the field is first shown. */
let names = null;

/** Show the field on the tab that uses it, for frequencies with holidays. */
export function offerHolidays(isAsking) {
  const isOffered = isAsking && FREQUENCIES.includes(element("frequency").value);
  element("holidays-field").hidden = !isOffered;
  if (!isOffered || names) return;
  names = new CountryNames(element("holidays").dataset.codes);
  element("countries").replaceChildren(...names.options());
  element("holidays").value = nameOfKnown(recall(NAME) ?? "");
  showHint();
}

/** Make the field show and remember the choice. */
export function listenToHolidays() {
  element("holidays").addEventListener("change", () => {
    const { value } = element("holidays");
    const code = names.codeOf(value);
    if (code) element("holidays").value = names.nameOf(code);
    if (code || !value.trim()) remember(NAME, code);
    showHint();
  });
}

/** The code that is sent, "" for none; unknown names are sent as typed. */
export function chosenHolidays() {
  if (element("holidays-field").hidden) return "";
  const typed = element("holidays").value.trim();
  return names.codeOf(typed) ?? (SENDABLE.test(typed) ? typed : "");
}

/** The problem of the typed holidays, "" for none. */
export function holidaysDefect() {
  if (element("holidays-field").hidden) return "";
  const typed = element("holidays").value.trim();
  return names.codeOf(typed) || SENDABLE.test(typed) ? "" : UNKNOWN;
}

function nameOfKnown(remembered) {
  const code = names.codeOf(remembered);
  return code ? names.nameOf(code) : "";
}

/** Show the sent code in one line, so that nothing below moves. */
function showHint() {
  const code = names.codeOf(element("holidays").value);
  const part = code && names.partOf(code);
  const sent = part ? `Sent as ${code}. It has parts, such as ${part}.` : `Sent as ${code}.`;
  element("holidays-hint").textContent = code ? sent : HINT;
}
