// Replaces parameters in messages of the service by choices of the page, or by words.

/** `To leave it out, send until=2026-10-01.` */
const END = / [^.]*\bsend until=(\d{4}-\d\d-\d\d)\.$/;
const UNFINISHED = /^The last (\w+), .* is not over/;
/** @type {[RegExp, string][]} */
const WORDS = [
  [END, ""],
  [/ send until with the last day before them\./, " leave them out of the table."],
  [/; for another, send its name\./, "."],
  [/; name only it in `columns`\./, "."],
  [/: send fill=.*$/, ""],
  [/: send (?:[a-z_]+=…(?: or )?)+$/, ""],
  [/(?:, or|:) (?:send )?per=…$/, ""],
  [/\bsend horizon=(\d+)/, "forecast $1 periods"],
  [/ Send [a-z_]+=… in the query\./, ""],
  [/\bsend (\d+ or more)\b/, "$1 are needed"],
];

/** A message without what a client would send. */
export function inWords(message) {
  return WORDS.reduce((text, [pattern, words]) => text.replace(pattern, words), message);
}

/** The last day that a remark about unfinished values would keep, "" for other remarks. */
export function endOf(remark) {
  return END.exec(remark)?.[1] ?? "";
}

/**
 * Offer the ends that remarks name: in the question about the end, where a person has seen one, or in one of their own.
 *
 * @param {object[]} questions
 * @param {{remark: string}[]} remarks
 * @returns {object[]} the questions with them
 */
export function withEnds(questions, remarks) {
  const said = remarks.find(({ remark }) => endOf(remark));
  if (!said) return questions;
  const value = endOf(said.remark);
  const asked = questions.find(({ parameter }) => parameter === "until");
  if (asked?.choices.some((choice) => choice.value === value)) return questions;
  const [, noun] = UNFINISHED.exec(said.remark) ?? [];
  const choice = { value, meaning: asked && noun ? `left out, with the ${noun} that is not over` : "left out", example: "" };
  const choices = asked ? [asked.choices[0], choice, ...asked.choices.slice(1)] : [choice];
  const question = { ...(asked ?? { parameter: "until", question: inWords(said.remark), required: false, isOffered: true }), choices };
  return [...questions.filter((other) => other !== asked), question];
}
