// The legend of a chart.

import { create } from "../dom.js";

/**
 * One entry of the legend.
 *
 * @param {string} key of its colour in the style sheet
 * @param {string} name
 * @param {string} text
 * @param {string|null} notice what to know about it
 */
export function legendEntry(key, name, text, notice = null) {
  const notices = notice ? [create("p", { className: "notice" }, notice)] : [];
  const phrases = text ? phrasesOf(text) : [];
  return create("li", { className: `key-${key}` }, create("strong", {}, name), ...phrases, ...notices);
}

/** Phrases; lines break only between them. */
function phrasesOf(text) {
  return text.split(/(?<=[,;:]) | (?=· )/).flatMap((phrase) => [" ", create("span", {}, phrase)]);
}
