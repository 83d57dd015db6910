// Offers the last days that remarks suggest as choices of a question.

/** The last day that a remark suggests to read, "" for other remarks. */
export function endOf({ suggestion }) {
  return suggestion?.parameter === "until" ? suggestion.value ?? "" : "";
}

/**
 * Offer the last day that a remark suggests: in the question about the end if there is one, else in a new one.
 *
 * @param {object[]} questions
 * @param {object[]} remarks
 * @returns {object[]} the questions with it
 */
export function offerEnd(questions, remarks) {
  const remark = remarks.find(endOf);
  if (!remark) return questions;
  const asked = questions.find(({ parameter }) => parameter === "until");
  const end = { value: endOf(remark), meaning: "left out", example: "" };
  if (!asked) {
    const question = { parameter: "until", question: remark.remark, choices: [end], required: false, isOffered: true };
    return [...questions, question];
  }
  if (asked.choices.some(({ value }) => value === end.value)) return questions;
  if (remark.code === "unfinished_period") end.meaning = "left out, with the period that is not over";
  const [first, ...others] = asked.choices;
  return [...questions.filter((other) => other !== asked), { ...asked, choices: [first, end, ...others] }];
}
